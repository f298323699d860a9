/** How a job of Slurm stands: it waits, it runs, it ended, or squeue says a word that is none of these. */
export type QueueState = 'queued' | 'running' | 'ended' | 'unknown';

const QUEUED = new Set([
  'PENDING',
  'CONFIGURING',
  // A job that starts again before all others, when its nodes are clean (25.11 and later).
  'EXPEDITING',
  'REQUEUED',
  'REQUEUE_HOLD',
  'REQUEUE_FED',
  'SPECIAL_EXIT',
  'RESV_DEL_HOLD',
]);
const RUNNING = new Set(['RUNNING', 'SUSPENDED', 'STOPPED', 'RESIZING', 'SIGNALING', 'STAGE_OUT', 'COMPLETING']);
const ENDED = new Set([
  'BOOT_FAIL',
  'CANCELLED',
  'COMPLETED',
  'DEADLINE',
  'FAILED',
  'NODE_FAIL',
  'OUT_OF_MEMORY',
  'PREEMPTED',
  'REVOKED',
  'TIMEOUT',
]);

/**
 * A state as squeue and sacct print it, such as `RUNNING` or `CANCELLED by 1000`.
 *
 * Source: squeue(1), JOB STATE CODES. A word that is not listed there is `unknown`: nothing may be concluded from it.
 */
export function queueStateOf(text: string): QueueState {
  const word = text.trim().split(' ')[0] ?? '';
  if (QUEUED.has(word)) return 'queued';
  if (RUNNING.has(word)) return 'running';
  return ENDED.has(word) ? 'ended' : 'unknown';
}
