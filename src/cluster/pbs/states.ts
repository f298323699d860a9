import type { QueueState } from '../../core/allocation/slurm-state.ts';
import type { PbsRecord } from './dsv.ts';

/** How PBS says that a job stands: `job_state`. Source: qstat(1B); M (moved to another server) and T (on its way) say nothing of its processes. */
const STATES: Readonly<Record<string, QueueState>> = {
  Q: 'queued',
  H: 'queued',
  W: 'queued',
  R: 'running',
  S: 'running',
  U: 'running',
  E: 'running',
  B: 'running',
  F: 'ended',
  X: 'ended',
};

export const pbsStateOf = (letter: string | undefined): QueueState => STATES[letter ?? ''] ?? 'unknown';

/** PBS ended the job itself. Source: job.h. */
const OWN_ENDS: Readonly<Record<string, string>> = {
  '-29': 'TIMEOUT',
  '-27': 'OUT_OF_MEMORY',
  '-26': 'OUT_OF_MEMORY',
  // The node of its first process was lost.
  '-20': 'NODE_FAIL',
  // A mom that came back killed it, or the job could not be started on its nodes.
  '-4': 'NODE_FAIL',
  '-5': 'NODE_FAIL',
  '-6': 'NODE_FAIL',
  '-11': 'NODE_FAIL',
};

const DELETED = '91';

/**
 * The word for the state of a job, one of those that Torc knows (`core/allocation/allocation-end.ts`).
 *
 * `Exit_status` counts for jobs that are over alone: a job that waits has that of its run before.
 */
export function pbsWordOf({ fields }: PbsRecord): string {
  const letter = fields.get('job_state');
  const state = pbsStateOf(letter);
  if (state === 'queued') return letter === 'H' ? 'HELD' : 'PENDING';
  if (state === 'running') return letter === 'S' ? 'SUSPENDED' : letter === 'E' ? 'COMPLETING' : 'RUNNING';
  if (state === 'unknown') return letter ?? 'UNKNOWN';
  const status = fields.get('Exit_status');
  const own = OWN_ENDS[status ?? ''];
  if (own !== undefined) return own;
  if (fields.get('substate') === DELETED) return isByScheduler(fields) ? 'PREEMPTED' : 'CANCELLED';
  // It never ran: what it depends on failed.
  if (status === undefined) return fields.get('stime') === undefined ? 'CANCELLED' : 'FAILED';
  return status === '0' ? 'COMPLETED' : 'FAILED';
}

/** The scheduler ended it: jobs of a higher priority need its nodes. */
export const isByScheduler = (fields: PbsRecord['fields']): boolean =>
  /\bterminated by Scheduler@/i.test(fields.get('comment') ?? '');

/** How the script ended, by an `Exit_status` from 0 on: above 255 a signal ended its first process. */
export function scriptExitOf(fields: PbsRecord['fields']): { readonly exitCode?: number; readonly signal?: number } {
  const status = Number(fields.get('Exit_status') ?? Number.NaN);
  if (!Number.isInteger(status) || status < 0) return {};
  return status > 255 ? { exitCode: 0, signal: status - 256 } : { exitCode: status, signal: 0 };
}

const HOLDS: readonly (readonly [RegExp, words: string])[] = [
  [/u/, 'Held: by its owner'],
  [/o/, 'Held: by an operator'],
  [/s/, 'Held: by the system'],
];
/** The substate of a job that waits for another one. */
const DEPENDS = '22';

/** Why a job waits, in the words of PBS where it has any; undefined if it does not wait. */
export function pbsWaitingWords({ fields }: PbsRecord): string | undefined {
  const letter = fields.get('job_state');
  if (pbsStateOf(letter) !== 'queued') return undefined;
  if (letter === 'W') return `Waiting: until ${fields.get('Execution_Time') ?? 'its time'}`;
  if (letter === 'H') {
    if (fields.get('substate') === DEPENDS) return 'Held: for another job';
    return HOLDS.find(([type]) => type.test(fields.get('Hold_Types') ?? ''))?.[1] ?? 'Held';
  }
  const comment = fields.get('comment');
  // Of the run before: a job that was requeued keeps it until the scheduler has looked at it.
  return comment === undefined || comment.startsWith('Job run at')
    ? 'Not Running: PBS has not looked at it yet'
    : comment;
}
