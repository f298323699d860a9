import { formatMemory, parseMemory } from '../../quantity/bytes.ts';
import { parseDuration, formatRuntime } from '../../quantity/duration.ts';
import { withoutNumbers } from '../../text/without-numbers.ts';
import {
  busyPercentOf,
  type Lack,
  lackOf,
  lacksAnything,
  type Limits,
  SHORTEST_FOR_CPUS_SECONDS,
  type Use,
} from './resource-use.ts';

/**
 * What the jobs of one family used that share requirements: those whose names differ only in numbers. It is added up job
 * by job, so that a million jobs need no more memory than a hundred.
 */

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

export const NEED_FIELDS = ['memoryBytes', 'numCpus', 'runtimeSeconds'] as const;
/** Values of requirements; undefined ones stay. */
export type NeedChange = { [Resource in (typeof NEED_FIELDS)[number]]?: number | undefined };

/** Jobs with a value, and the greatest. */
interface Greatest {
  jobs: number;
  most: number;
}

export interface FamilyUse {
  readonly stem: string;
  jobs: number;
  ended: number;
  /** Jobs that completed. */
  completed: number;
  chosen: number;
  /** Jobs that lacked something. */
  lacking: number;
  /** Jobs too short to say anything of CPUs. */
  short: number;
  readonly used: Record<keyof NeedChange, Greatest>;
  /** What chosen jobs need that lacked the resource. */
  readonly raise: Record<keyof NeedChange, Greatest>;
  /** Jobs that lacked the resource, chosen or not. */
  readonly lack: Record<keyof NeedChange, number>;
}

/** A request that is to fit is raised until it does; what recovers a workflow raises by each failure, whatever was asked. */
export type Purpose = 'advice' | 'recovery';

export function createFamilyUse(stem: string, limits: Limits, multipliers: Multipliers, purpose: Purpose) {
  const greatest = () => ({ jobs: 0, most: 0 });
  const each = <Value>(make: () => Value) => ({ memoryBytes: make(), numCpus: make(), runtimeSeconds: make() });
  const family: FamilyUse = {
    stem,
    jobs: 0,
    ended: 0,
    completed: 0,
    chosen: 0,
    lacking: 0,
    short: 0,
    used: each(greatest),
    raise: each(greatest),
    lack: each(() => 0),
  };
  return {
    family,
    add({ use, isCompleted }: Pick<JobUse, 'use' | 'isCompleted'>, isChosen = true): void {
      family.jobs += 1;
      if (isChosen) family.chosen += 1;
      if (use === undefined) return;
      family.ended += 1;
      if (isCompleted && use.isSuccess) family.completed += 1;
      if (use.seconds < SHORTEST_FOR_CPUS_SECONDS) family.short += 1;
      note(family.used.memoryBytes, use.peakMemoryBytes);
      // One busy phase of eight CPUs would be slower with four, however idle the rest of the job is.
      const busiest = Math.max(busyPercentOf(use) ?? 0, use.peakCpuPercent ?? 0);
      if (busyPercentOf(use) !== undefined) note(family.used.numCpus, cpusNeeded(busiest, multipliers.cpu));
      note(family.used.runtimeSeconds, use.seconds);
      const lack = lackOf(limits, use);
      if (lacksAnything(lack)) family.lacking += 1;
      const raise = raiseOf(limits, use, lack, multipliers, purpose);
      for (const resource of NEED_FIELDS) {
        if (raise[resource] === undefined) continue;
        family.lack[resource] += 1;
        if (isChosen) note(family.raise[resource], raise[resource]);
      }
    },
  };
}

/** More families than a person reads; those beyond are taken together. */
const MOST_FAMILIES = 1_000;

/** The families of the jobs that share requirements, as they are read. */
export function createFamilyUses(limits: Limits, multipliers: Multipliers, purpose: Purpose) {
  const found = new Map<string, ReturnType<typeof createFamilyUse>>();
  return {
    add(job: Pick<JobUse, 'name' | 'use' | 'isCompleted'>): void {
      const own = withoutNumbers(job.name);
      const stem = found.has(own) || found.size < MOST_FAMILIES ? own : '…';
      let uses = found.get(stem);
      if (uses === undefined) found.set(stem, (uses = createFamilyUse(stem, limits, multipliers, purpose)));
      uses.add(job);
    },
    get families(): FamilyUse[] {
      return [...found.values()].map(({ family }) => family);
    },
  };
}

function note(greatest: Greatest, value: number | undefined): void {
  if (value === undefined || value <= 0) return;
  greatest.jobs += 1;
  greatest.most = Math.max(greatest.most, value);
}

/** What one job would have needed that lacked something. */
function raiseOf(
  { memoryBytes, runtimeSeconds: given }: Limits,
  use: Use,
  lack: Lack,
  multipliers: Multipliers,
  purpose: Purpose,
): NeedChange {
  const change: NeedChange = {};
  if (lack.memory !== undefined) {
    const peak = use.peakMemoryBytes ?? 0;
    // A killed job may have requested much more memory than was ever measured.
    const wanted = memoryRounded(
      withMargin(lack.memory === 'memory_exceeded' ? peak : memoryBytes, multipliers.memory),
    );
    // Raised for this end already: it says nothing of the new request.
    const isRaised = peak > 0 && memoryBytes === memoryRounded(withMargin(peak, multipliers.memory));
    if (purpose === 'recovery' || !isRaised) change.memoryBytes = wanted;
  }
  if (lack.cpu) change.numCpus = cpusNeeded(busyPercentOf(use) ?? 0, multipliers.cpu);
  if (given !== undefined && (lack.timeout || lack.runtime)) {
    const base = purpose === 'recovery' ? (lack.timeout ? given : use.seconds) : Math.max(given, use.seconds);
    const isRaised = given >= withMargin(use.seconds, multipliers.runtime);
    if (purpose === 'recovery' || !isRaised)
      change.runtimeSeconds = runtimeRounded(withMargin(base, multipliers.runtime));
  }
  return change;
}

/**
 * The CPUs for so many busy ones, with the margin. What is within a tenth of a whole number is that many threads: more CPUs
 * would not make them faster.
 */
function cpusNeeded(busyPercent: number, multiplier: number): number {
  const cpus = busyPercent / 100;
  const whole = Math.max(1, Math.round(cpus));
  return cpus <= 1.1 || Math.abs(cpus - whole) <= 0.1 ? whole : Math.max(Math.ceil(cpus), withMargin(cpus, multiplier));
}

export const memoryRounded = (bytes: number): number => parseMemory(formatMemory(bytes));
export const runtimeRounded = (seconds: number): number => parseDuration(formatRuntime(seconds));

// Without this, a floating-point error would round 100 × 1.1 up to 111.
export const withMargin = (value: number, multiplier: number): number => Math.ceil(value * multiplier - 1e-6);
