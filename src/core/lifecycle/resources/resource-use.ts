import { causeOfRecord, type ExitCodes } from '../../attempt/judge.ts';
import type { CauseCode } from '../../contract/cause-code.ts';
import type { Need } from '../../contract/exchange.ts';
import type { JobStatus } from '../../job/job-statuses.ts';
import type { ResourceRequirements } from '../../contract/resources.ts';
import { hasReached, type Timeout } from '../../attempt/timeout.ts';
import { SUCCEEDED } from '../../job/statuses.ts';
import { parseMemory } from '../../quantity/bytes.ts';
import { parseDuration } from '../../quantity/duration.ts';
import { readAmount } from '../../quantity/read-amount.ts';

/**
 * Compares the resource use of a job with its limits.
 *
 * A job that lacked a resource rarely reports it: it was killed, or stopped at its time limit. The missing resource is
 * derived from its return code, its duration and its measured use.
 */

/** The limits of a job. */
export interface Limits {
  readonly memoryBytes: number;
  readonly numCpus: number;
  /** Undefined if the value cannot be parsed. */
  readonly runtimeSeconds: number | undefined;
}

/** The limits of jobs with these requirements. */
export const limitsOf = (needs: ResourceRequirements): Limits => ({
  memoryBytes: parseMemory(needs.memory ?? '1m'),
  numCpus: needs.num_cpus ?? 1,
  runtimeSeconds: runtimeOf(needs),
});

const NO_LIMITS: Limits = { memoryBytes: Infinity, numCpus: Infinity, runtimeSeconds: undefined };

/** What the use of a job is compared with: the default requirements, which jobs have that name none, limit nothing. */
export const limitsOfUse = (needs: Pick<ResourceRequirements, 'name'>, limits: Limits): Limits =>
  needs.name === 'default' ? NO_LIMITS : limits;

/** Seconds of the requested runtime; undefined if a server accepted an invalid one. */
export const runtimeOf = ({ runtime }: ResourceRequirements): number | undefined =>
  readAmount(runtime ?? 'PT1M', parseDuration);

/** What a claim for jobs with these requirements has to find free. */
export const needOf = (requirements: ResourceRequirements): Need => {
  const { memoryBytes, numCpus, runtimeSeconds = 60 } = limitsOf(requirements);
  return {
    num_cpus: numCpus,
    memory_bytes: memoryBytes,
    num_gpus: requirements.num_gpus ?? 0,
    num_nodes: requirements.num_nodes ?? 1,
    runtime_seconds: runtimeSeconds,
  };
};

/** The use of one attempt. */
export interface Use {
  readonly isSuccess: boolean;
  readonly causeCode: CauseCode | undefined;
  /** Its return code is that of jobs that are ended for their time, or may be that of jobs that are ended for their memory. */
  readonly isEndedForTime: boolean;
  readonly mayBeMemory: boolean;
  /** It was ended at its timeout: how much time it needs is not known, and only a person gives it more. */
  readonly isAtTimeout?: boolean;
  readonly seconds: number;
  /** Undefined or 0 if no sample was taken. */
  readonly peakMemoryBytes: number | undefined;
  /** 100 is one core. Undefined or 0 if no sample was taken. */
  readonly peakCpuPercent: number | undefined;
  /** The same over its whole life. */
  readonly meanCpuPercent?: number | undefined;
  /** Its most memory on GPUs, and the memory of these cards. Undefined or null if it is not known. */
  readonly peakGpuBytes?: number | null | undefined;
  readonly gpuBytes?: number | null | undefined;
}

/** A shorter job says nothing of CPUs: its start alone fills one, and a sample may show more. */
export const SHORTEST_FOR_CPUS_SECONDS = 10;
/** The CPUs that a job kept busy, in percent of one; undefined if it was too short, or not measured. */
export const busyPercentOf = ({ seconds, meanCpuPercent, peakCpuPercent }: Use): number | undefined =>
  seconds < SHORTEST_FOR_CPUS_SECONDS ? undefined : meanCpuPercent || peakCpuPercent || undefined;

/** What differs by less is the same. */
export const LEAST_DIFFERENCE = 0.1;

/** An attempt as its result has it. */
interface MeasuredEnd extends Pick<
  Use,
  'seconds' | 'peakMemoryBytes' | 'peakCpuPercent' | 'meanCpuPercent' | 'peakGpuBytes' | 'gpuBytes'
