import { filesOf, STDIO_FOLDER, type StepId } from '../../core/contract/files/job.ts';
import { writeFileSync } from 'node:fs';
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
import { lookForOutputs } from '../end/outputs.ts';
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

/** A job that waits for a slot. `isFreed`: it was claimed ahead, and what it waited for has completed. */
interface Queued {
  readonly job: ClaimedJob;
  readonly sinceMs: number;
  readonly isFreed: boolean;
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
  /** Whether the allocation that is being ended starts again: then its jobs run again, and are not reported. */
  readonly isRequeued?: (() => Promise<boolean>) | undefined;
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
/** The exit code of a shell that cannot execute a command. */
const CANNOT_EXECUTE = 126;

export function createRunningJobs(options: RunningJobsOptions): RunningJobs {
  const { facts, capacity, steps, ledger, outbox, watch, log, onEnded, onBegun, onResumed, onUnable } = options;
  const queue: Queued[] = [];
  const ahead = createAheadJobs();
  /** Held jobs whose end makes no job ready that somebody else could take. */
  const settled = new Set<number>();
  let after: readonly number[] = [];
  /** Jobs that were claimed ahead came into the queue since it was last worked off. */
  let isFreed = false;
  const running = new Map<StepId, Running>();
  /** Ended, but not final: its account is awaited, outputs are checked, or a recovery script runs. */
  const settling = new Set<number>();
  /** Ended with their allocation, which starts again. */
  const left = new Set<number>();
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
  let retry: NodeJS.Timeout | undefined;
  let isHeldOff = false;
  /** Why the runner signaled its jobs last. */
  let signaledFor: EndedFor | undefined;

  const giveBack = (ids: readonly number[]) => {
    if (ids.length > 0) outbox.returned(ids);
  };

  /** Gives back what waits in the queue, and what was claimed ahead and waits for that. */
  const giveBackQueued = (jobs: readonly Queued[]) => {
    giveBack(jobs.flatMap(({ job }) => [job.id, ...ahead.gone(job.id)]));
  };

  const isHeld = (job: ClaimedJob) =>
    [...running.values(), ...queue].some((each) => attemptOf(each.job) === attemptOf(job));

  /** A job that was claimed ahead waits for nothing any more: it goes before those of lower priority. */
  const enqueueFreed = (job: ClaimedJob) => {
    if (isHeld(job)) return;
    if (!isOpen || options.hasTimeFor?.(job.need) === false) {
      giveBack([job.id, ...ahead.gone(job.id)]);
      return;
    }
    const priority = job.priority ?? 0;
    const place = queue.findIndex((other) => (other.job.priority ?? 0) < priority);
    const entry = { job, sinceMs: performance.now(), isFreed: true };
    queue.splice(place === -1 ? queue.length : place, 0, entry);
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
    if (queue.some(({ job }) => job.id === id)) return 'open';
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
    if (!isOpen || retry !== undefined) return;
    for (let index = 0; index < queue.length && capacity.free().cpus > 0;) {
      const { job } = queue[index] as (typeof queue)[number];
      const lease = capacity.lease(job.need);
      if (lease === undefined) {
        index += 1;
        continue;
      }
      queue.splice(index, 1);
      if (!start(job, lease)) return;
    }
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

  /** No step starts for a while. */
  const holdOff = (ms: number) => {
    clearTimeout(retry);
    retry = setTimeout(
      () => {
        resume();
        fill();
        onResumed?.();
      },
      Math.min(ms, AFTER_REFUSAL_MS),
    );
  };
  const resume = () => {
    clearTimeout(retry);
    retry = undefined;
    isHeldOff = false;
  };

  const notStarted = (job: ClaimedJob, startedAtMs: number, error: LaunchError): boolean => {
    if (error.isPassing) {
      log.write('warn', 'Job not started, trying again', { job_id: job.id, error: error.message });
      queue.unshift({ job, sinceMs: performance.now(), isFreed: false });
      holdOff(RETRY_LAUNCH_MS);
      return false;
    }
    if (error.code === 'E2BIG' || error instanceof OutputFolderError) {
      const { stderr } = filesOf(facts, job);
      try {
        if (stderr !== undefined) writeFileSync(stderr, `torc: ${error.message}\n`);
      } catch {
        // The log contains it too.
      }
      log.write('error', 'Job cannot be started', { job_id: job.id, job_name: job.name, error: error.message });
      const notRun = { atMs: startedAtMs, seconds: 0 };
      const reported = attempts.report(job, { status: 'failed', returnCode: CANNOT_EXECUTE }, notRun, {});
      if (reported === undefined) onEnded(1, false);
      else settle(job, reported);
      return true;
    }
    queue.unshift({ job, sinceMs: performance.now(), isFreed: false });
    onUnable(
      `job ${job.id} (${job.name}) could not be started: ${error.message}, output folder ${facts.outputDir}/${STDIO_FOLDER}`,
    );
    return false;
  };

  const finishWithOutputs = async ({ attempt, end }: Ended, account: Account) => {
    const { missing, files } = await lookForOutputs(attempt.job);
    await attempts.finish(attempt, end, account, missing, files);
  };

  /** Undefined if the result is final at once. */
  const finish = (ended: Ended, account: Account): Promise<void> | undefined => {
    const { attempt } = ended;
    if (account.refused !== undefined) return refused(attempt, account.refused);
    // It ended before it was seen to begin; its end reports both.
    if (!attempt.isBegun) logStart(attempt);
    // Whoever ends an allocation signals its steps and the runner together: a step may end before the runner learns why.
    if (account.endedBy === 'cancel' || isByTermination(account)) attempt.endedFor ??= signaledFor;
    if (attempt.endedFor === 'stop' && account.exitCode !== 0 && options.isRequeued !== undefined)
      return leaveOrReport(options.isRequeued, ended, account);
    return conclude(ended, account);
  };
  const conclude = (ended: Ended, account: Account): Promise<void> | undefined => {
    const { attempt, end } = ended;
    if (attempt.job.output_files && account.exitCode === 0) return finishWithOutputs(ended, account);
    return attempts.finish(attempt, end, account, [], undefined);
  };

  /** A requeued allocation runs its jobs again: the next runner in it takes them over as those of a runner that is gone. */
  const leaveOrReport = async (isRequeued: () => Promise<boolean>, ended: Ended, account: Account): Promise<void> => {
    if (!(await isRequeued())) return conclude(ended, account);
    const { job, step } = ended.attempt;
    watch?.end(step.id);
    left.add(job.id);
    log.write('info', 'Job ended with its allocation, which starts again; it will run again', { job_id: job.id });
  };

  const refused = ({ job, step }: Running, reason: string): undefined => {
    watch?.end(step.id);
    log.write('warn', 'Job not started: its step was refused; the job is given back', { job_id: job.id, reason });
    giveBack([job.id, ...ahead.gone(job.id)]);
    if (!isOpen) return;
    isHeldOff = true;
    holdOff(AFTER_REFUSAL_MS);
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
    ...queue.map(({ job }) => job.id),
    ...ahead.ids(),
  ];

  const stopStarting = () => {
    isOpen = false;
    resume();
    giveBackQueued(queue.splice(0));
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
          account.then((later) => finish(each, later)),
        );
        continue;
      }
      const reported = finish(each, account);
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
      return queue.length;
    },
    get running() {
      return running.size + settling.size + reaped;
    },
    get hasRoom() {
      return isOpen && retry === undefined && capacity.free().cpus > 0;
    },
    get isHeldOff() {
      return isHeldOff;
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
      const sinceMs = performance.now();
      // A held job must not start twice, even if the server assigns it again.
      const known = new Set([...running.values(), ...queue].map((each) => attemptOf(each.job)));
      for (const job of jobs) if (!known.has(attemptOf(job))) queue.push({ job, sinceMs, isFreed: false });
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
    giveBackOlderThan(ageMs) {
      const before = performance.now() - ageMs;
      giveBackQueued(removeFrom(queue, ({ sinceMs }) => sinceMs < before));
    },
    giveBackFreed: () => giveBackQueued(removeFrom(queue, (each) => each.isFreed)),
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

/** Takes out what is meant, and returns it. */
function removeFrom(queue: Queued[], isMeant: (each: Queued) => boolean): Queued[] {
  const removed: Queued[] = [];
  for (let index = 0; index < queue.length;) {
    const each = queue[index] as Queued;
    if (isMeant(each)) {
      removed.push(each);
      queue.splice(index, 1);
    } else index += 1;
  }
  return removed;
}

/** Whether SIGTERM or SIGKILL ended it: also seen through a shell, as 128 and the signal. */
const isByTermination = ({ exitCode, signal }: Account): boolean =>
  [constants.signals.SIGTERM, constants.signals.SIGKILL].some((each) => signal === each || exitCode === 128 + each);

/** Is there more of anything than before? */
const hasMore = (now: NodeSize, before: NodeSize): boolean =>
  now.cpus > before.cpus || now.memoryBytes > before.memoryBytes || now.gpus > before.gpus;

const attemptOf = ({ id, attempt_id: attempt }: ClaimedJob) => `${id} ${attempt}`;
