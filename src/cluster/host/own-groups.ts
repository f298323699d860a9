import { existsSync, mkdirSync, readdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type ControlGroup, groupOf, type Roots } from './control-group.ts';
import { textOf } from './group-files.ts';
import { startOf } from './start-of.ts';

/**
 * A folder of control groups in which this process may make groups with a memory limit, and its way into one and back.
 *
 * Version 1: below the group of this process; its main thread alone moves, and what that starts meanwhile stays. Version 2: the
 * whole process moves, and a group with limits has no processes of its own, so this process gets a group beside those of the jobs.
 */
export interface OwnGroups {
  readonly version: ControlGroup['version'];
  readonly folder: string;
  enter(group: string): void;
  leave(): void;
  close(): void;
}

/** Where such groups cannot be made, the reason. */
export type NoGroups = string;

const PREFIX = 'torc-';

/** Removes the empty groups of processes that have ended, then makes a folder for this one. */
export function ownGroups(roots: Roots = {}): OwnGroups | NoGroups {
  const own = groupOf('self', roots);
  if (own === undefined) return 'this process has no control group that counts memory';
  const reasons: string[] = [];
  for (const place of own.version === 1 ? [inside(own)] : [delegated(own), beside(own, roots)]) {
    try {
      const groups = place();
      if (typeof groups !== 'string') return groups;
      reasons.push(groups);
    } catch (error) {
      reasons.push((error as NodeJS.ErrnoException).code ?? (error as Error).message);
    }
  }
  return `${dirname(own.memoryFolder)}: ${[...new Set(reasons)].join(', ')}`;
}

const move = (file: string) => writeFileSync(file, '0');

/** Version 1: any folder below the group of this process has a limit of its own. */
const inside = (own: ControlGroup) => (): OwnGroups => {
  const folder = folderIn(own.memoryFolder);
  const back = join(own.memoryFolder, 'tasks');
  return tested({
    version: 1,
    folder,
    enter: (group) => move(join(group, 'tasks')),
    leave: () => move(back),
    close: () => removeWithGroups(folder),
  });
};

/** Version 2, and the group of this process was made for it alone, by `systemd-run -p Delegate=yes` for instance. */
const delegated = (own: ControlGroup) => (): OwnGroups | NoGroups => {
  const { memoryFolder: top } = own;
  if (!has(`${top}/cgroup.controllers`, 'memory')) return 'no memory controller';
  if (textOf(`${top}/cgroup.procs`)?.trim() !== String(process.pid)) return 'others are in the group of this process';
  const folder = folderIn(top);
  const runner = join(folder, 'runner');
  mkdirSync(runner);
  const close = () => {
    write(`${folder}/cgroup.subtree_control`, '-memory');
    write(`${top}/cgroup.subtree_control`, '-memory');
    write(`${top}/cgroup.procs`, '0');
    removeWithGroups(folder);
  };
  try {
    move(join(runner, 'cgroup.procs'));
    writeFileSync(`${top}/cgroup.subtree_control`, '+memory');
    writeFileSync(`${folder}/cgroup.subtree_control`, '+memory');
    return tested({ ...wholeProcess(folder, runner), close });
  } catch (error) {
    close();
    throw error;
  }
};

/** Version 2, and the group above that of this process may have more groups. */
const beside =
  (own: ControlGroup, { groups = '/sys/fs/cgroup' }: Roots) =>
  (): OwnGroups | NoGroups => {
    const top = dirname(own.memoryFolder);
    if (!top.startsWith(groups)) return 'no group above it';
    if (!has(`${top}/cgroup.subtree_control`, 'memory')) return 'no memory controller';
    const folder = folderIn(top);
    try {
      writeFileSync(`${folder}/cgroup.subtree_control`, '+memory');
      return tested({ ...wholeProcess(folder, own.memoryFolder), close: () => removeWithGroups(folder) });
    } catch (error) {
      removeWithGroups(folder);
      throw error;
    }
  };

const wholeProcess = (folder: string, home: string) => ({
  version: 2 as const,
  folder,
  enter: (group: string) => move(join(group, 'cgroup.procs')),
  leave: () => move(join(home, 'cgroup.procs')),
});

/** Moves there and back once: what does not work now must not fail between the start of a job and the next one. */
function tested(groups: OwnGroups): OwnGroups {
  const probe = join(groups.folder, 'probe');
  try {
    mkdirSync(probe);
    groups.enter(probe);
    groups.leave();
    rmdirSync(probe);
    return groups;
  } catch (error) {
    groups.close();
    throw error;
  }
}

function folderIn(top: string): string {
  for (const name of readdirSync(top)) if (isLeft(name)) removeWithGroups(join(top, name));
  const folder = join(top, `${PREFIX}${process.pid}-${ticksOf(process.pid) ?? 0}`);
  mkdirSync(folder);
  return folder;
}

/** The folder of a process that has ended: the kernel gives its number again, but not with the same start. */
function isLeft(name: string): boolean {
  const match = /^torc-(\d+)-(\d+)$/.exec(name);
  return match !== null && ticksOf(Number(match[1])) !== match[2];
}

const ticksOf = (pid: number): string | undefined => startOf(pid)?.split(' ').at(-1);

/** A group in which a process is left stays. */
function removeWithGroups(folder: string): void {
  if (!existsSync(folder)) return;
  for (const each of readdirSync(folder, { withFileTypes: true }))
    if (each.isDirectory()) removeGroup(join(folder, each.name));
  removeGroup(folder);
}

/** Whether it is gone. */
export function removeGroup(folder: string): boolean {
  try {
    rmdirSync(folder);
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
