/** The exports of the package `torc`. scripts/gen-library.ts prints its declarations. */
export { ServiceError, Unreachable } from '../client/errors.ts';
export { all, every } from '../client/every.ts';
export { Refusal } from '../core/contract/refusals.ts';
export { InvalidWorkflow } from './invalid-workflow.ts';
export { TorcClient } from './torc-client.ts';
