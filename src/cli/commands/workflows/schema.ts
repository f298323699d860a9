import { join } from 'node:path';
import { command } from '../../command/command.ts';
import { packageRoot } from '../../../operations/run/package-root.ts';
import { option } from '../../command/option.ts';

/** Where the package keeps the schema that this command prints. */
const SCHEMA = 'api/workflow.schema.json';

export const workflowsSchema = command('workflows schema', {
  says: 'Print the JSON Schema of workflow files, with which editors complete and check them.',
  more:
    'torc workflows schema > torc.schema.json\n\n' +
    'Then put this line first in a YAML file:\n\n' +
    '# yaml-language-server: $schema=torc.schema.json',
  options: [option('--path', 'print where the file with the schema is in this installation')],
  offline: true,
  async run({ output }, _args, options) {
    if (options.path === true) {
      const path = join(packageRoot(), SCHEMA);
      return output.format === 'json' ? output.json({ path }) : output.text(path);
    }
    const { specJsonSchema } = await import('../../../core/workflow-file/shape/json-schema.ts');
    output.json(specJsonSchema());
  },
});
