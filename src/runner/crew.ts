import { mkdirSync, writeFileSync } from 'node:fs';
import { stat, unlink } from 'node:fs/promises';
import type { ClaimedJob, Completion } from '../core/contract/exchange.ts';
import type { Capacity, Lease } from './capacity.ts';
import { type Ending, LaunchError, type Launcher } from './launch/launcher.ts';
import type { Ledger } from './ledger.ts';
import type { Log } from './log.ts';
import { type EndedFor, outcomeOf } from './outcome.ts';
import type { Outbox } from './outbox.ts';
import { filesOf, launchRequestOf, type RunFacts, STDIO_FOLDER, stdioOf } from './step.ts';
import type { Watch } from './watch.ts';

/** A job that runs. */
interface Step {
  readonly job: ClaimedJob;
  readonly lease: Lease;
  readonly pid: number;
  readonly startedAtMs: number;
  /** Of the monotonic clock, for the duration. */
  readonly startedAt: number;
  endedFor: EndedFor | undefined;
  wasKilled: boolean;
}

/** How many jobs came to which end here. */
export interface Tally {
  completed: number;
  failed: number;
  terminated: number;
}

export interface CrewOptions {
  readonly facts: RunFacts;
  readonly capacity: Capacity;
  readonly launcher: Launcher;
  readonly ledger: Ledger;
  readonly outbox: Outbox;
  readonly watch: Watch | undefined;
  readonly log: Log;
  /** Jobs ended and are in the outbox. */
  readonly onEnded: (count: number) => void;
  /** Jobs cannot be started here at all: the reason. */
  readonly onUnable: (reason: string) => void;
}

/** The jobs that a runner holds: those that run, and those that wait for a slot. */
export interface Crew {
  readonly queued: number;
  readonly running: number;
  readonly tally: Readonly<Tally>;
  /** Takes claimed jobs in and starts what fits. */
  take(jobs: readonly ClaimedJob[]): void;
  /** Could a job of one CPU and no memory start now? */
  readonly hasRoom: boolean;
  /** Ids of everything held. */
  held(): number[];
  /** Gives back what was not started; nothing starts after that. */
  dismiss(): void;
  /** Gives back what has waited for longer than this for a slot. */
  giveBackOlderThan(ageMs: number): void;
  /** Sends a signal to every running job, its whole process group. */
  signal(signal: NodeJS.Signals, endedFor: EndedFor): void;
  onEndings(endings: readonly Ending[]): void;
}

/** Pause before a launch is tried again that failed for want of processes or memory. */
const RETRY_LAUNCH_MS = 100;
/** What a shell says when a command cannot be executed. */
const CANNOT_EXECUTE = 126;

