import { closeSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs';

/** One process as the kernel tells of it in /proc/PID/stat. */
export interface ProcessSample {
  readonly pid: number;
  readonly parentPid: number;
  readonly groupId: number;
  readonly sessionId: number;
  readonly state: string;
  /** User and system time so far, without that of its children. */
  readonly cpuSeconds: number;
  readonly residentBytes: number;
}

/** The kernel's unit of time in /proc: 100 a second on every Linux that runs a runtime like ours. */
const TICKS_PER_SECOND = 100;

/**
 * Reads the process table.
 *
 * `root` is /proc, or a folder that looks like it. A thousand processes cost 5 ms: one buffer, no text but one line each
 * (bench/monitor). Processes that end while we read are left out.
 */
export function readProcesses(root = '/proc'): ProcessSample[] {
  const buffer = Buffer.allocUnsafe(1024);
  const samples: ProcessSample[] = [];
  for (const name of readdirSync(root)) {
    const first = name.charCodeAt(0);
    if (first < 48 || first > 57) continue;
    const text = readText(`${root}/${name}/stat`, buffer);
    const sample = text === undefined ? undefined : parseStat(text);
    if (sample !== undefined) samples.push(sample);
  }
  return samples;
}

/** Largest resident size that the process ever had, from /proc/PID/status; undefined when it has ended. */
export function readPeakBytes(pid: number, root = '/proc'): number | undefined {
  const text = readText(`${root}/${pid}/status`, Buffer.allocUnsafe(4096));
  const match = /^VmHWM:\s+(\d+) kB$/m.exec(text ?? '');
  return match === null ? undefined : Number(match[1]) * 1024;
}

/** A line of /proc/PID/stat. The name in parentheses may hold blanks and parentheses: fields are counted from the last one. */
export function parseStat(text: string): ProcessSample | undefined {
  const open = text.indexOf('(');
  const close = text.lastIndexOf(')');
  if (open < 0 || close < open) return undefined;
  const fields = text.slice(close + 2).split(' ');
  const number = (field: number) => Number(fields[field - 3]);
  return {
    pid: Number(text.slice(0, open)),
    state: fields[0] ?? '?',
    parentPid: number(4),
    groupId: number(5),
    sessionId: number(6),
    cpuSeconds: (number(14) + number(15)) / TICKS_PER_SECOND,
    residentBytes: number(24) * pageBytes(),
  };
}

let knownPageBytes: number | undefined;

/** 4 KiB nearly everywhere; some ARM machines have 64. The runtime does not tell, the map of our own memory does. */
function pageBytes(): number {
  if (knownPageBytes === undefined) {
    const match = /^KernelPageSize:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/smaps', 'utf8'));
    knownPageBytes = match === null ? 4096 : Number(match[1]) * 1024;
  }
  return knownPageBytes;
}

function readText(path: string, buffer: Buffer): string | undefined {
  let fd: number;
  try {
    fd = openSync(path, 'r');
  } catch {
    return undefined;
  }
  try {
    return buffer.toString('latin1', 0, readSync(fd, buffer, 0, buffer.length, 0));
  } catch {
    return undefined;
  } finally {
    closeSync(fd);
  }
}
