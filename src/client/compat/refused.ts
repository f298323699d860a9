import { ServiceError, Unreachable } from '../errors.ts';

/** Recognises refusals of Torc's own server, which have only a text, and partly status 500, where ours have a code. */

/** Rethrows an error; a missing workflow gets the code that a runner recognises. */
export function workflowGone(error: unknown): never {
  // Only with this text: a proxy may answer 404 too.
  if (error instanceof ServiceError && error.missing?.kind === 'workflow')
    throw refusal(404, 'NOT_FOUND', `Workflow not found with ID: ${error.missing.id}`);
  throw error;
}

/** The record exists already. */
export const isDuplicate = (error: unknown): boolean =>
  error instanceof ServiceError && (error.code === 'DUPLICATE' || /\balready exists\b/.test(error.message));

/** The workflow is in another run than the runner. */
export const runSuperseded = (runId: number, current: number): ServiceError =>
  refusal(422, 'RUN_SUPERSEDED', `Run ID mismatch: provided ${runId} but workflow is at run ${current}`, { current });

/**
 * The server replied and did not execute the request. This includes 5xx, which Torc's server also uses for user errors.
 */
export const isRefusal = (error: unknown): error is ServiceError =>
  error instanceof ServiceError && error.status !== 401 && error.status !== 503;

/** Whether there was no reply although the request may have been executed. */
export const isInDoubt = (error: unknown): boolean =>
  !isOfRequest(error) &&
  !(error instanceof Unreachable && (error.cause as { code?: string } | undefined)?.code === 'ECONNREFUSED');

/** Whether the refusal concerns this request, and is not a sign of a failing server. */
export const isOfRequest = (error: unknown): error is ServiceError =>
  error instanceof ServiceError && error.status >= 400 && error.status < 500 && error.status !== 401;

const refusal = (status: number, code: string, message: string, facts: object = {}): ServiceError =>
  new ServiceError('exchange', { status, text: JSON.stringify({ error: { message, code, ...facts } }) });
