import { existsSync, mkdirSync, readdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type ControlGroup, groupOf, type Roots } from './control-group.ts';
import { groupPaths, textOf } from './group-files.ts';
import { startOf } from './start-of.ts';

/**
 * Control groups that this process may make, with a limit of memory and where possible of CPU time, and its way into one and back.
 *
 * Version 1: below the groups of this process; its main thread alone moves, and what that starts meanwhile stays. Version 2: the
 * whole process moves, and a group with limits has no processes of its own, so this process gets a group beside those of the jobs.
 */
export interface OwnGroups {
  readonly version: ControlGroup['version'];
  /** Where the groups are that limit memory. */
  readonly folder: string;
  /** Where those are that limit CPU time, in version 2 the same; otherwise the reason why there are none. */
  readonly cpu: { readonly folder: string } | NoGroups;
  make(name: string): void;
  enter(name: string): void;
  leave(): void;
  /** Whether it is gone; a group in which a process is left stays. */
  remove(name: string): boolean;
  close(): void;
}

/** Where such groups cannot be made, the reason. */
export type NoGroups = string;

export interface WantedGroups {
  readonly roots?: Roots | undefined;
  /** Whether CPU time is to be limited, too: schedulers do more work for processes in groups that count it. */
  readonly cpu?: boolean | undefined;
  /** How a group is made and removed: as a folder, in which the kernel shows its files. */
  readonly door?: GroupDoor | undefined;
}

interface GroupDoor {
  readonly make: (folder: string) => void;
  readonly remove: (folder: string) => void;
}

const PREFIX = 'torc-';

/** Removes the empty groups of processes that have ended, then makes folders for this one. */
export function ownGroups({
  roots = {},
  cpu = false,
  door = { make: mkdirSync, remove: rmdirSync },
}: WantedGroups = {}): OwnGroups | NoGroups {
  const own = groupOf('self', roots);
  if (own === undefined) return 'this process has no control group that counts memory';
  const place: Place = { top: own.memoryFolder, roots, isCpuWanted: cpu, door };
  const reasons: string[] = [];
  for (const groupsIn of own.version === 1 ? [inside] : [delegated, beside]) {
    try {
      const groups = groupsIn(place);
      if (typeof groups !== 'string') return groups;
      reasons.push(groups);
    } catch (error) {
      reasons.push(reasonOf(error));
    }
  }
  return `${dirname(own.memoryFolder)}: ${[...new Set(reasons)].join(', ')}`;
}

interface Place {
  /** The group of this process. */
  readonly top: string;
  readonly roots: Roots;
  readonly isCpuWanted: boolean;
  readonly door: GroupDoor;
}

const reasonOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? (error as Error).message;
const NOT_WANTED = 'not requested';
const NO_CPU_CONTROLLER = 'no CPU controller';

/** The kernel takes 0 as the process, or in version 1 the thread, that writes. */
const move = (file: string) => writeFileSync(file, '0');

/** Version 1: any folder below the group of this process has a limit of its own; each controller has a tree. */
function inside({ top, roots, isCpuWanted, door }: Place): OwnGroups {
  const memory = tree(top, door);
  const cpu = isCpuWanted ? cpuTree(roots, door) : NOT_WANTED;
  const trees = typeof cpu === 'string' ? [memory] : [memory, cpu];
  return {
    version: 1,
    folder: memory.folder,
    cpu,
    make: (name) => trees.forEach((each) => door.make(join(each.folder, name))),
    enter: (name) => trees.forEach((each) => move(join(each.folder, name, 'tasks'))),
    leave: () => trees.forEach((each) => move(each.home)),
    remove: (name) => trees.map((each) => removeGroup(join(each.folder, name), door)).every(Boolean),
    close: () => trees.forEach((each) => removeWithGroups(each.folder, door)),
  };
}

/** A folder below this group into which this process can move and from which it can come back. */
function tree(top: string, door: GroupDoor): { readonly folder: string; readonly home: string } {
  const made = { folder: folderIn(top, door), home: join(top, 'tasks') };
  return tested(
    made,
    () => move(join(made.folder, 'probe', 'tasks')),
    () => move(made.home),
    door,
  );
}

function cpuTree({ proc = '/proc', groups = '/sys/fs/cgroup' }: Roots, door: GroupDoor) {
  const own = groupPaths(textOf(`${proc}/self/cgroup`) ?? '').get('cpu');
  const top = join(groups, 'cpu', own ?? '');
  if (own === undefined || !existsSync(join(top, 'cpu.cfs_quota_us'))) return NO_CPU_CONTROLLER;
  try {
    return tree(top, door);
  } catch (error) {
    return `${top}: ${reasonOf(error)}`;
  }
}

