import { dirname, join } from 'node:path';
import { groupPaths, textOf } from './group-files.ts';

/**
 * A kernel control group with memory accounting: a Slurm step or an allocation on a node.
 *
 * In version 2 all controllers are in one folder; in version 1 each has its own tree, and CPU time is read from another
 * folder than memory.
 */
export interface ControlGroup {
  readonly version: 1 | 2;
  readonly memoryFolder: string;
  readonly cpuFolder: string | undefined;
}

/** The use of a group: CPU time since it was created, and present memory without the page cache. */
export interface GroupUse {
  readonly cpuSeconds: number | undefined;
  readonly memoryBytes: number;
  readonly limitBytes: number | undefined;
}

export interface Roots {
  readonly proc?: string;
  readonly groups?: string;
}

/** The group of a process; undefined if the kernel, or the container, shows none. */
export function groupOf(
  pid: number | 'self',
  { proc = '/proc', groups = '/sys/fs/cgroup' }: Roots = {},
): ControlGroup | undefined {
  const paths = groupPaths(textOf(`${proc}/${pid}/cgroup`) ?? '');
  const memory = paths.get('memory');
  if (memory !== undefined) {
    const folder = join(groups, 'memory', memory);
    const cpu = paths.get('cpuacct');
    return textOf(join(folder, 'memory.usage_in_bytes')) === undefined
      ? undefined
      : { version: 1, memoryFolder: folder, cpuFolder: cpu === undefined ? undefined : join(groups, 'cpuacct', cpu) };
  }
  const folder = join(groups, paths.get('') ?? '');
  return textOf(join(folder, 'memory.current')) === undefined
    ? undefined
    : { version: 2, memoryFolder: folder, cpuFolder: folder };
}

/** The group itself or its nearest parent with a memory limit: the part of the node that a runner may use. */
export function limitedGroup(group: ControlGroup, groups = '/sys/fs/cgroup'): ControlGroup | undefined {
  for (let { memoryFolder, cpuFolder } = group; memoryFolder.startsWith(groups);) {
    const here = { version: group.version, memoryFolder, cpuFolder };
    if (limitOf(here) !== undefined) return here;
    if (memoryFolder === groups || dirname(memoryFolder) === groups) break;
    memoryFolder = dirname(memoryFolder);
    cpuFolder = cpuFolder === undefined ? undefined : dirname(cpuFolder);
  }
  return undefined;
}

/** The present use of the group; undefined if it no longer exists. */
export function useOfGroup(group: ControlGroup): GroupUse | undefined {
  const { version, memoryFolder } = group;
  const usage = Number(
    textOf(join(memoryFolder, version === 2 ? 'memory.current' : 'memory.usage_in_bytes')) ?? Number.NaN,
  );
  if (!Number.isFinite(usage)) return undefined;
  const statistics = textOf(join(memoryFolder, 'memory.stat')) ?? '';
  const prefix = version === 2 ? '' : 'total_';
  const droppable =
    (numberIn(statistics, `${prefix}inactive_file`) ?? 0) + (numberIn(statistics, `${prefix}active_file`) ?? 0);
  return {
    cpuSeconds: cpuSecondsOf(group),
    memoryBytes: Math.max(0, usage - droppable),
    limitBytes: limitOf(group),
  };
}

/**
 * How many processes of the group the kernel killed because memory ran out: that of the group, or that of the machine.
 * Undefined if the kernel does not count them (before Linux 4.13).
 */
export function oomKillsIn({
  version,
  memoryFolder,
}: Pick<ControlGroup, 'version' | 'memoryFolder'>): number | undefined {
  const file = version === 2 ? 'memory.events' : 'memory.oom_control';
  return numberIn(textOf(join(memoryFolder, file)) ?? '', 'oom_kill');
}

function cpuSecondsOf({ version, cpuFolder }: ControlGroup): number | undefined {
  if (cpuFolder === undefined) return undefined;
  if (version === 2) {
    const microseconds = numberIn(textOf(join(cpuFolder, 'cpu.stat')) ?? '', 'usage_usec');
    return microseconds === undefined ? undefined : microseconds / 1e6;
  }
  const nanoseconds = textOf(join(cpuFolder, 'cpuacct.usage'));
  return nanoseconds === undefined ? undefined : Number(nanoseconds) / 1e9;
}

/** Larger values mean no limit, because version 1 has no other notation for it. */
const NO_LIMIT = 2 ** 60;

function limitOf({ version, memoryFolder }: ControlGroup): number | undefined {
  const text = textOf(join(memoryFolder, version === 2 ? 'memory.max' : 'memory.limit_in_bytes'))?.trim() ?? 'max';
  const bytes = text === 'max' ? Infinity : Number(text);
  return bytes < NO_LIMIT ? bytes : undefined;
}

const numberIn = (text: string, name: string): number | undefined => {
  const match = new RegExp(`^${name} (\\d+)$`, 'm').exec(text);
  return match === null ? undefined : Number(match[1]);
};
