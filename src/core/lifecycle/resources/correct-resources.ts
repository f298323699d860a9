import { greatest } from '../../quantity/extremes.ts';
import { lackOf, lacksAnything, type Lack, type Limits, type Use } from './resource-use.ts';

/** A job of a workflow with its current result, if it has one. */
export interface JobUse {
  readonly id: number;
  readonly name: string;
  readonly requirementsId: number;
  readonly isCompleted: boolean;
  readonly use: Use | undefined;
}

export interface Multipliers {
  readonly memory: number;
  readonly cpu: number;
  readonly runtime: number;
}

/** New requirements are a fifth above what was measured. */
export const USUAL_MULTIPLIERS: Multipliers = { memory: 1.2, cpu: 1.2, runtime: 1.2 };

/** The change of a requirements record; undefined fields stay. */
export interface Correction {
  readonly requirementsId: number;
  readonly direction: 'upscale' | 'downscale';
  /** The jobs that need this change. */
  readonly jobs: readonly JobUse[];
  readonly memoryBytes: number | undefined;
  readonly numCpus: number | undefined;
  readonly runtimeSeconds: number | undefined;
}

// Smaller savings are not worth the risk that the next run needs a little more than this one.
const SAVED_MEMORY_BYTES = 2 ** 30;
const SAVED_CPU_PERCENT = 5;
const SAVED_RUNTIME_SECONDS = 30 * 60;
const LEAST_MEMORY_BYTES = 2 ** 20;
const LEAST_RUNTIME_SECONDS = 60;

/**
 * Computes new requirements from the use of the jobs that share them.
 *
 * Requirements are shared: they grow when one job needed more, and shrink only when every job with them succeeded, was
 * measured and stayed within them. `isChosen` selects the jobs that may raise them.
 */
export function correctResources(
  requirements: ReadonlyMap<number, Limits>,
  jobs: readonly JobUse[],
  multipliers: Multipliers,
  { downsizes, isChosen = () => true }: { downsizes: boolean; isChosen?: (job: JobUse) => boolean },
): Correction[] {
  const byRequirements = Map.groupBy(jobs, ({ requirementsId }) => requirementsId);
  return [...byRequirements].flatMap(([id, sharing]): Correction[] => {
    const limits = requirements.get(id);
    if (limits === undefined || !sharing.some(isChosen)) return [];
    const lacking = sharing.flatMap((job) => {
      const lack = job.use === undefined ? undefined : lackOf(limits, job.use);
      return lack !== undefined && lacksAnything(lack) ? [{ job, use: job.use as Use, lack }] : [];
    });
    const heeded = lacking.filter(({ job }) => isChosen(job));
    const grown = heeded.length === 0 ? {} : upscaled(limits, heeded, multipliers);
    if (isChange(grown)) {
      return [{ requirementsId: id, direction: 'upscale', jobs: heeded.map(({ job }) => job), ...unchanged, ...grown }];
    }
    if (!downsizes || lacking.length > 0 || !sharing.every(({ isCompleted, use }) => isCompleted && use?.isSuccess))
      return [];
    const shrunk = downsized(
      limits,
      sharing.map(({ use }) => use as Use),
      multipliers,
    );
    return isChange(shrunk)
      ? [{ requirementsId: id, direction: 'downscale', jobs: sharing, ...unchanged, ...shrunk }]
      : [];
  });
}

type Change = Partial<Pick<Correction, 'memoryBytes' | 'numCpus' | 'runtimeSeconds'>>;
const unchanged = { memoryBytes: undefined, numCpus: undefined, runtimeSeconds: undefined };
const isChange = (change: Change) => Object.values(change).some((value) => value !== undefined);

interface Lacking {
  readonly use: Use;
  readonly lack: Lack;
}

function upscaled(limits: Limits, lacking: readonly Lacking[], multipliers: Multipliers): Change {
  const memory = lacking.flatMap(({ use, lack }) => {
    if (lack.memory === undefined) return [];
    // A killed job may have requested much more memory than was ever measured.
    const base = lack.memory === 'memory_exceeded' ? (use.peakMemoryBytes as number) : limits.memoryBytes;
    return [scaled(base, multipliers.memory)];
  });
  const cpus = lacking.flatMap(({ use, lack }) =>
    lack.cpu ? [Math.max(1, scaled((use.peakCpuPercent as number) / 100, multipliers.cpu))] : [],
  );
  const given = limits.runtimeSeconds;
  const runtime = lacking.flatMap(({ use, lack }) => {
    if (given === undefined || !(lack.timeout || lack.runtime)) return [];
    return [scaled(lack.timeout ? given : use.seconds, multipliers.runtime)];
  });
  return {
    memoryBytes: largerThan(limits.memoryBytes, memory),
    numCpus: largerThan(limits.numCpus, cpus),
    runtimeSeconds: largerThan(given ?? Infinity, runtime),
  };
}

function largerThan(current: number, wanted: readonly number[]): number | undefined {
  const most = greatest(wanted, 0);
  return most > current ? most : undefined;
}

function downsized(limits: Limits, uses: readonly Use[], multipliers: Multipliers): Change {
  const memoryPeak = mostOf(uses.map(({ peakMemoryBytes }) => peakMemoryBytes));
  const memory =
    memoryPeak === undefined ? undefined : Math.max(LEAST_MEMORY_BYTES, scaled(memoryPeak, multipliers.memory));

  const cpuPeak = mostOf(uses.map(({ peakCpuPercent }) => peakCpuPercent));
  const isIdle = cpuPeak !== undefined && cpuPeak < limits.numCpus * 100 - SAVED_CPU_PERCENT;
  const cpus = isIdle ? Math.max(1, scaled(cpuPeak / 100, multipliers.cpu)) : undefined;

  const longest = greatest(uses.map(({ seconds }) => seconds));
  const runtime = Math.max(LEAST_RUNTIME_SECONDS, scaled(longest, multipliers.runtime));
  const given = limits.runtimeSeconds ?? 0;
  return {
    memoryBytes: memory !== undefined && limits.memoryBytes - memory > SAVED_MEMORY_BYTES ? memory : undefined,
    numCpus: cpus !== undefined && cpus < limits.numCpus ? cpus : undefined,
    runtimeSeconds: given - runtime > SAVED_RUNTIME_SECONDS ? runtime : undefined,
  };
}

/** The largest value; undefined when one of them was not measured, because it could have been the largest. */
function mostOf(values: readonly (number | undefined)[]): number | undefined {
  const measured = values.filter((value) => value !== undefined && value > 0) as number[];
  return measured.length === values.length ? greatest(measured) : undefined;
}

// Without this, a floating-point error would round 100 × 1.1 up to 111.
const scaled = (value: number, multiplier: number) => Math.ceil(value * multiplier - 1e-6);
