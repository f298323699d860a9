import { readFileSync } from 'node:fs';
import { TICKS_PER_SECOND } from './proc.ts';

/** A block device, with the numbers of its line in /proc/diskstats from the fourth on. */
interface DiskFigures {
  readonly name: string;
  readonly major: number;
  readonly minor: number;
  readonly stats: readonly number[];
}

/** What the node as a whole does. Parts that could not be read are undefined. */
export interface NodeFigures {
  /** Unix seconds. */
  readonly bootedAt: number | undefined;
  /** Seconds since the boot; the clock does not move it. */
  readonly uptimeSeconds: number | undefined;
  /** Busy seconds since boot, by the number of the CPU; 0 for one that is offline. */
  readonly cpuSeconds: readonly number[] | undefined;
  readonly memoryBytes: number | undefined;
  readonly usedMemoryBytes: number | undefined;
  readonly load: LoadFigures | undefined;
  readonly disks: readonly DiskFigures[] | undefined;
  /** A sentence for each part that could not be read. */
  readonly problems: readonly string[];
}

interface LoadFigures {
  readonly load1: number;
  readonly load5: number;
  readonly load15: number;
  readonly runnable: number;
  readonly existing: number;
}

/** Reads the figures of the node. `root` is /proc, or a folder with the same layout. */
export function readNodeFigures(root = '/proc'): NodeFigures {
  const problems: string[] = [];
  const part = <T>(file: string, parse: (text: string) => T | undefined): T | undefined => {
    try {
      const found = parse(readFileSync(`${root}/${file}`, 'latin1'));
      if (found === undefined) problems.push(`${root}/${file} is not as expected`);
      return found;
    } catch (error) {
      problems.push(`${root}/${file} cannot be read: ${(error as Error).message}`);
      return undefined;
    }
  };
  const cpu = part('stat', parseCpuFigures);
  const memory = part('meminfo', parseMemory);
  return {
    bootedAt: cpu?.bootedAt,
    uptimeSeconds: atLeast(
      part('uptime', (text) => (/^\d/.test(text) ? Number.parseFloat(text) : undefined)),
      root === '/proc' ? Number(process.hrtime.bigint()) / 1e9 : undefined,
    ),
    cpuSeconds: cpu?.cpuSeconds,
    memoryBytes: memory?.totalBytes,
    usedMemoryBytes: memory?.usedBytes,
    load: part('loadavg', parseLoad),
    disks: part('diskstats', parseDisks),
    problems,
  };
}

/**
 * The uptime by a file, if it can be true: the clock that stands still while a machine is suspended is never ahead of it. In a container with
 * lxcfs the file says how long the container has been running, while the starts of processes count from the boot: they are in the future
 * then, and a process that used an hour seems to have used it in a second.
 */
export const atLeast = (uptimeSeconds: number | undefined, monotonicSeconds: number | undefined): number | undefined =>
  monotonicSeconds === undefined ? uptimeSeconds : Math.max(uptimeSeconds ?? 0, monotonicSeconds);

/** /proc/stat: `cpu3 user nice system idle iowait irq softirq …` in ticks, and `btime`. */
function parseCpuFigures(text: string): { bootedAt: number; cpuSeconds: number[] } | undefined {
  const bootedAt = /^btime (\d+)$/m.exec(text)?.[1];
  if (bootedAt === undefined) return undefined;
  const cpuSeconds: number[] = [];
  for (const [, index, rest = ''] of text.matchAll(/^cpu(\d+) +(.*)$/gm)) {
    const ticks = rest.split(' ').map(Number);
    // Neither idle nor iowait, and not what a hypervisor took. user and nice include the guests.
    const busy = [0, 1, 2, 5, 6].reduce((sum, kind) => sum + (ticks[kind] || 0), 0);
    cpuSeconds[Number(index)] = Math.floor(busy / TICKS_PER_SECOND);
  }
  return { bootedAt: Number(bootedAt), cpuSeconds: Array.from(cpuSeconds, (seconds) => seconds ?? 0) };
}

function parseMemory(text: string): { totalBytes: number; usedBytes: number } | undefined {
  const kibibytes = (name: string) => {
    const match = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(text)?.[1];
    return match === undefined ? undefined : Number(match);
  };
  const total = kibibytes('MemTotal');
  // Linux before 3.14 says no MemAvailable.
  const available = kibibytes('MemAvailable') ?? kibibytes('MemFree');
  if (total === undefined || available === undefined) return undefined;
  return { totalBytes: total * 1024, usedBytes: Math.max(0, total - available) * 1024 };
}

/** `0.20 0.18 0.12 1/80 11206`. */
function parseLoad(text: string): LoadFigures | undefined {
  const match = /^([\d.]+) ([\d.]+) ([\d.]+) (\d+)\/(\d+)/.exec(text);
  if (match === null) return undefined;
  const [load1 = 0, load5 = 0, load15 = 0, runnable = 0, existing = 0] = match.slice(1).map(Number);
  return { load1, load5, load15, runnable, existing };
}

/** `8 0 sda 11 numbers or more`. Loop and memory devices are left out: what they do shows at the disks below them. */
function parseDisks(text: string): DiskFigures[] {
  return text.split('\n').flatMap((line) => {
    const [major, minor, name, ...stats] = line.trim().split(/\s+/);
    if (name === undefined || /^(?:loop|ram)\d/.test(name)) return [];
    const numbers = stats.map(Number);
    return numbers.some((each) => !Number.isSafeInteger(each) || each < 0)
      ? []
      : [{ name, major: Number(major), minor: Number(minor), stats: numbers }];
  });
}
