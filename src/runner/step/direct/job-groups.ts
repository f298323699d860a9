import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { oomKillsIn } from '../../../cluster/host/control-group.ts';
import { textOf } from '../../../cluster/host/group-files.ts';
import { type NoGroups, type OwnGroups, ownGroups } from '../../../cluster/host/own-groups.ts';
import type { StepId } from '../../../core/contract/files/job.ts';
import { sizeText } from '../../../core/quantity/size-text.ts';
import type { JobLimits } from '../../facts/run-facts.ts';

/**
 * Control groups of jobs: the kernel ends a job at its memory limit, however fast it allocates, and lets it wait at its CPU limit,
 * however many threads it has.
 *
 * In version 2 it kills the whole group. In version 1 it kills one process, and the next sample of the job ends the others.
 */
export interface JobGroups {
  /** The version and the folder of the groups, for the log. */
  readonly about: string;
  /** The same of those that limit CPU time, or the reason why none do. */
  readonly cpu: { readonly about: string } | NoGroups;
  /** Launches in a new group with these limits. */
  launch(id: StepId, limits: JobLimits, launch: () => number): number;
  /** Whether the kernel killed a process of the running job for lack of memory. */
  hasKills(id: StepId): boolean;
  /** Removes the group of a job that ended; returns what the kernel did to it, if it killed something. */
  ended(id: StepId): KernelKill | undefined;
  close(): void;
}

export interface KernelKill {
  readonly cause: string;
  /** It used this much at least. */
  readonly usedBytes: number;
}

/**
 * The memory that the kernel itself holds for processes and counts to their group, such as page tables and stacks: samples do not
 * count it, and a job that asked for 1 MiB must still be able to start.
 */
const KERNEL_BYTES = 4 * 2 ** 20;

export function createJobGroups({ cpu: isCpuLimited = false } = {}): JobGroups | NoGroups {
  return jobGroupsIn(ownGroups({ cpu: isCpuLimited }));
}

/** The same in groups that exist. */
export function jobGroupsIn(own: OwnGroups | NoGroups): JobGroups | NoGroups {
  if (typeof own === 'string') return own;
  const { version, cpu } = own;
  const limits = new Map<StepId, JobLimits>();
  /** Groups in which processes are left that the job started and did not wait for. */
  const lingering = new Set<StepId>();
  /** This process could not leave a group: it gets no limit, and no more groups are made. */
  let isStuck = false;
  const folderOf = (id: StepId) => join(own.folder, id);

  const hasKills = (id: StepId) => limits.has(id) && (oomKillsIn({ version, memoryFolder: folderOf(id) }) ?? 0) > 0;

  return {
    about: `control groups v${version} in ${own.folder}`,
    cpu: typeof cpu === 'string' ? cpu : { about: `control groups v${version} in ${cpu.folder}` },
    launch(id, asked, launch) {
      if (isStuck) return launch();
      try {
        own.make(id);
        own.enter(id);
      } catch {
        // No room for more groups, or the folder was removed: samples limit this job.
        isStuck = !left(own);
        own.remove(id);
        return launch();
      }
      try {
        return launch();
      } finally {
        isStuck = !left(own);
        // Afterwards: this process must not be in a group with a limit.
        if (!isStuck) {
          if (asked.memoryBytes !== undefined) limitMemory(version, folderOf(id), asked.memoryBytes + KERNEL_BYTES);
          if (asked.cpus !== undefined && typeof cpu !== 'string') limitCpu(version, join(cpu.folder, id), asked.cpus);
        }
        limits.set(id, asked);
      }
    },
    hasKills,
    ended(id) {
      const asked = limits.get(id);
      if (asked === undefined) return undefined;
      const { memoryBytes: limitBytes } = asked;
      const isKilled = hasKills(id);
      const isAtLimit = isKilled && reachedLimit(version, folderOf(id));
      limits.delete(id);
      if (!own.remove(id)) lingering.add(id);
      if (!isKilled) return undefined;
      return isAtLimit && limitBytes !== undefined
        ? { cause: `the kernel killed it at its memory limit of ${sizeText(limitBytes)}`, usedBytes: limitBytes }
        : { cause: 'the kernel killed it: memory ran out', usedBytes: 0 };
    },
    close() {
      for (const id of lingering) own.remove(id);
      own.close();
    },
  };
}

function left(own: OwnGroups): boolean {
  try {
    own.leave();
    return true;
  } catch {
    return false;
  }
}

/** Memory that is swapped out counts as well: otherwise a job above its limit would slow its node down and go on. */
function limitMemory(version: OwnGroups['version'], group: string, bytes: number): void {
  if (version === 2) {
    attempt(`${group}/memory.oom.group`, '1');
    attempt(`${group}/memory.swap.max`, '0');
    attempt(`${group}/memory.max`, String(bytes));
  } else {
    attempt(`${group}/memory.limit_in_bytes`, String(bytes));
    attempt(`${group}/memory.memsw.limit_in_bytes`, String(bytes));
  }
}

/** Long enough to cost nothing, short enough that a job does not halt for long: what the kernel has as its own. */
const PERIOD_US = 100_000;

function limitCpu(version: OwnGroups['version'], group: string, cpus: number): void {
  const quota = Math.round(cpus * PERIOD_US);
  if (version === 2) {
    attempt(`${group}/cpu.max`, `${quota} ${PERIOD_US}`);
  } else {
    attempt(`${group}/cpu.cfs_period_us`, String(PERIOD_US));
    attempt(`${group}/cpu.cfs_quota_us`, String(quota));
  }
}

/**
 * Whether the limit of this group was met, and not that of a group above it. Version 1 has a counter too, which new kernels leave at
 * 0; its peak reaches the limit but for what the kernel takes at once.
 */
function reachedLimit(version: OwnGroups['version'], group: string): boolean {
  if (version === 1)
    return (
      numberIn(`${group}/memory.max_usage_in_bytes`) > numberIn(`${group}/memory.limit_in_bytes`) - CHARGED_AT_ONCE
    );
  const events = textOf(`${group}/memory.events.local`) ?? textOf(`${group}/memory.events`) ?? '';
  return Number(/^max (\d+)$/m.exec(events)?.[1] ?? 0) > 0;
}

/** 64 pages on each of a few CPUs. */
const CHARGED_AT_ONCE = 2 ** 20;

const numberIn = (file: string) => Number(textOf(file) ?? Number.NaN);

function attempt(file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch {
    // A kernel without this file, or a job that is above its limit already: samples limit it.
  }
}
