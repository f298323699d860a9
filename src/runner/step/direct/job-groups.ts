import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { oomKillsIn } from '../../../cluster/host/control-group.ts';
import { textOf } from '../../../cluster/host/group-files.ts';
import { type NoGroups, type OwnGroups, ownGroups, removeGroup } from '../../../cluster/host/own-groups.ts';
import type { StepId } from '../../../core/contract/files/job.ts';
import { sizeText } from '../../../core/quantity/size-text.ts';

/**
 * Control groups of jobs: the kernel ends a job at its memory limit, however fast it allocates.
 *
 * In version 2 it kills the whole group. In version 1 it kills one process, and the next sample of the job ends the others.
 */
export interface JobGroups {
  /** The version and the folder of the groups, for the log. */
  readonly about: string;
  /** Launches in a new group with this limit. */
  launch(id: StepId, limitBytes: number, launch: () => number): number;
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

export function createJobGroups(own: OwnGroups | NoGroups = ownGroups()): JobGroups | NoGroups {
  if (typeof own === 'string') return own;
  const { version } = own;
  const limits = new Map<StepId, number>();
  /** Groups in which processes are left that the job started and did not wait for. */
  const lingering = new Set<string>();
  /** This process could not leave a group: it gets no limit, and no more groups are made. */
  let isStuck = false;
  const folderOf = (id: StepId) => join(own.folder, id);

  const hasKills = (id: StepId) => limits.has(id) && (oomKillsIn({ version, memoryFolder: folderOf(id) }) ?? 0) > 0;

  return {
    about: `control groups v${version} in ${own.folder}`,
    launch(id, limitBytes, launch) {
      if (isStuck) return launch();
      const group = folderOf(id);
      try {
        mkdirSync(group);
        own.enter(group);
      } catch {
        // No room for more groups, or the folder was removed: samples limit this job.
        removeGroup(group);
        return launch();
      }
      try {
        return launch();
      } finally {
        isStuck = !left(own);
        // Afterwards: this process must not be in a group with a limit.
        if (!isStuck) limitGroup(version, group, limitBytes + KERNEL_BYTES);
        limits.set(id, limitBytes);
      }
    },
    hasKills,
    ended(id) {
      const limitBytes = limits.get(id);
      if (limitBytes === undefined) return undefined;
      const group = folderOf(id);
      const isKilled = hasKills(id);
      const isAtLimit = isKilled && reachedLimit(version, group);
      limits.delete(id);
      if (!removeGroup(group)) lingering.add(group);
      if (!isKilled) return undefined;
      return isAtLimit
        ? { cause: `the kernel killed it at its memory limit of ${sizeText(limitBytes)}`, usedBytes: limitBytes }
        : { cause: 'the kernel killed it: memory ran out', usedBytes: 0 };
    },
    close() {
      for (const group of lingering) removeGroup(group);
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
function limitGroup(version: OwnGroups['version'], group: string, bytes: number): void {
  if (version === 2) {
    attempt(`${group}/memory.oom.group`, '1');
    attempt(`${group}/memory.swap.max`, '0');
    attempt(`${group}/memory.max`, String(bytes));
  } else {
    attempt(`${group}/memory.limit_in_bytes`, String(bytes));
    attempt(`${group}/memory.memsw.limit_in_bytes`, String(bytes));
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
