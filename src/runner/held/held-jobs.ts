import { steadyAt } from '../../client/steady-clock.ts';
import type { Ahead, ClaimedJob, HeldAttempt } from '../../core/contract/exchange.ts';
import type { StepId } from '../../core/contract/files/job.ts';
import { createGather, type GatherOptions } from '../attempt/evidence.ts';
import { createAttemptReports, type ReportOptions } from '../attempt/report.ts';
import { createJudge, type JudgeOptions } from '../attempt/result.ts';
import type { Capacity } from '../claim/capacity.ts';
import { createEnforcer } from '../observe/memory-limit.ts';
import type { Watch } from '../observe/watch.ts';
import type { Steps } from '../step/steps.ts';
import { createEnds, type HeldEvents } from './ends.ts';
import { createJobStates } from './job-states.ts';
import { createSignals, type Termination } from './signals.ts';
import { createStarts } from './starts.ts';
import { createStepLimits } from './step-limits.ts';
import { createWaitingJobs, type WaitingOptions } from './waiting-jobs.ts';

export interface HeldOptions
  extends
    JudgeOptions,
    Omit<ReportOptions, 'onOver'>,
    Omit<GatherOptions, 'signaled'>,
    Pick<WaitingOptions, 'hasTimeFor'> {
  readonly capacity: Capacity;
  readonly steps: Steps;
  readonly watch?: Watch | undefined;
  /** How a job is asked to end that reaches a limit of its time; absent: jobs have none. */
  readonly termination?: Termination | undefined;
  /** Steps are warned before the time limit of their own, because their workflow asks for that. */
  readonly warnsSteps?: boolean | undefined;
  readonly on: HeldEvents;
}

export type HeldJobs = ReturnType<typeof createHeldJobs>;

/** The jobs that a runner holds: running jobs, and jobs that wait for a slot. */
export function createHeldJobs(options: HeldOptions) {
  const { run, capacity, steps, watch, allocation, disk, retry, crate, onJobEnded, hasTimeFor, termination, on } =
    options;
  const { workflowId, outbox, log } = run;
  const jobs = createJobStates();
  const waiting = createWaitingJobs({ outbox, jobs, hasTimeFor });
  const signals = createSignals({ run, jobs, steps });
  const limits = termination && createStepLimits({ ...termination, send: signals.signalAtLimit });
  const { overMemory, judge, judgeUnstartable } = createJudge(options);
  const { tally, repeated, report } = createAttemptReports({ run, retry, crate, onJobEnded, onOver: waiting.over });
  const starts = createStarts({
    run,
    jobs,
    waiting,
    capacity,
    steps,
    watch,
    limitTime({ job, step: { id, limitSeconds }, startedAt }) {
      const timeout = options.timeoutOf?.(job);
      if (timeout !== undefined) limits?.beginTimeout(id, steadyAt(startedAt), timeout.seconds);
      if (limitSeconds !== undefined && options.warnsSteps === true)
        limits?.begin(id, steadyAt(startedAt), limitSeconds);
    },
    onBegun: on.begun,
    onResumed: on.resumed,
    onUnstartable(queued, error) {
      const settled = report(judgeUnstartable(queued.job, error));
      if (settled instanceof Promise) ends.settleLater(queued, settled);
      else on.ended(1, false);
    },
    onUnable: on.unable,
  });
  const ends = createEnds({
    run,
    jobs,
    waiting,
    starts,
    capacity,
    steps,
    watch,
    limits,
    attempts: { gather: createGather({ run, disk, allocation, signaled: () => signals.signaled }), judge, report },
    sharesSignals: allocation?.areShared === true,
    on,
  });
  steps.listen(ends.take);
  watch?.onViolation(createEnforcer({ workflowId, log, kill: signals.killForMemory }));

  const stopStarting = () => {
    waiting.close();
    starts.stop();
  };

  return {
    /** Those that wait for a slot, and those that were sent ahead. */
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
    /** Those that were sent ahead, too: they may begin at any moment. */
    get running() {
      return jobs.underWay;
    },
    get hasKept() {
      return jobs.hasKept;
    },
    tally,
    overMemory,
    repeated,
    /** Accepts claimed jobs and starts those that fit. */
    take(claimed: readonly ClaimedJob[], ahead?: Ahead | null) {
      if (claimed.length === 0 && !ahead) return;
      waiting.take(claimed, ahead);
      if (waiting.isOpen) starts.fill();
      else stopStarting();
    },
    /** Of all held jobs. */
    ids: () => [...jobs.ids(), ...waiting.aheadIds()],
    /** Returns the jobs that were not started; no job starts afterwards, unless it is opened again. */
    stopStarting,
    resumeStarting: waiting.open,
    /** There may be room for jobs that wait. */
    startWaiting: starts.fill,
    giveBackOlderThan: waiting.giveBackOlderThan,
    giveBackFreed: waiting.giveBackFreed,
    /** Ends these attempts, whose jobs were canceled; the others go on. */
    cancel(attempts: readonly HeldAttempt[], by: Termination) {
      waiting.cancel(attempts);
      signals.cancel(attempts, by);
    },
    signal: signals.signal,
    killForMemory: signals.killForMemory,
    /** The memory that each running job asked for, by its step. */
    requests: (): ReadonlyMap<StepId, number> =>
      new Map([...jobs.running].map(([id, { job }]) => [id, job.need.memory_bytes])),
    /** Reports running jobs as if the last signal had ended them: the runner has no time left to wait. */
    abandon: () => ends.take(signals.presumedEnds()),
  };
}
