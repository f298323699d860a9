/** The contract as an OpenAPI document, for generators of clients. */
import { openApiDocument } from '../src/core/contract/openapi.ts';
import { write } from './write-generated.ts';

write('api/openapi.json', `${JSON.stringify(openApiDocument(), undefined, 2)}\n`);