export function createCrew(options: CrewOptions): Crew {
  const { facts, capacity, launcher, ledger, outbox, watch, log, onEnded, onUnable } = options;
  const queue: { readonly job: ClaimedJob; readonly sinceMs: number }[] = [];
  const running = new Map<number, Step>();
  const checking = new Set<number>();
  const tally: Tally = { completed: 0, failed: 0, terminated: 0 };
  let isOpen = true;
  let retry: NodeJS.Timeout | undefined;

  /** Starts what fits, in order; what does not is passed over. */
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

  /** False when nothing more can be started for now. */
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
      watch?.begin(pid, startedAtMs);
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
    const request = launchRequestOf(facts, job, lease.gpus);
    try {
      return launcher.launch(request);
    } catch (error) {
      if (!(error instanceof LaunchError) || error.code !== 'ENOENT') throw error;
      // Somebody removed the folder of the output meanwhile.
      mkdirSync(`${facts.outputDir}/${STDIO_FOLDER}`, { recursive: true });
      return launcher.launch(request);
    }
  };

  const notStarted = (job: ClaimedJob, startedAtMs: number, error: LaunchError): boolean => {
    if (error.isPassing) {
      log.write('warn', 'Job not started, trying again', { job_id: job.id, error: error.message });
      queue.unshift({ job, sinceMs: startedAtMs });
      retry = setTimeout(() => {
        retry = undefined;
        fill();
      }, RETRY_LAUNCH_MS);
      return false;
    }
    if (error.code === 'E2BIG') {
      const { stderr } = filesOf(facts, job);
      if (stderr !== undefined) writeFileSync(stderr, `torc: ${error.message}\n`);
      report(job, { status: 'failed', returnCode: CANNOT_EXECUTE }, startedAtMs, 0, {});
      onEnded(1);
      return true;
    }
    queue.unshift({ job, sinceMs: startedAtMs });
    onUnable(
      `job ${job.id} (${job.name}) could not be started: ${error.message}, output folder ${facts.outputDir}/${STDIO_FOLDER}`,
    );
    return false;
  };

  const report = (
    job: ClaimedJob,
    { status, returnCode }: { status: 'completed' | 'failed' | 'terminated'; returnCode: number },
    endedAtMs: number,
    seconds: number,
    measured: Partial<Completion>,
  ) => {
    const completion: Completion = {
      job_id: job.id,
      attempt_id: job.attempt_id,
      status,
      return_code: returnCode,
      exec_time_minutes: seconds / 60,
      completion_time: new Date(endedAtMs).toISOString(),
      ...measured,
    };
    ledger.end(completion);
    outbox.completed(completion);
    tally[status] += 1;
    log.write('info', 'Job completed', {
      workflow_id: facts.workflowId,
      job_id: job.id,
      run_id: facts.runId,
      attempt_id: job.attempt_id,
      return_code: returnCode,
      status,
      exec_time_s: seconds.toFixed(3),
    });
  };

  const finish = (step: Step, ending: Ending, missing: readonly string[], files: Completion['files']) => {
    const seconds = (performance.now() - step.startedAt) / 1000;
    const { execution } = facts;
    const outcome = outcomeOf({
      exitCode: ending.exitCode,
      signal: ending.signal,
      endedFor: step.endedFor,
      wasKilled: step.wasKilled,
      missingOutputs: missing,
      timeoutExitCode: execution.timeout_exit_code ?? 152,
      oomExitCode: execution.oom_exit_code ?? 137,
    });
    if (missing.length > 0 && outcome.status !== 'completed') {
      log.write('warn', 'Job left out declared output files', {
        job_id: step.job.id,
        job_name: step.job.name,
        missing: missing.join(', '),
      });
    }
    report(step.job, outcome, Date.now(), seconds, {
      ...measuredOf(ending, seconds, watch?.end(ending.pid)),
      ...(files === undefined ? {} : { files }),
    });
    if (outcome.status === 'completed') deleteOutput(step.job);
  };

  const deleteOutput = (job: ClaimedJob) => {
    if (!stdioOf(facts.execution, job.name).delete_on_success) return;
    const { stdout, stderr } = filesOf(facts, job);
    for (const path of new Set([stdout, stderr])) if (path !== undefined) void unlink(path).catch(() => {});
  };

  /** Looks for the declared outputs off the main thread: their file system may be slow, or hang. */
  const finishWithOutputs = async (step: Step, ending: Ending) => {
    const found = await Promise.all(
      (step.job.output_files ?? []).map(async ({ id, path }) => {
        const stats = await stat(path).catch(() => undefined);
        return { id, path, seconds: stats === undefined ? undefined : stats.mtimeMs / 1000 };
      }),
    );
    const missing = found.flatMap(({ path, seconds }) => (seconds === undefined ? [path] : []));
    const files = found.flatMap(({ id, seconds }) => (seconds === undefined ? [] : [{ id, st_mtime: seconds }]));
    checking.delete(step.job.id);
    finish(step, ending, missing, files);
    ledger.flush();
    onEnded(1);
  };

  const dismiss = () => {
    isOpen = false;
    clearTimeout(retry);
    if (queue.length > 0) outbox.returned(queue.splice(0).map(({ job }) => job.id));
  };

  return {
    get queued() {
      return queue.length;
    },
    get running() {
      return running.size + checking.size;
    },
    get hasRoom() {
      return isOpen && retry === undefined && capacity.free().cpus > 0;
    },
    tally,
    take(jobs) {
      const sinceMs = Date.now();
      for (const job of jobs) queue.push({ job, sinceMs });
      if (isOpen) fill();
      else dismiss();
    },
    held: () => [...[...running.values()].map(({ job }) => job.id), ...checking, ...queue.map(({ job }) => job.id)],
    dismiss,
    giveBackOlderThan(ageMs) {
      const before = Date.now() - ageMs;
      const old = queue.filter(({ sinceMs }) => sinceMs < before);
      if (old.length === 0) return;
      outbox.returned(old.map(({ job }) => job.id));
      queue.splice(0, queue.length, ...queue.filter(({ sinceMs }) => sinceMs >= before));
    },
    signal(signal, endedFor) {
      for (const step of running.values()) {
        step.endedFor ??= endedFor;
        if (signal === 'SIGKILL') step.wasKilled = true;
        log.write('info', `Job ${signal}`, { workflow_id: facts.workflowId, job_id: step.job.id });
        signalGroup(step.pid, signal);
      }
    },
    onEndings(endings) {
      const ended = endings.flatMap((ending) => {
        const step = running.get(ending.pid);
        if (step === undefined) return [];
        running.delete(ending.pid);
        capacity.release(step.lease);
        return [{ step, ending }];
      });
      // The next jobs first: everything else can wait.
      fill();
      let told = 0;
      for (const { step, ending } of ended) {
        if (step.job.output_files && ending.exitCode === 0) {
          checking.add(step.job.id);
          void finishWithOutputs(step, ending);
        } else {
          finish(step, ending, [], undefined);
          told += 1;
        }
      }
      ledger.flush();
      if (told > 0) onEnded(told);
    },
  };
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // Ended meanwhile.
  }
}

/** What the kernel and the samples say of an attempt. Nothing is said where nothing was measured. */
function measuredOf(
  { cpuSeconds, peakBytes }: Ending,
  seconds: number,
  observed: ReturnType<Watch['end']>,
): Partial<Completion> {
  const average = cpuSeconds === undefined || seconds <= 0 ? undefined : (cpuSeconds / seconds) * 100;
  const peakCpu = Math.max(observed?.peakCpuPercent ?? 0, average ?? 0);
  const peakMemory = Math.max(observed?.peakMemoryBytes ?? 0, peakBytes ?? 0);
  return {
    ...(average === undefined ? {} : { avg_cpu_percent: average, peak_cpu_percent: peakCpu }),
    ...(peakMemory === 0 ? {} : { peak_memory_bytes: peakMemory }),
    ...(observed === undefined ? {} : { avg_memory_bytes: observed.averageMemoryBytes }),
  };
}
