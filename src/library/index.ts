/** What `import … from 'torc'` gives. Its declarations are printed by scripts/gen-library.ts. */
export { ServiceError, Unreachable } from '../client/errors.ts';
export { all, every } from '../client/every.ts';
export { TorcClient } from './torc-client.ts';
