/**
 * The statuses of a job, in the order of their numbers in the database.
 *
 * `completed`, `failed`, `canceled` and `terminated` are terminal; `disabled` takes a job out of the workflow;
 * `pending_failed` waits for a decision of the user and keeps the workflow open.
 */
export const jobStatuses = [
  'uninitialized',
  'blocked',
  'ready',
  'pending',
  'running',
  'completed',
  'failed',
  'canceled',
  'terminated',
  'disabled',
  'pending_failed',
] as const;

export type JobStatus = (typeof jobStatuses)[number];

/** Jobs that one request cancels: all of them are looked at in the same transaction. */
export const MOST_CANCELED_AT_ONCE = 1_000;
