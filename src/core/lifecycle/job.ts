import type { JobStatus } from '../contract/job.ts';

/**
 * Whether the job has ended, so that its workflow can continue. `pending_failed` waits for a decision and has not
 * ended.
 */
export function isComplete(status: JobStatus): boolean {
  return status === 'completed' || status === 'failed' || status === 'canceled' || status === 'terminated';
}

/** Whether a runner may report this status as the end of a job. */
export function isEnd(status: JobStatus): boolean {
  return isComplete(status) || status === 'pending_failed';
}

/**
 * Whether the end of the job cancels the dependents that request it.
 *
 * A failed job whose return code is 0 does not cancel them, as in Torc 1.0.0.
 */
export function isUnsuccessful(status: JobStatus, returnCode: number | undefined): boolean {
  return status === 'canceled' || status === 'terminated' || (status === 'failed' && returnCode !== 0);
}
