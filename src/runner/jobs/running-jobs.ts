import { steadyAt } from '../../client/steady-clock.ts';
import type { Fate } from '../../cluster/batch/batch-system.ts';
import type { StepId } from '../../core/contract/files/job.ts';
import type { Repeated } from '../../core/attempt/repeated.ts';
import type { Ahead, ClaimedJob, Need } from '../../core/contract/exchange.ts';
import type { Capacity } from '../claim/capacity.ts';
import { type AttemptOptions, createAttempts } from '../attempt/attempt.ts';
import type { OverRequest, Tally } from '../facts/options.ts';
import { createConclude } from '../attempt/conclude.ts';
import { createFinish } from '../attempt/finish.ts';
import type { OutputDisk } from '../attempt/output-disk.ts';
import { createJobSignals, type Signals } from './signals.ts';
import { createStepLimits, type StepLimitsOptions } from './step-limits.ts';
import { createStepsEnded } from './steps-ended.ts';
import { createEnforcer } from '../observe/memory-limit.ts';
import type { Steps } from '../step/steps.ts';
import { createEnding } from './ending.ts';
import { createFilling, type Filling } from './filling.ts';
import { createPendingJobs, type PendingJobs } from './pending-jobs.ts';
import { createUnderWay } from './under-way.ts';

export interface RunningJobsOptions extends AttemptOptions {
  readonly capacity: Capacity;
  readonly steps: Steps;
  /** The disk of the output of jobs; absent: it is not watched. */
  readonly disk?: OutputDisk | undefined;
  /**
   * Jobs ended and are in the outbox; `count` of them were not announced by `onFreed`. `isQuiet`: their ends make no other job
   * ready, and jobs that were claimed ahead took their places, so there is no hurry to report to the server.
   */
  readonly onEnded: (count: number, isQuiet: boolean) => void;
  /** Slots of this many jobs are free, whose ends are reported later. */
  readonly onFreed?: ((count: number) => void) | undefined;
  /** Is enough of the runner's time left for a job with this need? */
  readonly hasTimeFor?: ((need: Need) => boolean) | undefined;
  /** A step began after a wait. */
  readonly onBegun?: (() => void) | undefined;
  /** See `FinishOptions`. */
  readonly fate?: (() => Promise<Fate>) | undefined;
  /** See `FinishOptions`. */
  readonly hasSteps?: boolean | undefined;
  /** See `FinishOptions`. */
  readonly successWaitMs?: number | undefined;
  /** The warning before the time limit of a step that has one; absent if its workflow asks for none. */
  readonly warning?: Pick<StepLimitsOptions, 'signal' | 'leadSeconds'> | undefined;
  /** What ends its allocation signals the jobs and the runner together. */
  readonly sharesSignals?: boolean | undefined;
  /** Jobs can be started again after a pause. */
  readonly onResumed?: (() => void) | undefined;
  /** Jobs cannot be started here at all, for this reason. */
  readonly onUnable: (reason: string) => void;
}

/** The jobs that a runner holds: running jobs, and jobs that wait for a slot. */
export interface RunningJobs
  extends
    Pick<PendingJobs, 'queued' | 'ahead' | 'after' | 'giveBackOlderThan' | 'giveBackFreed'>,
    Pick<Filling, 'hasRoom' | 'isHeldOff'>,
    Pick<Signals, 'signal' | 'killForMemory'> {
  /** Those that were sent ahead, too: they may begin at any moment. */
  readonly running: number;
  readonly tally: Readonly<Tally>;
  readonly overMemory: OverRequest;
  readonly repeated: Repeated;
  /** Whether jobs are left to the next life of the allocation. */
  readonly hasLeft: boolean;
  /** Accepts claimed jobs and starts those that fit. */
  take(jobs: readonly ClaimedJob[], ahead?: Ahead | null): void;
  /** Ids of all held jobs. */
  held(): number[];
  /** Returns the jobs that were not started; no job starts afterwards, unless it is opened again. */
  stopStarting(): void;
  resumeStarting(): void;
  /** Ends these attempts, whose jobs were canceled; the others go on. */
  readonly endAttempts: ReturnType<typeof createEnding>;
  /** The memory that each running job asked for, by its step. */
  requests(): ReadonlyMap<StepId, number>;
  /** Reports running jobs as if the last signal had ended them: the runner has no time left to wait. */
  abandon(): void;
}

export function createRunningJobs(options: RunningJobsOptions): RunningJobs {
  const { facts, steps, disk, watch, log, onBegun, onEnded, onResumed } = options;
  const { workflowId } = facts;
  const underWay = createUnderWay();
  const pending = createPendingJobs({ ...options, underWay, hasTimeFor: options.hasTimeFor });
  const signals = createJobSignals({ workflowId, underWay, steps, log });
  const limits = options.warning && createStepLimits({ ...options.warning, send: signals.signalAtLimit });
  const attempts = createAttempts(options, pending.over);
  const filling = createFilling({
    ...options,
    underWay,
    pending,
    attempts,
    onBegun(attempt) {
      const { id, limitSeconds } = attempt.step;
      if (limitSeconds !== undefined) limits?.begin(id, steadyAt(attempt.startedAt), limitSeconds);
      onBegun?.();
    },
    onResumed,
    onReported: (job, reported) => (reported === undefined ? onEnded(1, false) : stepsEnded.settle(job, reported)),
  });
  const signaled = () => signals.signaled;
  const { sharesSignals = false, hasSteps = false, successWaitMs = 0, fate } = options;
  const conclude = createConclude({ facts, attempts, disk });
  const { left, finish } = createFinish({
    conclude,
    watch,
    log,
    signaled,
    sharesSignals,
    hasSteps,
    successWaitMs,
    fate,
  });
  const stepsEnded = createStepsEnded({ ...options, sharesSignals, underWay, pending, filling, limits, finish });
  steps.listen(stepsEnded.take);
  watch?.onViolation(createEnforcer({ workflowId, log, kill: signals.killForMemory }));

  const stopStarting = () => {
    filling.endPause();
    pending.close();
    filling.takeBackAll();
  };

  return {
    get queued() {
      return pending.queued + underWay.sentAhead;
    },
    get ahead() {
      return pending.ahead;
    },
    get after() {
      return pending.after;
    },
    get hasRoom() {
      return filling.hasRoom;
    },
    get isHeldOff() {
      return filling.isHeldOff;
    },
    tally: attempts.tally,
    overMemory: attempts.overMemory,
    repeated: attempts.repeated,
    get running() {
      return underWay.count;
    },
    get hasLeft() {
      return left.size > 0;
    },
    take(jobs, ahead) {
      if (jobs.length === 0 && !ahead) return;
      pending.take(jobs, ahead);
      if (pending.isOpen) filling.fill();
      else stopStarting();
    },
    held: () => [...underWay.jobIds(), ...left, ...pending.ids()],
    stopStarting,
    resumeStarting: pending.open,
    giveBackOlderThan: pending.giveBackOlderThan,
    giveBackFreed: pending.giveBackFreed,
    endAttempts: createEnding({ underWay, pending, signals, steps }),
    signal: signals.signal,
    killForMemory: signals.killForMemory,
    requests: () => new Map([...underWay.running].map(([id, { job }]) => [id, job.need.memory_bytes])),
    abandon: () => stepsEnded.take(signals.presumedEnds()),
  };
}
