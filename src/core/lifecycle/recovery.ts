import type { CauseCode, HandlerLimit } from '../contract/cause-code.ts';
import type { JobStatus } from '../contract/job-statuses.ts';
import type { Lack } from './resource-use.ts';

/** A job that did not end well, as far as a decision about it needs. */
export interface EndedBadly {
  readonly id: number;
  readonly status: JobStatus;
  readonly returnCode: number | undefined;
  readonly lack: Lack | undefined;
  /** Its peak of memory as a share of its limit; undefined if it was not measured. */
  readonly memoryShare: number | undefined;
  /** What is stored with its result; results of Torc's own runner lack both codes. */
  readonly causeCode: CauseCode | undefined;
  readonly handlerLimit: HandlerLimit | undefined;
  readonly missesOutput: boolean;
  readonly wasCanceledByDependency: boolean;
}

/**
 * Why a job did not end well, by what recovery does about it.
 *
 * `lost`: its runner or its allocation ended; it runs again as it is. `killed`: by SIGKILL of an unknown sender; it runs again as it
 * is, for nothing proves that it lacked memory. `disk`: there was no room for its output. `at maximum`: its failure handler says that it gets no more
 * memory or time. `unknown` and what follows is not repeated unless
 * that is asked for: the same would happen again.
 */
export type Cause =
  | 'memory'
  | 'time'
  | 'cpus'
  | 'at maximum'
  | 'lost'
  | 'killed'
  | 'disk'
  | 'downstream'
  | 'missing output'
  | 'bad command'
  | 'undecided'
  | 'unknown';

const LOST = -128;
const NOT_EXECUTABLE = 126;
const NOT_FOUND = 127;

/** A job that was killed above this share of its memory was killed for its memory: samples miss the last growth. */
const NEAR_LIMIT = 0.9;

/** Ends that say nothing about what the job needs. */
const ENDED_FROM_OUTSIDE: ReadonlySet<CauseCode> = new Set<CauseCode>([
  'node',
  'lost',
  'canceled',
  'unproven',
  'allocation',
]);

/** The cause, by the codes of the result, its return code and its measured use; never by the text of logs. */
export function causeOf(job: EndedBadly): Cause {
  const { status, returnCode, lack, causeCode } = job;
  if (status === 'canceled') return job.wasCanceledByDependency ? 'downstream' : 'lost';
  if (returnCode === LOST) return 'lost';
  if (job.handlerLimit === 'max') return 'at maximum';
  if (causeCode === 'memory' || lack?.memory === 'memory_exceeded') return 'memory';
  const wasKilled = causeCode === 'killed' || (causeCode === undefined && lack?.memory === 'sigkill_137');
  if (wasKilled) return (job.memoryShare ?? 0) >= NEAR_LIMIT ? 'memory' : 'killed';
  if (causeCode !== undefined && ENDED_FROM_OUTSIDE.has(causeCode) && lack?.runtime !== true) return 'lost';
  if (causeCode === 'time' || lack?.timeout === true || lack?.runtime === true) return 'time';
  if (lack?.cpu === true) return 'cpus';
  // The runner stopped it: its allocation ended, or was canceled.
  if (status === 'terminated') return 'lost';
  if (causeCode === 'disk') return 'disk';
  if (returnCode === NOT_FOUND || returnCode === NOT_EXECUTABLE) return 'bad command';
  if (returnCode === 1 && job.missesOutput) return 'missing output';
  // What these rules know needs no decision, though the job waits for one.
  return status === 'pending_failed' ? 'undecided' : 'unknown';
}

/** What recovery does about a job without being asked for more. */
const REPEATED: ReadonlySet<Cause> = new Set<Cause>(['memory', 'time', 'cpus', 'lost', 'killed', 'disk']);

export interface RecoveryPlan<Job> {
  readonly byCause: ReadonlyMap<Cause, readonly Job[]>;
  readonly retried: readonly Job[];
  /** Left as they are. */
  readonly left: readonly Job[];
}

/** Jobs that were canceled because of another follow it: an initialization makes them run behind it. */
export function planRecovery<Job>(
  jobs: readonly (Job & { readonly why: Cause })[],
  { retriesUnknown }: { readonly retriesUnknown: boolean },
): RecoveryPlan<Job & { readonly why: Cause }> {
  const own = jobs.filter(({ why }) => why !== 'downstream');
  const isRetried = ({ why }: { readonly why: Cause }) => retriesUnknown || REPEATED.has(why);
  return {
    byCause: Map.groupBy(own, ({ why }) => why),
    retried: own.filter(isRetried),
    left: own.filter((job) => !isRetried(job)),
  };
}

interface Counts {
  readonly waiting: number;
  readonly running: number;
  readonly failed: number;
}

interface Standing {
  readonly workflowId: number;
  readonly counts: Counts;
  readonly isCanceled: boolean;
  readonly isUninitialized: boolean;
  readonly activeRunners: number;
  readonly openAllocations: number;
  /** Records were corrected just now: if nothing is left to do then, that is a success. */
  readonly isCorrected: boolean;
}

/** Why a workflow cannot be recovered now; undefined if it can. */
export function refusalOfRecovery({
  workflowId: id,
  counts,
  isCanceled,
  isUninitialized,
  activeRunners,
  openAllocations,
  isCorrected,
}: Standing): string | undefined {
  if (isCanceled)
    return `it is canceled; torc workflows reset-status ${id} --failed-only --reinitialize starts it again`;
  // A workflow without jobs has none that was initialized.
  if (isUninitialized && counts.waiting + counts.running + counts.failed > 0)
    return `it was never initialized; torc run ${id} or torc submit ${id} starts it`;
  if (openAllocations > 0)
    return `${openAllocations} of its allocations wait or run; torc status ${id} shows them, torc cancel ${id} ends them`;
  if (activeRunners > 0) return `${activeRunners} of its runners are active; torc compute-nodes list ${id} shows them`;
  if (counts.running > 0) return `${counts.running} of its jobs run or are about to`;
  if (counts.failed + counts.waiting === 0 && !isCorrected) return 'no job failed and none waits';
  return undefined;
}
