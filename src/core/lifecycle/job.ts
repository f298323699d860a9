import type { JobStatus } from '../contract/job.ts';

/** Has the job ended, so that its workflow may go on? `pending_failed` waits for a decision and has not. */
export function isComplete(status: JobStatus): boolean {
  return status === 'completed' || status === 'failed' || status === 'canceled' || status === 'terminated';
}

/** May a runner report this as the end of a job? */
export function isEnd(status: JobStatus): boolean {
  return isComplete(status) || status === 'pending_failed';
}

/**
 * Did the job end so that dependants which ask for it are canceled?
 *
 * A failed job whose return code is 0 is let pass, as in the original.
 */
export function isUnsuccessful(status: JobStatus, returnCode: number | undefined): boolean {
  return status === 'canceled' || status === 'terminated' || (status === 'failed' && returnCode !== 0);
}
