import type { Fate } from '../../cluster/slurm/ending.ts';
import { STDIO_FOLDER, type StepId } from '../../core/contract/files/job.ts';
import { constants } from 'node:os';
import type { Ahead, ClaimedJob, Need } from '../../core/contract/exchange.ts';
import { createAheadJobs, type Parent } from '../claim/ahead.ts';
import type { NodeSize } from '../../core/lifecycle/placement.ts';
import {
  type Attempt,
  type AttemptOptions,
  createAttempts,
  type EndTime,
  endTimeOf,
  type Tally,
} from '../end/attempt.ts';
import type { Capacity, Lease } from '../claim/capacity.ts';
import { LaunchError } from '../launch/launcher.ts';
import { createEnforcer } from '../observe/memory-limit.ts';
import type { EndedFor } from '../end/outcome.ts';
import { OutputFolderError } from './output-folders.ts';
import { createFinish } from '../end/finish.ts';
import { createStartPause } from './start-pause.ts';
import { reportUnstartable } from './unstartable.ts';
import { createWaitingJobs } from './waiting-jobs.ts';
import type { Account, StartedStep, StepEnd, Steps } from '../step/steps.ts';

/** A running job with its lease. */
interface Running extends Attempt {
  readonly lease: Lease;
  isBegun: boolean;
}

/** A step that ended, and when. */
interface Ended {
  readonly attempt: Running;
  readonly end: EndTime;
  readonly stepEnd: StepEnd;
}

export interface RunningJobsOptions extends AttemptOptions {
  readonly capacity: Capacity;
  readonly steps: Steps;
  /**
   * Jobs ended and are in the outbox. `isQuiet`: their ends make no other job ready, and jobs that were claimed ahead took
   * their places, so there is no hurry to tell the server.
   */
  readonly onEnded: (count: number, isQuiet: boolean) => void;
  /** Is enough of the runner's time left for a job with this need? */
  readonly hasTimeFor?: ((need: Need) => boolean) | undefined;
  /** A step began after a wait. */
  readonly onBegun?: (() => void) | undefined;
  /** Why the allocation is being ended. If it starts again its jobs run again, and are not reported. */
  readonly fate?: (() => Promise<Fate>) | undefined;
  /** Jobs can be started again after a pause. */
  readonly onResumed?: (() => void) | undefined;
  /** Jobs cannot be started here at all, for this reason. */
  readonly onUnable: (reason: string) => void;
}

/** The jobs that a runner holds: running jobs, and jobs that wait for a slot. */
export interface RunningJobs {
  readonly queued: number;
  readonly running: number;
  /** Jobs that were claimed ahead and wait for others that this runner holds. */
  readonly ahead: number;
  readonly tally: Readonly<Tally>;
  /** Whether jobs are left to the next life of the allocation. */
  readonly hasLeft: boolean;
  /** Accepts claimed jobs and starts those that fit. */
  take(jobs: readonly ClaimedJob[], ahead?: Ahead | null): void;
  /** Held jobs whose dependants the server has not looked at. */
  readonly after: readonly number[];
  /** Whether a job of one CPU and no memory could start now. */
  readonly hasRoom: boolean;
  /** A step was refused just now: no job is wanted until the pause is over. */
  readonly isHeldOff: boolean;
  /** Ids of all held jobs. */
  held(): number[];
  /** Returns the jobs that were not started; no job starts afterwards, unless it is opened again. */
  stopStarting(): void;
  resumeStarting(): void;
  /** Returns jobs that have waited longer than this for a slot. */
  giveBackOlderThan(ageMs: number): void;
  /** Gives back jobs that were claimed ahead, may start and find no slot. */
  giveBackFreed(): void;
  /** Sends a signal to every running job. */
  signal(signal: NodeJS.Signals, endedFor: EndedFor): void;
  /** The memory that each running job asked for, by its step. */
  requests(): ReadonlyMap<StepId, number>;
  /** Kills a step, whose end then is one by memory; undefined if it has ended. */
  killForMemory(id: StepId): StartedStep['about'] | undefined;
  /** Reports running jobs as if the last signal had ended them: the runner has no time left to wait. */
  abandon(): void;
}

