import { mkdirSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import type { ClaimedJob } from '../core/contract/exchange.ts';
import { type AttemptOptions, createAttempts, type Step, type Tally } from './attempt.ts';
import type { Capacity, Lease } from './capacity.ts';
import { type Ending, LaunchError, type Launcher } from './launch/launcher.ts';
import type { EndedFor } from './outcome.ts';
import { createOutputFolders, OutputFolderError } from './output-folders.ts';
import { lookForOutputs } from './outputs.ts';
import { filesOf, launchRequestOf, STDIO_FOLDER } from './step.ts';

/** A running job with its lease. */
interface Running extends Step {
  readonly lease: Lease;
}

export interface CrewOptions extends AttemptOptions {
  readonly capacity: Capacity;
  readonly launcher: Launcher;
  /** Jobs ended and are in the outbox. */
  readonly onEnded: (count: number) => void;
  /** Jobs cannot be started here at all, for this reason. */
  readonly onUnable: (reason: string) => void;
}

/** The jobs that a runner holds: running jobs, and jobs that wait for a slot. */
export interface Crew {
  readonly queued: number;
  readonly running: number;
  readonly tally: Readonly<Tally>;
  /** Accepts claimed jobs and starts those that fit. */
  take(jobs: readonly ClaimedJob[]): void;
  /** Whether a job of one CPU and no memory could start now. */
  readonly hasRoom: boolean;
  /** Ids of all held jobs. */
  held(): number[];
  /** Returns the jobs that were not started; no job starts afterwards, unless it is opened again. */
  dismiss(): void;
  reopen(): void;
  /** Returns jobs that have waited longer than this for a slot. */
  giveBackOlderThan(ageMs: number): void;
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
  const queue: { readonly job: ClaimedJob; readonly sinceMs: number }[] = [];
  const running = new Map<number, Running>();
  /** Ended, but not final: outputs are checked, or a recovery script runs. */
  const settling = new Set<number>();
  /**
   * Ended, and not yet reported or being checked. Without it, a launch that fails in between would end the runner too
   * early.
   */
  let reaped = 0;
  const attempts = createAttempts(options);
  let isOpen = true;
  let retry: NodeJS.Timeout | undefined;

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
      queue.unshift({ job, sinceMs: performance.now() });
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
      const settled = attempts.report(job, { status: 'failed', returnCode: CANNOT_EXECUTE }, startedAtMs, 0, {});
      if (settled === undefined) onEnded(1);
      else settle(job, settled);
      return true;
    }
    queue.unshift({ job, sinceMs: performance.now() });
    onUnable(
      `job ${job.id} (${job.name}) could not be started: ${error.message}, output folder ${facts.outputDir}/${STDIO_FOLDER}`,
    );
    return false;
  };

  const finishWithOutputs = async (step: Running, ending: Ending) => {
    const { missing, files } = await lookForOutputs(step.job);
    await attempts.finish(step, ending, missing, files);
  };

  const settle = (job: ClaimedJob, settled: Promise<void>) => {
    settling.add(job.id);
    void settled.then(() => {
      settling.delete(job.id);
      ledger.flush();
      onEnded(1);
    });
  };

  const held = () => [
    ...[...running.values()].map(({ job }) => job.id),
    ...settling,
    ...queue.map(({ job }) => job.id),
  ];

  const dismiss = () => {
    isOpen = false;
    clearTimeout(retry);
    retry = undefined;
    if (queue.length > 0) outbox.returned(queue.splice(0).map(({ job }) => job.id));
  };

  const onEndings = (endings: readonly Ending[]) => {
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
    for (const { step, ending } of ended) {
      if (step.job.output_files && ending.exitCode === 0) {
        settle(step.job, finishWithOutputs(step, ending));
        continue;
      }
      const settled = attempts.finish(step, ending, [], undefined);
      if (settled === undefined) told += 1;
      else settle(step.job, settled);
    }
    reaped = 0;
    ledger.flush();
    if (told > 0) onEnded(told);
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
    tally: attempts.tally,
    take(jobs) {
      if (jobs.length === 0) return;
      const sinceMs = performance.now();
      // A held job must not start twice, even if the server assigns it again.
      const known = new Set([...running.values(), ...queue].map((each) => attemptOf(each.job)));
      for (const job of jobs) if (!known.has(attemptOf(job))) queue.push({ job, sinceMs });
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
      const old = queue.filter(({ sinceMs }) => sinceMs < before);
      if (old.length === 0) return;
      outbox.returned(old.map(({ job }) => job.id));
      const kept = queue.filter(({ sinceMs }) => sinceMs >= before);
      queue.length = 0;
      for (const each of kept) queue.push(each);
    },
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

const attemptOf = ({ id, attempt_id: attempt }: ClaimedJob) => `${id} ${attempt}`;

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // It ended meanwhile.
  }
}
