import { smallest } from '../../core/quantity/extremes.ts';
import { groupPaths, textOf } from './group-files.ts';

/** The limits that control groups and affinity set for this process; undefined where they set none. */
export interface GroupLimits {
  readonly cpus: number | undefined;
  readonly memoryBytes: number | undefined;
}

/** A visible mount of a hierarchy of control groups, and the group at its root. */
interface Mount {
  readonly point: string;
  readonly root: string;
  /** Of version 1; empty for version 2, which has all controllers in one hierarchy. */
  readonly controllers: readonly string[];
}

/**
 * The limits of this process's control groups, of both versions, and its affinity.
 *
 * A group has at most what its parents have, so all visible parents are read. In a container the path of the group is
 * often that of the host, which does not exist there; then the mounted group is our own.
 *
 * `proc` is /proc/self, or a folder with the same layout. Source: cgroups(7), the kernel's cgroup-v2 document, proc(5).
 */
export function groupLimits(proc = '/proc/self'): GroupLimits {
  const mounts = mountsOf(textOf(`${proc}/mountinfo`) ?? '');
  const paths = groupPaths(textOf(`${proc}/cgroup`) ?? '');
  const folders = (controller: string): string[] => {
    const mount = mounts.find(({ controllers }) => controllers.includes(controller));
    return mount === undefined ? [] : lineOf(mount, paths.get(controller) ?? '/');
  };
  const unified = mounts.filter(({ controllers }) => controllers.length === 0);
  const second = unified.flatMap((mount) => lineOf(mount, paths.get('') ?? '/'));

  return {
    cpus: least([
      countOf(/^Cpus_allowed_list:\s*(\S+)$/m.exec(textOf(`${proc}/status`) ?? '')?.[1]),
      ...second.flatMap((folder) => [quotaOf(textOf(`${folder}/cpu.max`)), listIn(`${folder}/cpuset.cpus.effective`)]),
      ...folders('cpu').map((folder) =>
        quotaOf(`${textOf(`${folder}/cpu.cfs_quota_us`)?.trim()} ${textOf(`${folder}/cpu.cfs_period_us`)?.trim()}`),
      ),
      ...folders('cpuset').flatMap((folder) => [
        listIn(`${folder}/cpuset.effective_cpus`),
        listIn(`${folder}/cpuset.cpus`),
      ]),
    ]),
    memoryBytes: least([
      ...second.map((folder) => bytesIn(`${folder}/memory.max`)),
      ...folders('memory').map((folder) => bytesIn(`${folder}/memory.limit_in_bytes`)),
    ]),
  };
}

/**
 * `36 25 0:30 / /sys/fs/cgroup rw shared:9 - cgroup2 cgroup2 rw`: root and mount point; after the dash type and
 * options.
 */
function mountsOf(mountinfo: string): Mount[] {
  return mountinfo.split('\n').flatMap((line) => {
    const [left = '', right = ''] = line.split(' - ');
    const [, , , root, point] = left.split(' ');
    const [type, , options = ''] = right.split(' ');
    if (root === undefined || point === undefined || (type !== 'cgroup' && type !== 'cgroup2')) return [];
    return [
      { root: unescaped(root), point: unescaped(point), controllers: type === 'cgroup' ? options.split(',') : [] },
    ];
  });
}

/** The folders of a group and of its parents. */
function lineOf({ point, root }: Mount, path: string): string[] {
  const within = root === '/' ? path : path === root || path.startsWith(`${root}/`) ? path.slice(root.length) : '/';
  const steps = within.split('/').filter((step) => step !== '' && step !== '..');
  return steps.map((_, index) => [point, ...steps.slice(0, steps.length - index)].join('/')).concat(point);
}

/** Mount points contain blanks as `\040`. */
const unescaped = (text: string) =>
  text.replaceAll(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));

/**
 * `150000 100000`: time in each period; `max` and -1 mean no limit. Only whole CPUs count, because half a CPU cannot be
 * leased to a job.
 */
function quotaOf(text: string | undefined): number | undefined {
  const match = /^(\d+) (\d+)/.exec(text ?? '');
  const [quota, period] = [Number(match?.[1]), Number(match?.[2])];
  return match === null || quota === 0 || period === 0 ? undefined : Math.max(1, Math.floor(quota / period));
}

const listIn = (path: string) => countOf(textOf(path)?.trim());

/** The number of CPUs in a list such as `0-3,8`. */
function countOf(list: string | undefined): number | undefined {
  if (list === undefined || list === '') return undefined;
  const count = list.split(',').reduce((sum, part) => {
    const [first, last = first] = part.split('-').map(Number);
    return sum + ((last as number) - (first as number) + 1);
  }, 0);
  return count > 0 ? count : undefined;
}

/** Bytes; `max`, and the largest value of version 1, mean no limit. */
function bytesIn(path: string): number | undefined {
  const text = textOf(path)?.trim() ?? '';
  if (!/^\d+$/.test(text)) return undefined;
  const bytes = Number(text);
  return bytes > 0 && bytes < Number.MAX_SAFE_INTEGER ? bytes : undefined;
}

const least = (limits: readonly (number | undefined)[]): number | undefined => {
  const set = limits.filter((limit) => limit !== undefined);
  return set.length === 0 ? undefined : smallest(set);
};