/** Pause before a launch is repeated that failed because of missing processes or memory. */
const RETRY_LAUNCH_MS = 100;
/**
 * Pause after a step was refused. Its job is ready again, and this runner may claim it: too short, and both ask in circles;
 * too long, and free CPUs wait for a batch system that was busy for a moment.
 */
const AFTER_REFUSAL_MS = 5_000;

export function createRunningJobs(options: RunningJobsOptions): RunningJobs {
  const { facts, capacity, steps, ledger, outbox, watch, log, onEnded, onBegun, onResumed, onUnable } = options;
  const queue = createWaitingJobs(() => performance.now());
  const ahead = createAheadJobs();
  /** Held jobs whose end makes no job ready that somebody else could take. */
  const settled = new Set<number>();
  let after: readonly number[] = [];
  /** Jobs that were claimed ahead came into the queue since it was last worked off. */
  let isFreed = false;
  const running = new Map<StepId, Running>();
  /** Ended, but not final: its account is awaited, outputs are checked, or a recovery script runs. */
  const settling = new Set<number>();
  /**
   * Ended, and not yet reported or being checked. Without it, a launch that fails in between would end the runner too
   * early.
   */
  let reaped = 0;
  const attempts = createAttempts(options, (id, isCompleted) => {
    if (isCompleted) for (const job of ahead.completed(id)) enqueueFreed(job);
    else giveBack(ahead.gone(id));
  });
  let isOpen = true;
  const startPause = createStartPause(AFTER_REFUSAL_MS, () => {
    fill();
    onResumed?.();
  });
  /** Why the runner signaled its jobs last. */
  let signaledFor: EndedFor | undefined;
  const { left, finish } = createFinish({
    attempts,
    watch,
    log,
    signaledFor: () => signaledFor,
    fate: options.fate,
  });

  const giveBack = (ids: readonly number[]) => {
    if (ids.length > 0) outbox.returned(ids);
  };

  /** Gives back what waits in the queue, and what was claimed ahead and waits for that. */
  const giveBackQueued = (jobs: readonly ClaimedJob[]) => {
    giveBack(jobs.flatMap(({ id }) => [id, ...ahead.gone(id)]));
  };

  /** The attempts that run or wait for a slot. */
  const known = () => new Set([...[...running.values()].map(({ job }) => job), ...queue.jobs()].map(attemptOf));

  /** A job that was claimed ahead waits for nothing any more: it goes before those of lower priority. */
  const enqueueFreed = (job: ClaimedJob) => {
    if (known().has(attemptOf(job))) return;
    if (!isOpen || options.hasTimeFor?.(job.need) === false) {
      giveBack([job.id, ...ahead.gone(job.id)]);
      return;
    }
    queue.addFreed(job);
    isFreed = true;
  };
  const fillFreed = () => {
    if (!isFreed) return;
    isFreed = false;
    fill();
  };

  /** What became of a job that another waits for. An end that the server may not know yet is in the outbox. */
  const parentOf = (id: number): Parent => {
    if (settling.has(id)) return 'open';
    for (const { job } of running.values()) if (job.id === id) return 'open';
    if (queue.jobs().some((job) => job.id === id)) return 'open';
    return outbox.untold().findLast(({ job_id: ended }) => ended === id)?.status === 'completed' ? 'completed' : 'gone';
  };

  const takeAhead = ({ jobs, rest, settled: quiet }: Ahead) => {
    const { free, gone } = ahead.add(jobs, parentOf);
    for (const job of free) enqueueFreed(job);
    giveBack(gone);
    after = rest;
    for (const id of quiet) settled.add(id);
  };

  /** Starts the jobs that fit, in order, and skips the others. */
  const fill = () => {
    if (!isOpen || startPause.isOn) return;
    queue.startFitting({
      isFull: () => capacity.free().cpus <= 0,
      lease: ({ need }) => capacity.lease(need),
      start,
    });
  };

  /** False if no more jobs can be started for now. */
  const start = (job: ClaimedJob, lease: Lease): boolean => {
    const startedAtMs = Date.now();
    const startedAt = performance.now();
    ledger.start(job.id, job.attempt_id);
    try {
      const step = steps.start(job, lease);
      const attempt: Running = {
        job,
        lease,
        step,
        startedAtMs,
        startedAt,
        isBegun: false,
        endedFor: undefined,
        wasKilled: false,
      };
      running.set(step.id, attempt);
      watch?.begin(step.id, job);
      if (step.begun === undefined) begun(attempt);
      else void step.begun.then((agoMs) => beganLater(attempt, agoMs));
      return true;
    } catch (error) {
      capacity.release(lease);
      if (!(error instanceof LaunchError)) throw error;
      return notStarted(job, startedAtMs, error);
    }
  };

  const begun = (attempt: Running) => {
    const { job, startedAtMs } = attempt;
    outbox.started({ job_id: job.id, attempt_id: job.attempt_id, start_time: new Date(startedAtMs).toISOString() });
    logStart(attempt);
  };
  const logStart = (attempt: Running) => {
    const { job, step } = attempt;
    attempt.isBegun = true;
    log.write('info', 'Job started', {
      workflow_id: facts.workflowId,
      job_id: job.id,
      job_name: job.name,
      ...step.about,
    });
  };
  /** It waited for its turn before: that is not its time. */
  const beganLater = (attempt: Running, agoMs: number) => {
    if (!running.has(attempt.step.id)) return;
    const nowMs = Date.now();
    attempt.startedAtMs = nowMs - agoMs;
    attempt.startedAt = performance.now() - agoMs;
    begun(attempt);
    onBegun?.();
  };

  const notStarted = (job: ClaimedJob, startedAtMs: number, error: LaunchError): boolean => {
    if (error.isPassing) {
      log.write('warn', 'Job not started, trying again', { job_id: job.id, error: error.message });
      queue.putBack(job);
      startPause.begin(RETRY_LAUNCH_MS, 'launch');
      return false;
    }
    if (error.code === 'E2BIG' || error instanceof OutputFolderError) {
      const reported = reportUnstartable(job, error, startedAtMs, { facts, attempts, log });
      if (reported === undefined) onEnded(1, false);
      else settle(job, reported);
      return true;
    }
    queue.putBack(job);
    onUnable(
      `job ${job.id} (${job.name}) could not be started: ${error.message}, output folder ${facts.outputDir}/${STDIO_FOLDER}`,
    );
    return false;
  };

  /** Undefined if the result is final at once. */
  const finishStep = ({ attempt, end }: Ended, account: Account): Promise<void> | undefined => {
    if (account.refused !== undefined) return refused(attempt, account.refused);
    // It ended before it was seen to begin; its end reports both.
    if (!attempt.isBegun) logStart(attempt);
    return finish(attempt, end, account);
  };

  const refused = ({ job, step }: Running, reason: string): undefined => {
    watch?.end(step.id);
    log.write('warn', 'Job not started: its step was refused; the job is given back', { job_id: job.id, reason });
    giveBack([job.id, ...ahead.gone(job.id)]);
    if (isOpen) startPause.begin(AFTER_REFUSAL_MS, 'refusal');
  };

  const settle = (job: ClaimedJob, reported: Promise<void>) => {
    settling.add(job.id);
    void reported.then(() => {
      settling.delete(job.id);
      settled.delete(job.id);
      fillFreed();
      ledger.flush();
      onEnded(1, false);
    });
  };

  const held = () => [
    ...[...running.values()].map(({ job }) => job.id),
    ...settling,
    ...left,
    ...queue.jobs().map(({ id }) => id),
    ...ahead.ids(),
  ];

  const stopStarting = () => {
    isOpen = false;
    startPause.end();
    giveBackQueued(queue.clear());
    giveBack(ahead.clear());
    settled.clear();
    after = [];
  };

  const onStepsEnded = (stepEnds: readonly StepEnd[]) => {
    const before = capacity.free();
    const ended = stepEnds.flatMap((stepEnd): Ended[] => {
      const attempt = running.get(stepEnd.id);
      if (attempt === undefined) return [];
      running.delete(stepEnd.id);
      capacity.release(attempt.lease);
      return [{ attempt, end: endTimeOf(attempt), stepEnd }];
    });
    reaped = ended.length;
    // The next jobs first: everything else can wait.
    fill();
    let told = 0;
    let isQuiet = true;
    for (const each of ended) {
      const { job } = each.attempt;
      const account = steps.account(each.stepEnd);
      if (account instanceof Promise) {
        settle(
          job,
          account.then((later) => finishStep(each, later)),
        );
        continue;
      }
      const reported = finishStep(each, account);
      if (reported !== undefined) {
        settle(job, reported);
        continue;
      }
      isQuiet = settled.delete(job.id) && account.exitCode === 0 && isQuiet;
      told += 1;
    }
    fillFreed();
    reaped = 0;
    ledger.flush();
    if (told > 0) onEnded(told, isQuiet && !hasMore(capacity.free(), before));
  };
  steps.listen(onStepsEnded);

  const killForMemory = (id: StepId) => {
    const attempt = running.get(id);
    if (attempt === undefined) return undefined;
    attempt.endedFor ??= 'memory';
    attempt.wasKilled = true;
    steps.kill(id);
    return attempt.step.about;
  };
  watch?.onViolation(createEnforcer({ workflowId: facts.workflowId, log, kill: killForMemory }));

  return {
    get queued() {
      return queue.size;
    },
    get running() {
      return running.size + settling.size + reaped;
    },
    get hasRoom() {
      return isOpen && !startPause.isOn && capacity.free().cpus > 0;
    },
    get isHeldOff() {
      return startPause.isForRefusal;
    },
    get ahead() {
      return ahead.size;
    },
    get after() {
      return after;
    },
    tally: attempts.tally,
    get hasLeft() {
      return left.size > 0;
    },
    take(jobs, claimed) {
      if (jobs.length === 0 && !claimed) return;
      // A held job must not start twice, even if the server assigns it again.
      const held = known();
      queue.add(jobs.filter((job) => !held.has(attemptOf(job))));
      if (claimed) takeAhead(claimed);
      isFreed = false;
      if (isOpen) fill();
      else stopStarting();
    },
    held,
    stopStarting,
    resumeStarting() {
      isOpen = true;
    },
    giveBackOlderThan: (ageMs) => giveBackQueued(queue.takeOlderThan(ageMs)),
    giveBackFreed: () => giveBackQueued(queue.takeFreed()),
    signal(signal, endedFor) {
      signaledFor = endedFor;
      for (const attempt of running.values()) {
        attempt.endedFor ??= endedFor;
        if (signal === 'SIGKILL') attempt.wasKilled = true;
        log.write('info', `Job ${signal}`, { workflow_id: facts.workflowId, job_id: attempt.job.id });
        steps.signal(attempt.step.id, signal);
      }
    },
    requests: () => new Map([...running].map(([id, { job }]) => [id, job.need.memory_bytes])),
    killForMemory,
    abandon() {
      const unknown = { exitCode: undefined, cpuSeconds: undefined, peakBytes: undefined };
      const signal = constants.signals.SIGKILL;
      for (const { step, job } of running.values()) {
        const which = { workflow_id: facts.workflowId, job_id: job.id, ...step.about };
        log.write('error', 'Job does not end after SIGKILL; the runner exits without it', which);
      }
      onStepsEnded([...running.keys()].map((id) => ({ id, signal, ...unknown })));
    },
  };
}

/** Is there more of anything than before? */
const hasMore = (now: NodeSize, before: NodeSize): boolean =>
  now.cpus > before.cpus || now.memoryBytes > before.memoryBytes || now.gpus > before.gpus;

const attemptOf = ({ id, attempt_id: attempt }: ClaimedJob) => `${id} ${attempt}`;
