/** Readers of what sbatch and squeue print. */

/** How a job of Slurm stands, for an allocation: it waits, it runs, it ended, or squeue says a word that is none of these. */
export type QueueState = 'queued' | 'running' | 'ended' | 'unknown';

export interface QueuedJob {
  readonly jobId: number;
  readonly state: QueueState;
}

export interface SubmittedScript extends QueuedJob {
  readonly script: string;
}

/** The id in `Submitted batch job 1234`; undefined for any other text. */
export const parseSubmitted = (text: string): number | undefined => {
  const match = /Submitted batch job (\d+)/.exec(text);
  return match === null ? undefined : Number(match[1]);
};

const QUEUED = new Set([
  'PENDING',
  'CONFIGURING',
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

/** The lines of `--Format jobid,state`; lines of another shape are passed over, array tasks and steps among them. */
export const parseQueue = (text: string): QueuedJob[] =>
  text.split('\n').flatMap((line) => {
    const [id, state, ...more] = line.trim().split(/\s+/);
    return id === undefined || state === undefined || more.length > 0 || !/^\d+$/.test(id)
      ? []
      : [{ jobId: Number(id), state: queueStateOf(state) }];
  });

/** The lines of `-o "%i|%T|%o"`; a path may contain the separator. */
export const parseScripts = (text: string): SubmittedScript[] =>
  text.split('\n').flatMap((line) => {
    const match = /^\s*(\d+)\|(\w+)\|(.+)$/.exec(line);
    return match === null
      ? []
      : [{ jobId: Number(match[1]), state: queueStateOf(match[2] as string), script: (match[3] as string).trim() }];
  });
