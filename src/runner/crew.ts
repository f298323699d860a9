import { mkdirSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import type { Ahead, ClaimedJob, Need } from '../core/contract/exchange.ts';
import { createAheadJobs, type Parent } from './ahead.ts';
import type { NodeSize } from '../core/lifecycle/placement.ts';
import { type AttemptOptions, createAttempts, type Step, type Tally } from './attempt.ts';
import type { Capacity, Lease } from './capacity.ts';
import { type Ending, LaunchError, type Launcher } from './launch/launcher.ts';
import type { EndedFor } from './outcome.ts';
import { createOutputFolders, OutputFolderError } from './output-folders.ts';
import { lookForOutputs } from './outputs.ts';
import { filesOf, launchRequestOf, STDIO_FOLDER } from './step/request.ts';

/** A running job with its lease. */
interface Running extends Step {
  readonly lease: Lease;
}

/** A job that waits for a slot. `isFreed`: it was claimed ahead, and what it waited for has completed. */
interface Queued {
  readonly job: ClaimedJob;
  readonly sinceMs: number;
  readonly isFreed: boolean;
}

export interface CrewOptions extends AttemptOptions {
  readonly capacity: Capacity;
  readonly launcher: Launcher;
  /**
   * Jobs ended and are in the outbox. `isQuiet`: their ends make no other job ready, and jobs that were claimed ahead took
   * their places, so there is no hurry to tell the server.
   */
  readonly onEnded: (count: number, isQuiet: boolean) => void;
  /** Is enough of the runner's time left for a job with this need? */
  readonly hasTimeFor?: ((need: Need) => boolean) | undefined;
  /** Jobs cannot be started here at all, for this reason. */
  readonly onUnable: (reason: string) => void;
}

/** The jobs that a runner holds: running jobs, and jobs that wait for a slot. */
export interface Crew {
  readonly queued: number;
  readonly running: number;
  /** Jobs that were claimed ahead and wait for others that this runner holds. */
  readonly ahead: number;
  readonly tally: Readonly<Tally>;
  /** Accepts claimed jobs and starts those that fit. */
  take(jobs: readonly ClaimedJob[], ahead?: Ahead | null): void;
  /** Held jobs whose dependants the server has not looked at. */
  readonly after: readonly number[];
  /** Whether a job of one CPU and no memory could start now. */
  readonly hasRoom: boolean;
  /** Ids of all held jobs. */
  held(): number[];
  /** Returns the jobs that were not started; no job starts afterwards, unless it is opened again. */
  dismiss(): void;
  reopen(): void;
  /** Returns jobs that have waited longer than this for a slot. */
  giveBackOlderThan(ageMs: number): void;
  /** Gives back jobs that were claimed ahead, may start and find no slot. */
  giveBackFreed(): void;
  /** Sends a signal to the process group of every running job. */
  signal(signal: NodeJS.Signals, endedFor: EndedFor): void;
  /** Another part of the runner is about to kill a job, for this reason. */
  condemn(pid: number, endedFor: EndedFor): void;
  onEndings(endings: readonly Ending[]): void;
  /** Reports running jobs as if the last signal had ended them: the runner has no time left to wait. */
  abandon(): void;
}

/** Pause before a launch is repeated that failed because of missing processes or memory. */
const RETRY_LAUNCH_MS = 100;
/** The exit code of a shell that cannot execute a command. */
const CANNOT_EXECUTE = 126;

export function createCrew(options: CrewOptions): Crew {
  const { facts, capacity, launcher, ledger, outbox, watch, log, onEnded, onUnable } = options;
  const queue: Queued[] = [];
  const ahead = createAheadJobs();
  /** Held jobs whose end makes no job ready that somebody else could take. */
  const settled = new Set<number>();
  let after: readonly number[] = [];
  /** Jobs that were claimed ahead came into the queue since it was last worked off. */
  let isFreed = false;
  const running = new Map<number, Running>();
  /** Ended, but not final: outputs are checked, or a recovery script runs. */
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
  let retry: NodeJS.Timeout | undefined;

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
      const pid = launch(job, lease);
      running.set(pid, {
        job,
        lease,
        pid,
        startedAtMs,
        startedAt,
        endedFor: undefined,
        wasKilled: false,
      });
      watch?.begin(pid, job);
      outbox.started({ job_id: job.id, attempt_id: job.attempt_id, start_time: new Date(startedAtMs).toISOString() });
      log.write('info', 'Job started', { workflow_id: facts.workflowId, job_id: job.id, job_name: job.name, pid });
      return true;
    } catch (error) {
      capacity.release(lease);
      if (!(error instanceof LaunchError)) throw error;
      return notStarted(job, startedAtMs, error);
    }
  };

  const launch = (job: ClaimedJob, lease: Lease): number => {
    createOutputFolders(job);
    const request = launchRequestOf(facts, job, lease.gpus);
    try {
      return launcher.launch(request);
    } catch (error) {
      if (!(error instanceof LaunchError) || error.code !== 'ENOENT') throw error;
      // Somebody removed the output folder meanwhile.
      try {
        mkdirSync(`${facts.outputDir}/${STDIO_FOLDER}`, { recursive: true });
      } catch (cause) {
        const { code = 'EUNKNOWN', message } = cause as NodeJS.ErrnoException;
        throw new LaunchError(code, message);
      }
      return launcher.launch(request);
    }
  };

  const notStarted = (job: ClaimedJob, startedAtMs: number, error: LaunchError): boolean => {
    if (error.isPassing) {
      log.write('warn', 'Job not started, trying again', { job_id: job.id, error: error.message });
      queue.unshift({ job, sinceMs: performance.now(), isFreed: false });
      retry = setTimeout(() => {
        retry = undefined;
        fill();
      }, RETRY_LAUNCH_MS);
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
      const reported = attempts.report(job, { status: 'failed', returnCode: CANNOT_EXECUTE }, startedAtMs, 0, {});
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

  const finishWithOutputs = async (step: Running, ending: Ending) => {
    const { missing, files } = await lookForOutputs(step.job);
    await attempts.finish(step, ending, missing, files);
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
    ...queue.map(({ job }) => job.id),
    ...ahead.ids(),
  ];

  const dismiss = () => {
    isOpen = false;
    clearTimeout(retry);
    retry = undefined;
    giveBackQueued(queue.splice(0));
    giveBack(ahead.clear());
    settled.clear();
    after = [];
  };

  const onEndings = (endings: readonly Ending[]) => {
    const before = capacity.free();
    const ended = endings.flatMap((ending) => {
      const step = running.get(ending.pid);
      if (step === undefined) return [];
      running.delete(ending.pid);
      capacity.release(step.lease);
      return [{ step, ending }];
    });
    reaped = ended.length;
    // The next jobs first: everything else can wait.
    fill();
    let told = 0;
    let isQuiet = true;
    for (const { step, ending } of ended) {
      if (step.job.output_files && ending.exitCode === 0) {
        settle(step.job, finishWithOutputs(step, ending));
        continue;
      }
      const reported = attempts.finish(step, ending, [], undefined);
      isQuiet = settled.delete(step.job.id) && ending.exitCode === 0 && isQuiet;
      if (reported === undefined) told += 1;
      else settle(step.job, reported);
    }
    fillFreed();
    reaped = 0;
    ledger.flush();
    if (told > 0) onEnded(told, isQuiet && !hasMore(capacity.free(), before));
  };

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
    get ahead() {
      return ahead.size;
    },
    get after() {
      return after;
    },
    tally: attempts.tally,
    take(jobs, claimed) {
      if (jobs.length === 0 && !claimed) return;
      const sinceMs = performance.now();
      // A held job must not start twice, even if the server assigns it again.
      const known = new Set([...running.values(), ...queue].map((each) => attemptOf(each.job)));
      for (const job of jobs) if (!known.has(attemptOf(job))) queue.push({ job, sinceMs, isFreed: false });
      if (claimed) takeAhead(claimed);
      isFreed = false;
      if (isOpen) fill();
      else dismiss();
    },
    held,
    dismiss,
    reopen() {
      isOpen = true;
    },
    giveBackOlderThan(ageMs) {
      const before = performance.now() - ageMs;
      giveBackQueued(removeFrom(queue, ({ sinceMs }) => sinceMs < before));
    },
    giveBackFreed: () => giveBackQueued(removeFrom(queue, (each) => each.isFreed)),
    signal(signal, endedFor) {
      for (const step of running.values()) {
        step.endedFor ??= endedFor;
        if (signal === 'SIGKILL') step.wasKilled = true;
        log.write('info', `Job ${signal}`, { workflow_id: facts.workflowId, job_id: step.job.id });
        signalGroup(step.pid, signal);
      }
    },
    condemn(pid, endedFor) {
      const step = running.get(pid);
      if (step === undefined) return;
      step.endedFor ??= endedFor;
      step.wasKilled = true;
    },
    onEndings,
    abandon() {
      const unknown = { exitCode: undefined, cpuSeconds: undefined, peakBytes: undefined };
      const signal = constants.signals.SIGKILL;
      for (const { pid, job } of running.values()) {
        const which = { workflow_id: facts.workflowId, job_id: job.id, pid };
        log.write('error', 'Job does not end after SIGKILL; the runner exits without it', which);
      }
      onEndings([...running.keys()].map((pid) => ({ pid, signal, ...unknown })));
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

/** Is there more of anything than before? */
const hasMore = (now: NodeSize, before: NodeSize): boolean =>
  now.cpus > before.cpus || now.memoryBytes > before.memoryBytes || now.gpus > before.gpus;

const attemptOf = ({ id, attempt_id: attempt }: ClaimedJob) => `${id} ${attempt}`;

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // It ended meanwhile.
  }
}
