import { steadyAt } from '../../client/steady-clock.ts';
import type { Repeated } from '../../core/attempt/repeated.ts';
import type { Ahead, ClaimedJob } from '../../core/contract/exchange.ts';
import type { StepId } from '../../core/contract/files/job.ts';
import { createGather, type GatherOptions } from '../attempt/evidence.ts';
import { createAttemptReports, type ReportOptions } from '../attempt/report.ts';
import { createJudge, type JudgeOptions } from '../attempt/result.ts';
import type { Capacity } from '../claim/capacity.ts';
import type { OverRequest, Tally } from '../facts/options.ts';
import { createEnforcer } from '../observe/memory-limit.ts';
import type { Watch } from '../observe/watch.ts';
import type { Steps } from '../step/steps.ts';
import { createEnds } from './ends.ts';
import { createJobStates } from './job-states.ts';
import { createSignals, type Signals, type Termination } from './signals.ts';
import { createStarts } from './starts.ts';
import { createStepLimits } from './step-limits.ts';
import { createWaitingJobs, type WaitingJobs, type WaitingOptions } from './waiting-jobs.ts';

/** What a runner learns of the jobs that it holds. */
export interface HeldEvents {
  /**
   * Jobs ended and are in the outbox; `count` of them were not announced by `freed`. `isQuiet`: their ends make no other job
   * ready, and jobs that were claimed ahead took their places, so there is no hurry to report to the server.
   */
  ended(count: number, isQuiet: boolean): void;
  /** Slots of this many jobs are free, whose ends are reported later. */
  freed(count: number): void;
  /** A step began after a wait. */
  begun(): void;
  /** Jobs can be started again after a pause. */
  resumed(): void;
  /** Jobs cannot be started here at all, for this reason. */
  unable(reason: string): void;
}

export interface HeldOptions
  extends
    JudgeOptions,
    Omit<ReportOptions, 'onOver'>,
    Omit<GatherOptions, 'signaled'>,
    Pick<WaitingOptions, 'hasTimeFor'> {
  readonly capacity: Capacity;
  readonly steps: Steps;
  readonly watch?: Watch | undefined;
  /** The warning before the time limit of a step that has one; absent if its workflow asks for none. */
  readonly warning?: Termination | undefined;
  readonly on: HeldEvents;
}

/** The jobs that a runner holds: running jobs, and jobs that wait for a slot. */
export interface HeldJobs
  extends
    Pick<WaitingJobs, 'ahead' | 'after' | 'giveBackOlderThan' | 'giveBackFreed'>,
    Pick<Signals, 'signal' | 'killForMemory'> {
  /** Those that wait for a slot, and those that were sent ahead. */
  readonly queued: number;
  /** Those that were sent ahead, too: they may begin at any moment. */
  readonly running: number;
  readonly tally: Readonly<Tally>;
  readonly overMemory: OverRequest;
  readonly repeated: Repeated;
  /** Whether jobs are kept for the next life of the allocation. */
  readonly hasKept: boolean;
  /** Whether a job of one CPU and no memory could start now. */
  readonly hasRoom: boolean;
  /** A step was refused just now: no job is wanted until the pause is over. */
  readonly isHeldOff: boolean;
  /** Accepts claimed jobs and starts those that fit. */
  take(jobs: readonly ClaimedJob[], ahead?: Ahead | null): void;
  /** Ids of all held jobs. */
  ids(): number[];
  /** Returns the jobs that were not started; no job starts afterwards, unless it is opened again. */
  stopStarting(): void;
  resumeStarting(): void;
  /** Ends these attempts, whose jobs were canceled; the others go on. */
  readonly cancel: Signals['cancel'];
  /** The memory that each running job asked for, by its step. */
  requests(): ReadonlyMap<StepId, number>;
  /** AttemptReports running jobs as if the last signal had ended them: the runner has no time left to wait. */
  abandon(): void;
}

export function createHeldJobs(options: HeldOptions): HeldJobs {
  const { run, steps, watch, allocation, warning, on } = options;
  const { workflowId, outbox, log } = run;
  const jobs = createJobStates();
  const waiting = createWaitingJobs({ outbox, jobs, hasTimeFor: options.hasTimeFor });
  const signals = createSignals({ run, jobs, steps });
  const limits = warning && createStepLimits({ ...warning, send: signals.signalAtLimit });
  const { overMemory, judge, judgeUnstartable } = createJudge(options);
  const { tally, repeated, report } = createAttemptReports({ ...options, onOver: waiting.over });
  const starts = createStarts({
    ...options,
    jobs,
    waiting,
    watch,
    onBegun({ step: { id, limitSeconds }, startedAt }) {
      if (limitSeconds !== undefined) limits?.begin(id, steadyAt(startedAt), limitSeconds);
      on.begun();
    },
    onResumed: on.resumed,
    onUnstartable(queued, error) {
      const settled = report(judgeUnstartable(queued.job, error));
      if (settled instanceof Promise) ends.settleLater(queued, settled);
      else on.ended(1, false);
    },
    onUnable: on.unable,
  });
  const ends = createEnds({
    ...options,
    jobs,
    waiting,
    starts,
    watch,
    limits,
    gather: createGather({ ...options, signaled: () => signals.signaled }),
    judge,
    report,
    sharesSignals: allocation?.areShared === true,
    onFreed: on.freed,
    onEnded: on.ended,
  });
  steps.listen(ends.take);
  watch?.onViolation(createEnforcer({ workflowId, log, kill: signals.killForMemory }));

  const stopStarting = () => {
    waiting.close();
    starts.stop();
  };

  return {
    get queued() {
      return jobs.queue.length + jobs.sentAhead;
    },
    get ahead() {
      return waiting.ahead;
    },
    get after() {
      return waiting.after;
    },
    get hasRoom() {
      return starts.hasRoom;
    },
    get isHeldOff() {
      return starts.isHeldOff;
    },
    get running() {
      return jobs.underWay;
    },
    get hasKept() {
      return jobs.hasKept;
    },
    tally,
    overMemory,
    repeated,
    take(claimed, ahead) {
      if (claimed.length === 0 && !ahead) return;
      waiting.take(claimed, ahead);
      if (waiting.isOpen) starts.fill();
      else stopStarting();
    },
    ids: () => [...jobs.ids(), ...waiting.aheadIds()],
    stopStarting,
    resumeStarting: waiting.open,
    giveBackOlderThan: waiting.giveBackOlderThan,
    giveBackFreed: waiting.giveBackFreed,
    cancel(attempts, by) {
      waiting.cancel(attempts);
      signals.cancel(attempts, by);
    },
    signal: signals.signal,
    killForMemory: signals.killForMemory,
    requests: () => new Map([...jobs.running].map(([id, { job }]) => [id, job.need.memory_bytes])),
    abandon: () => ends.take(signals.presumedEnds()),
  };
}
