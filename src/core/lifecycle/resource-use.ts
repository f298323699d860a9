/**
 * What a job used against what it was given.
 *
 * A job that went wrong for want of something seldom says so: it was killed, or stopped at the end of its time. From its
 * return code, its time and what was measured of it we conclude what it lacked.
 */

/** What a job was given. */
export interface Limits {
  readonly memoryBytes: number;
  readonly numCpus: number;
  /** Undefined when nobody can read it. */
  readonly runtimeSeconds: number | undefined;
}

/** What an attempt of it came to. */
export interface Use {
  readonly isSuccess: boolean;
  readonly returnCode: number;
  readonly seconds: number;
  /** Undefined or 0 when no sample was taken. */
  readonly peakMemoryBytes: number | undefined;
  /** 100 is one core. Undefined or 0 when no sample was taken. */
  readonly peakCpuPercent: number | undefined;
}

/** What it lacked. */
export interface Lack {
  /** `memory_exceeded` was measured; `sigkill_137` is guessed from a kill early on. */
  readonly memory: 'memory_exceeded' | 'sigkill_137' | undefined;
  readonly timeout: boolean;
  /** Known where the return code says so. */
  readonly timeoutReason: 'sigxcpu_152' | undefined;
  readonly cpu: boolean;
  /** It took longer than it was given, whether or not it was stopped for that. */
  readonly runtime: boolean;
}

/** What a shell reports of SIGKILL, and of SIGXCPU: with these runners and Slurm end jobs for memory and for time. */
const KILLED = 137;
const TIMED_OUT = 152;
/** A job that is killed this early was not killed for its time. */
const EARLY = 0.8;
/** A job that fails this late is taken for one that was stopped at its end. */
const LATE = 0.9;

/** What a job lacked. Guesses from its end are made of jobs that failed only. */
export function lackOf(
  limits: Limits,
  { isSuccess, returnCode, seconds, peakMemoryBytes = 0, peakCpuPercent = 0 }: Use,
): Lack {
  const { runtimeSeconds, memoryBytes, numCpus } = limits;
  const share = runtimeSeconds === undefined ? undefined : seconds / runtimeSeconds;
  const wasKilledEarly = !isSuccess && returnCode === KILLED && (share === undefined || share < EARLY);
  const endedLate = !isSuccess && share !== undefined && share > LATE;
  return {
    memory: peakMemoryBytes > memoryBytes ? 'memory_exceeded' : wasKilledEarly ? 'sigkill_137' : undefined,
    timeout: returnCode === TIMED_OUT || endedLate,
    timeoutReason: returnCode === TIMED_OUT ? 'sigxcpu_152' : undefined,
    cpu: peakCpuPercent > 100 * numCpus,
    runtime: share !== undefined && share > 1,
  };
}

export const lacksAnything = ({ memory, timeout, cpu, runtime }: Lack): boolean =>
  memory !== undefined || timeout || cpu || runtime;

/** One resource of a job that was measured. */
export interface Measured {
  readonly resource: 'Memory' | 'CPU' | 'Runtime';
  /** Bytes, percent of a core, or seconds. */
  readonly limit: number;
  readonly peak: number;
  /** How far above the limit, in percent of it; below 0 when there was room. */
  readonly overPercent: number;
}

/** Each resource of which it is known how much was used. */
export function measuredOf(limits: Limits, { seconds, peakMemoryBytes, peakCpuPercent }: Use): Measured[] {
  const pairs: readonly (readonly [Measured['resource'], number | undefined, number | undefined])[] = [
    ['Memory', limits.memoryBytes, peakMemoryBytes],
    ['CPU', limits.numCpus * 100, peakCpuPercent],
    ['Runtime', limits.runtimeSeconds, seconds],
  ];
  return pairs.flatMap(([resource, limit, peak]) =>
    limit === undefined || limit === 0 || peak === undefined || peak === 0
      ? []
      : [{ resource, limit, peak, overPercent: (peak / limit - 1) * 100 }],
  );
}
