import type { StepId } from '../../core/contract/files/job.ts';
import type { StepUse, Uses } from '../step/steps.ts';
import { createSampleTimes } from './sample-times.ts';
import { addUse, isOver, newlyWatched, type Observed, observedOf, type Watched, type WatchedJob } from './watched.ts';

export interface JobMeasurement {
  readonly job: WatchedJob;
  /** Unix milliseconds. */
  readonly atMs: number;
  readonly cpuPercent: number;
  readonly memoryBytes: number;
  readonly processes: number;
}

/** A job that exceeds its memory limit. */
export interface Violation {
  readonly id: StepId;
  readonly job: WatchedJob;
  readonly memoryBytes: number;
  readonly limitBytes: number;
}

export interface ObserveOptions {
  readonly intervalSeconds: number;
  /** The present use of the steps. */
  readonly observe: (ids: ReadonlySet<StepId>) => Uses | Promise<Uses>;
  /** The memory limit of the job; undefined if there is none. */
  readonly limitOf: (job: WatchedJob) => number | undefined;
  readonly onSample?: ((sample: JobMeasurement) => void) | undefined;
  /** Ages of a job at which it is sampled before the interval; the default is for samples that cost little. */
  readonly agesMs?: readonly number[] | undefined;
}

/**
 * Samples the running jobs, all of them at once, and reports those that exceed their memory limit.
 *
 * A job that ends before its first sample has none. The first samples are early, so that jobs of a second or two are
 * measured too, and a job that allocates all memory at once is ended soon; then one sample every `intervalSeconds`. Every sample
 * enforces limits.
 */
export interface Watch {
  begin(id: StepId, job: WatchedJob): void;
  /** The figures of the job; monitoring of it ends. */
  end(id: StepId): Observed | undefined;
  /** Names the receiver of jobs that exceed their memory limit. */
  onViolation(receiver: (violation: Violation) => void): void;
  close(): void;
}

export function createWatch(options: ObserveOptions): Watch {
  const { intervalSeconds, observe, limitOf, onSample, agesMs } = options;
  const watched = new Map<StepId, Watched>();
  let violated: (violation: Violation) => void = () => {};
  /** A sample is being taken by a program that answers later; the next one waits for that. */
  let isObserving = false;

  const sweep = (nowMs: number) => {
    for (const each of watched.values()) each.lastLookMs = nowMs;
    if (isObserving) return;
    const uses = observe(new Set(watched.keys()));
    if (uses instanceof Promise) {
      isObserving = true;
      void uses.then((later) => {
        isObserving = false;
        takeAll(later, performance.now());
      });
    } else takeAll(uses, nowMs);
    times.sampled(nowMs);
  };
  const times = createSampleTimes(intervalSeconds * 1000, watched, sweep, agesMs);

  const takeAll = (uses: Uses, atMs: number) => {
    for (const [id, use] of uses) {
      const each = watched.get(id);
      if (each === undefined || each.isAsked) continue;
      // Shared memory, between processes or as libraries, may be counted several times here, and no job may be killed for
      // that.
      if (use.exactly !== undefined && isOver(each, use.memoryBytes)) void ask(each, use, atMs);
      else take(each, use, atMs, use.memoryBytes);
    }
  };

  const ask = async (each: Watched, use: StepUse, atMs: number) => {
    each.isAsked = true;
    const memoryBytes = (await use.exactly?.()) ?? use.memoryBytes;
    each.isAsked = false;
    if (watched.get(each.id) === each) take(each, use, atMs, Math.min(memoryBytes, use.memoryBytes));
  };

  const take = (each: Watched, use: StepUse, atMs: number, memoryBytes: number) => {
    const { id, job, limitBytes } = each;
    const cpuPercent = addUse(each, use, atMs, memoryBytes);
    if (cpuPercent === undefined) return;
    onSample?.({ job, atMs: Date.now(), cpuPercent, memoryBytes, processes: use.processes });
    if (limitBytes === undefined || (memoryBytes <= limitBytes && use.isOutOfMemory !== true)) return;
    each.limitBytes = undefined;
    // After a kill by the kernel only the rest of it is left, which uses little.
    violated({ id, job, memoryBytes: Math.max(memoryBytes, use.isOutOfMemory === true ? limitBytes : 0), limitBytes });
  };

  return {
    begin(id, job) {
      const nowMs = performance.now();
      watched.set(id, newlyWatched(id, job, limitOf(job), nowMs));
      times.started(nowMs);
    },
    end(id) {
      const each = watched.get(id);
      if (each === undefined) return undefined;
      watched.delete(id);
      return observedOf(each, limitOf(each.job));
    },
    onViolation(receiver) {
      violated = receiver;
    },
    close: times.close,
  };
}
