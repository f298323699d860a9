import { type Again, CAUSES } from '../../attempt/cause.ts';
import { NEAR_LIMIT } from '../../attempt/judge.ts';
import type { CauseCode, HandlerLimit } from '../../contract/cause-code.ts';
import type { JobStatus } from '../../job/job-statuses.ts';
import type { Lack } from '../resources/resource-use.ts';

/** A job that did not end well, as far as a decision about it needs. */
export interface EndedBadly {
  readonly status: JobStatus;
  readonly lack: Lack | undefined;
  /** It was ended at its timeout. */
  readonly isAtTimeout?: boolean;
  /** Its peak of memory as a share of its limit; undefined if it was not measured. */
  readonly memoryShare: number | undefined;
  /** Undefined if nothing proves one. */
  readonly causeCode: CauseCode | undefined;
  readonly handlerLimit: HandlerLimit | undefined;
  /** A job that it waits for failed or was stopped; undefined if a user canceled it. */
  readonly canceledBehind: 'failure' | 'stop' | undefined;
}

/** Why a recovery repeats a job or leaves it: its cause, or what was measured or decided besides. */
export type Why = CauseCode | 'cpus' | 'at_timeout' | 'at_maximum' | 'behind_stop' | 'undecided' | 'unknown';

export interface Repair {
  readonly did: readonly [one: string, several: string];
  readonly again: Again | 'with more CPUs';
}

const { memory, time, ...others } = CAUSES;

/** In the order in which a person reads them. What is not repeated would end the same way again. */
export const REPAIRS: Readonly<Record<Why, Repair>> = {
  memory,
  time,
  cpus: { did: ['used more CPUs than requested', 'used more CPUs than requested'], again: 'with more CPUs' },
  // Its bound was set by a person, and a job that hangs would hang there again: on_timeout of a failure handler repeats it.
  at_timeout: { did: ['reached its timeout', 'reached their timeout'], again: 'no' },
  at_maximum: {
    did: ['had all that its failure handler allows', 'had all that their failure handler allows'],
    again: 'no',
  },
  ...others,
  behind_stop: {
    did: ['was canceled behind a job that was stopped', 'were canceled behind jobs that were stopped'],
    again: 'as it is',
  },
  undecided: {
    did: ['waits for a decision (pending_failed)', 'wait for a decision (pending_failed)'],
    again: 'no',
  },
  unknown: { did: ['failed for an unknown reason', 'failed for an unknown reason'], again: 'no' },
};

export const WHYS = Object.keys(REPAIRS) as Why[];

/** Ends that say nothing about what the job needs. */
const ENDED_FROM_OUTSIDE: ReadonlySet<CauseCode> = new Set<CauseCode>(['node', 'canceled', 'unproven', 'allocation']);

/** Why, by the cause of the result and its measured use; never by the text of logs. */
export function whyOf({ status, lack, causeCode, ...job }: EndedBadly): Why {
  if (status === 'canceled')
    return job.canceledBehind === 'failure' ? 'dependency' : job.canceledBehind === 'stop' ? 'behind_stop' : 'canceled';
  if (causeCode === 'lost') return 'lost';
  if (job.isAtTimeout === true) return 'at_timeout';
  if (job.handlerLimit === 'max') return 'at_maximum';
  if (causeCode === 'memory' || lack?.memory === 'memory_exceeded') return 'memory';
  if (causeCode === 'killed') return 'killed';
  // Results of Torc's own runner: the code is that for memory, and also that of any other SIGKILL.
  if (lack?.memory !== undefined) return (job.memoryShare ?? 0) >= NEAR_LIMIT ? 'memory' : 'killed';
  if (causeCode !== undefined && ENDED_FROM_OUTSIDE.has(causeCode) && lack?.runtime !== true) return causeCode;
  if (lack?.timeout === true || lack?.runtime === true) return 'time';
  if (lack?.cpu === true) return 'cpus';
  // More time would not help: the end of its runner came long before its own.
  if (causeCode === 'time') return 'stopped';
  if (status === 'terminated') return causeCode ?? 'stopped';
  // What is known of its cause needs no decision, though the job waits for one.
  if (causeCode === undefined || causeCode === 'exit')
    return status === 'pending_failed' ? 'undecided' : (causeCode ?? 'unknown');
  return causeCode;
}

/** Where an end came from: the job itself, a runner or a node that was lost with it, or what is known to have ended it from outside. */
export type EndOrigin = 'itself' | 'loss' | 'outside';

/** From outside, or the job ends its runner or its node. */
const LOSSES: ReadonlySet<Why> = new Set<Why>(['lost', 'node']);
const FROM_OUTSIDE: ReadonlySet<Why> = new Set<Why>(['allocation', 'canceled', 'stopped', 'unproven']);

/**
 * The end of the time of a runner counts as that of the job: it takes longer than what it gets. So does a kill by an unknown process: the
 * job may have sent it.
 */
export function originOf(why: Why, causeCode: CauseCode | undefined): EndOrigin {
  if (LOSSES.has(why)) return 'loss';
  return FROM_OUTSIDE.has(why) && causeCode !== 'time' ? 'outside' : 'itself';
}

export interface RecoveryDecision<Job> {
  readonly byCause: ReadonlyMap<Why, readonly Job[]>;
  readonly retried: readonly Job[];
  /** Left as they are. */
  readonly left: readonly Job[];
}

interface Repeats {
  readonly retriesUnknown: boolean;
  /** Jobs that are left whatever their cause is. */
  readonly leaves?: ReadonlySet<number> | undefined;
}

/** Jobs that were canceled because of another follow it: an initialization makes them run behind it. */
export function planRecovery<Job extends { readonly id: number; readonly why: Why }>(
  jobs: readonly Job[],
  { retriesUnknown, leaves }: Repeats,
): RecoveryDecision<Job> {
  const own = jobs.filter(({ why }) => why !== 'dependency');
  const isRetried = ({ id, why }: Job) => leaves?.has(id) !== true && (retriesUnknown || REPAIRS[why].again !== 'no');
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
    return `${openAllocations} of its allocations wait or run; torc status ${id} shows them, torc watch ${id} --recover waits for their end, torc cancel ${id} ends them`;
  if (activeRunners > 0)
    return `${activeRunners} of its runners are active; torc compute-nodes list ${id} shows them, torc watch ${id} --recover waits for their end`;
  if (counts.running > 0) return `${counts.running} of its jobs run or are about to`;
  if (counts.failed + counts.waiting === 0 && !isCorrected) return 'no job failed and none waits';
  return undefined;
}
