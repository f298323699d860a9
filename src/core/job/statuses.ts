import { type JobStatus, jobStatuses } from './job-statuses.ts';

/**
 * What the statuses of a job mean, as sets with a name: the only lists of statuses in the sources.
 *
 * A status that is added takes its place here, and everything that counts jobs, decides about them or selects them in SQL
 * follows: TypeScript by `has`, `isOneOf` and `countOf`, SQL by `anyOf` of `server/records/rows/status.ts`.
 * `tests/status-lists.test.ts` refuses lists elsewhere.
 */

/** Some statuses, by what they mean together. */
export type StatusSet = ReadonlySet<JobStatus>;

const setOf = (...parts: readonly (JobStatus | StatusSet)[]): StatusSet =>
  new Set(parts.flatMap((part) => (typeof part === 'string' ? [part] : [...part])));

/** It waits for jobs that come before it, or for a runner. */
export const WAITS = setOf('ready', 'blocked');
/** No runner has it: it has not been initialized, or it waits. */
export const UNCLAIMED = setOf(WAITS, 'uninitialized');
/** `torc run` can begin with it, without another job before it. */
export const STARTABLE = setOf('uninitialized', 'ready');
/** A runner holds it: it has claimed it, and perhaps started it. */
export const HELD = setOf('pending', 'running');
/** Its process runs. One that a runner has only claimed does not. */
export const RUNS_NOW = setOf('running');
/** It has not started, and may start without a decision of the user. One that a runner has claimed ahead is among them. */
export const NOT_RUN = setOf(UNCLAIMED, 'pending');
/** It goes on by itself. Where no job does, nothing makes a blocked one ready. */
export const UNDER_WAY = setOf('ready', HELD);
/** Its attempt failed, and a user decides whether it runs again. Until then its workflow does not end. */
export const WAITS_FOR_DECISION = setOf('pending_failed');
/** Its workflow has not ended because of it. */
export const OPEN = setOf(UNCLAIMED, HELD, WAITS_FOR_DECISION);
/** A user may cancel it: it has been initialized, and has not ended. */
export const CANCELABLE = setOf(WAITS, HELD, WAITS_FOR_DECISION);
/** It takes no part in the run: it has not been initialized, or a user has disabled it. */
export const NOT_BEGUN = setOf('uninitialized', 'disabled');
/** What waits for it waits for a user. */
export const WAITS_FOR_USER = setOf(WAITS_FOR_DECISION, 'disabled');

/** It completed. */
export const SUCCEEDED = setOf('completed');
/**
 * It failed. `pending_failed` counts as failed, though its workflow goes on: its command did not succeed, it has a result
 * that says why, and `--retry-failed` runs it again. What is said of it besides is that it waits for a decision.
 */
export const FAILED = setOf('failed', WAITS_FOR_DECISION);
/** Something ended it before its own end: a time limit, a signal, a user, or a job that it needed and that failed. */
export const STOPPED = setOf('terminated', 'canceled');
/** It has ended, and not well. */
export const UNSUCCESSFUL = setOf('failed', STOPPED);
/** It has ended, so that its workflow can continue. */
export const ENDED = setOf(SUCCEEDED, UNSUCCESSFUL);
/** A runner may report it as the end of an attempt; only a user or a new run changes it. */
export const REPORTED = setOf(ENDED, WAITS_FOR_DECISION);
/** What a recovery looks at: it did not end well, or waits for a decision. */
export const RECOVERABLE = setOf(UNSUCCESSFUL, WAITS_FOR_DECISION);
/** An attempt at it ended, and not well: its result says why. One that was canceled before it started has no result. */
export const ENDED_BADLY = setOf('failed', 'terminated', WAITS_FOR_DECISION);
/** An attempt at it ended: it has a result. */
export const RAN = setOf(SUCCEEDED, ENDED_BADLY);
/** Nothing stopped it. */
export const RAN_TO_ITS_END = setOf(SUCCEEDED, 'failed');
/** `retry_job` takes it, as in Torc 1.0.0. */
export const RETRIABLE = setOf(RUNS_NOW, 'failed', 'terminated');
/** The runner lets go of the attempt before it reports this: a user changes to these statuses by hand, too. */
export const LET_GO_FIRST = setOf('canceled', WAITS_FOR_DECISION);

/** An end that an initialization keeps, unless an input changed. Of the ends only `terminated` is not kept, as in Torc 1.0.0. */
export const KEEPS_ITS_END = setOf(RAN_TO_ITS_END, 'canceled');
/** An initialization leaves it as it is. */
export const SETTLED = setOf(KEEPS_ITS_END, 'disabled');
/** The run after an initialization executes it in any case. A workflow whose jobs are held is not initialized. */
export const RUNS_AGAIN = setOf(...jobStatuses.filter((status) => !SETTLED.has(status) && !HELD.has(status)));

/** Those whose number `watch` prints always, in the order of Torc 1.0.0. */
export const ALWAYS_COUNTED = setOf(WAITS, RUNS_NOW, RAN_TO_ITS_END);
/** All statuses in the order in which bars and lists show them: what is done, what runs, what went wrong, what is left. */
export const SHOWN_ORDER = setOf(SUCCEEDED, RUNS_NOW, HELD, FAILED, STOPPED, NOT_RUN, ...jobStatuses);

/** Numbers of jobs by status; a status without jobs may be left out. */
export type Counts = Readonly<Partial<Record<JobStatus, number>>>;

/** How many jobs are in one of these. */
export function countOf(counts: Counts, ...sets: readonly StatusSet[]): number {
  let jobs = 0;
  for (const status of setOf(...sets)) jobs += counts[status] ?? 0;
  return jobs;
}

/** Whether a status, which a record may lack, is one of these. */
export const isOneOf = (statuses: StatusSet, status: string | null | undefined): boolean =>
  statuses.has(status as JobStatus);

/**
 * Whether the end of the job cancels the dependents that request it.
 *
 * A failed job whose return code is 0 does not cancel them, as in Torc 1.0.0.
 */
export const cancelsDependents = (status: JobStatus, returnCode: number | undefined): boolean =>
  STOPPED.has(status) || (status === 'failed' && returnCode !== 0);
