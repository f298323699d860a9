/** The JSON Schema of workflow files, for editors. */
import { specJsonSchema } from '../src/core/workflow-file/shape/json-schema.ts';
import { write } from './write-generated.ts';

write('api/workflow.schema.json', `${JSON.stringify(specJsonSchema(), undefined, 2)}\n`);
