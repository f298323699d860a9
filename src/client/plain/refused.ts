import { ServiceError, Unreachable } from '../errors.ts';

/**
 * What Torc's own server says where ours has a code: its refusals have a text only, and some are 500.
 */

/** Rethrows an error; that the workflow does not exist gets the code by which a runner knows that it has no part in it. */
export function workflowGone(error: unknown): never {
  // Only in these words: a proxy may answer 404 too.
  if (error instanceof ServiceError && error.status === 404 && error.message.includes('Workflow not found'))
    throw refusal(404, 'NOT_FOUND', error.message);
  throw error;
}

/** The workflow is at another run than the runner. */
export const runSuperseded = (runId: number, current: number): ServiceError =>
  refusal(422, 'RUN_SUPERSEDED', `Run ID mismatch: provided ${runId} but workflow is at run ${current}`, { current });

/** The server answered, and it did not carry out the request; 5xx included, which it answers to mistakes too. */
export const isRefusal = (error: unknown): error is ServiceError =>
  error instanceof ServiceError && error.status !== 401 && error.status !== 503;

/** Was there no answer, though the request may have been carried out? */
export const isInDoubt = (error: unknown): boolean =>
  !isOfRequest(error) &&
  !(error instanceof Unreachable && (error.cause as { code?: string } | undefined)?.code === 'ECONNREFUSED');

/** Is the refusal an answer to this request, and not a sign of a server that is ill? */
export const isOfRequest = (error: unknown): error is ServiceError =>
  error instanceof ServiceError && error.status >= 400 && error.status < 500 && error.status !== 401;

const refusal = (status: number, code: string, message: string, facts: object = {}): ServiceError =>
  new ServiceError('carrying out a turn', { status, text: JSON.stringify({ error: { message, code, ...facts } }) });
