import { closeSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs';
import { readFile } from 'node:fs/promises';

/** One process, from /proc/PID/stat. */
export interface ProcessSample {
  readonly pid: number;
  readonly parentPid: number;
  readonly groupId: number;
  readonly sessionId: number;
  readonly state: string;
  /** Its name as the kernel has it, at most 15 bytes for a program; bytes that are no UTF-8 become U+FFFD. */
  readonly name: string;
  readonly threads: number;
  /** Clock ticks from the boot to its start: together with the id this identifies a process, because ids are reused. */
  readonly startTicks: number;
  /** User and system time so far, without its children. */
  readonly cpuSeconds: number;
  /** The time of its children that it waited for, and of theirs. */
  readonly waitedCpuSeconds: number;
  readonly residentBytes: number;
}

/** The kernel's unit of time in /proc: 100 a second on every Linux that runs this runtime. */
export const TICKS_PER_SECOND = 100;

/** The process table, for repeated reads. */
export interface ProcessTable {
  /** Every process except those in `passOver`. Processes that end during the read are left out. */
  read(passOver?: ReadonlySet<number>): ProcessSample[];
  close(): void;
}

/** The maximum number of files kept open; jobs do not inherit them. */
const MOST_KEPT = 2_000;
/** File descriptors reserved for the rest of the program: connections, logs, databases; it uses about forty. */
const LEFT_TO_OTHERS = 256;

/**
 * How many files may be kept open now, by each of two readers: a launcher may have lowered the limit of this process for its
 * jobs.
 */
export function mostKept(most = MOST_KEPT): number {
  const match = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1'));
  return Math.min(most, Math.floor((Number(match?.[1] ?? LEFT_TO_OTHERS) - LEFT_TO_OTHERS) / 2));
}

/**
 * Opens the process table.
 *
 * `root` is /proc, or a folder with the same layout. The file of a process stays open from one read to the next:
 * opening and closing costs as much as reading. A thousand processes cost 9 ms this way, and 17 ms otherwise
 * (bench/monitor). An open file never shows another process that got the same id.
 */
export function openProcessTable(root = '/proc'): ProcessTable {
  const buffer = Buffer.allocUnsafe(1024);
  const kept = new Map<number, { readonly fd: number; read: number }>();
  let reads = 0;
  /** How many of the open files were read this time. */
  let current = 0;

  /** The line of a process, from its open file if there is one. */
  const lineOf = (pid: number, most: number): Buffer | undefined => {
    const known = kept.get(pid);
    if (known !== undefined) {
      const line = readFrom(known.fd, buffer);
      known.read = reads;
      if (line !== undefined) {
        current += 1;
        return line;
      }
      closeSync(known.fd);
      kept.delete(pid);
    }
    const fd = openOrNone(`${root}/${pid}/stat`);
    if (fd === undefined) return undefined;
    const line = readFrom(fd, buffer);
    if (line === undefined || kept.size >= most) {
      closeSync(fd);
    } else {
      kept.set(pid, { fd, read: reads });
      current += 1;
    }
    return line;
  };

  return {
    read(passOver) {
      reads += 1;
      current = 0;
      const most = mostKept();
      const samples: ProcessSample[] = [];
      for (const name of readdirSync(root)) {
        const first = name.charCodeAt(0);
        if (first < 48 || first > 57) continue;
        const pid = Number(name);
        if (passOver?.has(pid) === true) continue;
        const line = lineOf(pid, most);
        const sample = line === undefined ? undefined : parseStat(line);
        if (sample !== undefined) samples.push(sample);
      }
      if (kept.size > current) closeAll((read) => read < reads);
      return samples;
    },
    close: () => closeAll(() => true),
  };

  function closeAll(isOver: (read: number) => boolean): void {
    for (const [pid, { fd, read }] of kept) {
      if (!isOver(read)) continue;
      closeSync(fd);
      kept.delete(pid);
    }
  }
}

/** Peak resident size of the process, from /proc/PID/status; undefined if it has ended. */
export function readPeakBytes(pid: number, root = '/proc'): number | undefined {
  const text = readText(`${root}/${pid}/status`, Buffer.allocUnsafe(4096));
  const match = /^VmHWM:\s+(\d+) kB$/m.exec(text ?? '');
  return match === null ? undefined : Number(match[1]) * 1024;
}

/**
 * Memory of several processes together, with shared memory counted once: the sum of their proportional sizes. An ended
 * process counts as zero; one that may not be inspected counts with its resident size.
 *
 * The kernel walks through all pages for this, about a second for some hundred gigabytes: hence off the main thread.
 */
export async function proportionalBytes(pids: readonly number[], root = '/proc'): Promise<number> {
  const sizes = await Promise.all(
    pids.map(async (pid) => {
      const text = await readFile(`${root}/${pid}/smaps_rollup`, 'latin1').catch(() => undefined);
      const match = /^Pss:\s+(\d+) kB$/m.exec(text ?? '');
      if (match !== null) return Number(match[1]) * 1024;
      const statm = await readFile(`${root}/${pid}/statm`, 'latin1').catch(() => '0 0');
      return Number(statm.split(' ')[1]) * pageBytes();
    }),
  );
  return sizes.reduce((sum, each) => sum + each, 0);
}

/**
 * Parses a line of /proc/PID/stat. The name in parentheses may contain blanks and parentheses, so fields are counted
 * from the last one.
 *
 * It reads bytes, and only up to the last field that is needed: splitting into strings costs as much as the kernel's
 * part.
 */
export function parseStat(given: Buffer | string): ProcessSample | undefined {
  const line = typeof given === 'string' ? Buffer.from(given, 'latin1') : given;
  const open = line.indexOf(OPEN);
  const close = line.lastIndexOf(CLOSE);
  if (open < 0 || close < open) return undefined;
  let at = close + 2;
  /** The whole number at this position; moves to the next field. */
  const number = () => {
    let value = 0;
    for (let byte = line[at] ?? BLANK; byte >= ZERO && byte <= NINE; byte = line[at] ?? BLANK) {
      value = value * 10 + byte - ZERO;
      at += 1;
    }
    return pass(value);
  };
  const pass = (value: number) => {
    while (at < line.length && line[at] !== BLANK) at += 1;
    at += 1;
    return value;
  };
  const skip = (fields: number) => {
    for (let field = 0; field < fields; field += 1) pass(0);
  };
  const state = String.fromCharCode(line[at] ?? UNKNOWN);
  skip(1);
  const parentPid = number();
  const groupId = number();
  const sessionId = number();
  skip(7);
  const ticks = number() + number();
  const waitedTicks = number() + number();
  skip(2);
  const threads = number();
  skip(1);
  const startTicks = number();
  skip(1);
  const pages = number();
  if (at > line.length + 1) return undefined;
  return {
    pid: Number(line.toString('latin1', 0, open)),
    name: line.toString('utf8', open + 1, close),
    threads,
    state,
    parentPid,
    groupId,
    sessionId,
    startTicks,
    cpuSeconds: ticks / TICKS_PER_SECOND,
    waitedCpuSeconds: waitedTicks / TICKS_PER_SECOND,
    residentBytes: pages * pageBytes(),
  };
}

const OPEN = 40;
const CLOSE = 41;
const BLANK = 32;
const ZERO = 48;
const NINE = 57;
const UNKNOWN = 63;

let knownPageBytes: number | undefined;

/**
 * 4 KiB nearly everywhere; some ARM machines have 64. The runtime does not report it, but the auxiliary vector that the
 * kernel gave this program does: pairs of 64-bit numbers, of which the first says what the second is. The map of our memory
 * says it, too, but the kernel takes 3 ms to write that.
 */
export function pageBytes(): number {
  if (knownPageBytes === undefined) {
    const words = readFileSync('/proc/self/auxv');
    let at = 0;
    while (at + 16 <= words.length && words.readBigUInt64LE(at) !== AT_PAGESZ) at += 16;
    knownPageBytes = at + 16 <= words.length ? Number(words.readBigUInt64LE(at + 8)) : 4096;
  }
  return knownPageBytes;
}

/** Source: getauxval(3). */
const AT_PAGESZ = 6n;

function readText(path: string, buffer: Buffer): string | undefined {
  const fd = openOrNone(path);
  if (fd === undefined) return undefined;
  const text = readFrom(fd, buffer)?.toString('latin1');
  closeSync(fd);
  return text;
}

export function openOrNone(path: string): number | undefined {
  try {
    return openSync(path, 'r');
  } catch {
    return undefined;
  }
}

/** The file from its beginning, as a part of the buffer; undefined if its process has ended. */
export function readFrom(fd: number, buffer: Buffer): Buffer | undefined {
  try {
    const length = readSync(fd, buffer, 0, buffer.length, 0);
    return length === 0 ? undefined : buffer.subarray(0, length);
  } catch {
    return undefined;
  }
}