> {
  readonly status: JobStatus;
  readonly returnCode: number;
  readonly causeCode: CauseCode | null | undefined;
}

export function useOf(
  { status, returnCode, causeCode: stored, ...figures }: MeasuredEnd,
  codes: ExitCodes,
  timeout?: Timeout,
): Use {
  const causeCode = stored ?? causeOfRecord({ status, returnCode }, codes);
  const isSuccess = SUCCEEDED.has(status);
  return {
    isSuccess,
    causeCode,
    // A command may end with that code by itself.
    isEndedForTime: !isSuccess && returnCode === codes.time && (causeCode ?? 'time') === 'time',
    ...(!isSuccess && causeCode === 'time' && hasReached(timeout, figures.seconds) ? { isAtTimeout: true } : {}),
    mayBeMemory: causeCode === undefined && returnCode === codes.memory,
    ...figures,
  };
}

/** The resources that it lacked. */
export interface Lack {
  /** `memory_exceeded` was measured; `sigkill_137` is derived from an early kill. */
  readonly memory: 'memory_exceeded' | 'sigkill_137' | undefined;
  readonly timeout: boolean;
  /** Set if the return code proves it. */
  readonly timeoutReason: 'sigxcpu_152' | undefined;
  readonly cpu: boolean;
  /** It took longer than its limit, whether or not it was stopped. */
  readonly runtime: boolean;
}

/** A job killed before this fraction of its time limit was not killed for its time. */
const EARLY = 0.8;
/** A job that fails after this fraction of its time limit is assumed to have been stopped for its time. */
const LATE = 0.9;

/** The resources that a job lacked. Only failed jobs are judged by the way they ended. */
export function lackOf(limits: Limits, use: Use): Lack {
  const { isSuccess, causeCode, isEndedForTime, mayBeMemory, isAtTimeout = false, seconds, peakMemoryBytes = 0 } = use;
  const { runtimeSeconds, memoryBytes, numCpus } = limits;
  const share = runtimeSeconds === undefined ? undefined : seconds / runtimeSeconds;
  // Results of Torc's own runner do not say why they have this code: then the time decides.
  const wasKilledEarly = !isSuccess && mayBeMemory && (share === undefined || share < EARLY);
  const wasKilled = causeCode === 'memory' || wasKilledEarly;
  const endedLate = !isSuccess && share !== undefined && share > LATE;
  return {
    memory: peakMemoryBytes > memoryBytes ? 'memory_exceeded' : wasKilled ? 'sigkill_137' : undefined,
    timeout: !isAtTimeout && (isEndedForTime || endedLate),
    timeoutReason: isEndedForTime && !isAtTimeout ? 'sigxcpu_152' : undefined,
    cpu: (busyPercentOf(use) ?? 0) > 100 * numCpus * (1 + LEAST_DIFFERENCE),
    runtime: !isAtTimeout && share !== undefined && share > 1,
  };
}

export const lacksAnything = ({ memory, timeout, cpu, runtime }: Lack): boolean =>
  memory !== undefined || timeout || cpu || runtime;

/** One measured resource of a job. */
export interface Measured {
  readonly resource: 'Memory' | 'CPU' | 'Runtime' | 'GPU Memory';
  /** Bytes, percent of a core, or seconds. */
  readonly limit: number;
  readonly peak: number;
  /** The excess over the limit in percent; negative if the use was below it. */
  readonly overPercent: number;
}

export function measuredOf(limits: Limits, use: Use): Measured[] {
  const { seconds, peakMemoryBytes, peakCpuPercent, peakGpuBytes, gpuBytes } = use;
  const pairs: readonly (readonly [Measured['resource'], number | undefined, number | undefined])[] = [
    ['Memory', limits.memoryBytes, peakMemoryBytes],
    ['CPU', limits.numCpus * 100, peakCpuPercent],
    ['Runtime', limits.runtimeSeconds, seconds],
    // No request names it: what the cards have is the limit.
    ['GPU Memory', gpuBytes ?? undefined, peakGpuBytes ?? undefined],
  ];
  return pairs.flatMap(([resource, limit, peak]) =>
    limit === undefined || limit === 0 || limit === Infinity || peak === undefined || peak === 0
      ? []
      : [{ resource, limit, peak, overPercent: (peak / limit - 1) * 100 }],
  );
}