/** Version 2, and the group of this process was made for it alone, by `systemd-run -p Delegate=yes` for instance. */
function delegated({ top, isCpuWanted, door }: Place): OwnGroups | NoGroups {
  if (!has(`${top}/cgroup.controllers`, 'memory')) return 'no memory controller';
  if (textOf(`${top}/cgroup.procs`)?.trim() !== String(process.pid)) return 'others are in the group of this process';
  const folder = folderIn(top, door);
  const runner = join(folder, 'runner');
  door.make(runner);
  const close = () => {
    for (const each of ['-cpu', '-memory']) {
      write(`${folder}/cgroup.subtree_control`, each);
      write(`${top}/cgroup.subtree_control`, each);
    }
    write(`${top}/cgroup.procs`, '0');
    removeWithGroups(folder, door);
  };
  try {
    move(join(runner, 'cgroup.procs'));
    writeFileSync(`${top}/cgroup.subtree_control`, '+memory');
    writeFileSync(`${folder}/cgroup.subtree_control`, '+memory');
    const cpu = isCpuWanted ? cpuIn(folder, [top, folder], `${top}/cgroup.controllers`) : NOT_WANTED;
    return unified(folder, runner, cpu, close, door);
  } catch (error) {
    close();
    throw error;
  }
}

/** Version 2, and the group above that of this process may have more groups. */
function beside({ top: own, roots, isCpuWanted, door }: Place): OwnGroups | NoGroups {
  const top = dirname(own);
  if (!top.startsWith(roots.groups ?? '/sys/fs/cgroup')) return 'no group above it';
  if (!has(`${top}/cgroup.subtree_control`, 'memory')) return 'no memory controller';
  const folder = folderIn(top, door);
  const close = () => removeWithGroups(folder, door);
  try {
    writeFileSync(`${folder}/cgroup.subtree_control`, '+memory');
    const cpu = isCpuWanted ? cpuIn(folder, [folder], `${top}/cgroup.subtree_control`) : NOT_WANTED;
    return unified(folder, own, cpu, close, door);
  } catch (error) {
    close();
    throw error;
  }
}

/** Turns the CPU controller on for the groups in these folders, if `listed` names it; without it they limit memory alone. */
function cpuIn(folder: string, from: readonly string[], listed: string): OwnGroups['cpu'] {
  if (!has(listed, 'cpu')) return NO_CPU_CONTROLLER;
  try {
    for (const each of from) writeFileSync(`${each}/cgroup.subtree_control`, '+cpu');
    return { folder };
  } catch (error) {
    return `${folder}: ${reasonOf(error)}`;
  }
}

function unified(folder: string, home: string, cpu: OwnGroups['cpu'], close: () => void, door: GroupDoor): OwnGroups {
  const enter = (name: string) => move(join(folder, name, 'cgroup.procs'));
  const leave = () => move(join(home, 'cgroup.procs'));
  const groups: OwnGroups = {
    version: 2,
    folder,
    cpu,
    make: (name) => door.make(join(folder, name)),
    enter,
    leave,
    remove: (name) => removeGroup(join(folder, name), door),
    close,
  };
  return tested(groups, () => enter('probe'), leave, door);
}

/** Moves there and back once: what does not work now must not fail between the start of a job and the next one. */
function tested<In extends { readonly folder: string }>(
  groups: In,
  enter: () => void,
  leave: () => void,
  door: GroupDoor,
): In {
  const probe = join(groups.folder, 'probe');
  try {
    door.make(probe);
    enter();
    leave();
    door.remove(probe);
    return groups;
  } catch (error) {
    removeWithGroups(groups.folder, door);
    throw error;
  }
}

function folderIn(top: string, door: GroupDoor): string {
  for (const name of readdirSync(top)) if (isLeft(name)) removeWithGroups(join(top, name), door);
  const folder = join(top, `${PREFIX}${process.pid}-${ticksOf(process.pid) ?? 0}`);
  door.make(folder);
  return folder;
}

/** The folder of a process that has ended: the kernel gives its number again, but not with the same start. */
function isLeft(name: string): boolean {
  const match = /^torc-(\d+)-(\d+)$/.exec(name);
  return match !== null && ticksOf(Number(match[1])) !== match[2];
}

const ticksOf = (pid: number): string | undefined => startOf(pid)?.split(' ').at(-1);

function removeWithGroups(folder: string, door: GroupDoor): void {
  if (!existsSync(folder)) return;
  for (const each of readdirSync(folder, { withFileTypes: true }))
    if (each.isDirectory()) removeGroup(join(folder, each.name), door);
  removeGroup(folder, door);
}

function removeGroup(folder: string, door: GroupDoor): boolean {
  try {
    door.remove(folder);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT';
  }
}

const has = (file: string, word: string) => (textOf(file) ?? '').split(/\s+/).includes(word);

function write(file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch {
    // It may have succeeded before, or not have been needed.
  }
}
