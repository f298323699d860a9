import { readdirSync, readFileSync } from 'node:fs';

/** What /proc says of a process, read without our own readers, in the units of the format. */
export interface ProcFacts {
  readonly start: string;
  readonly name: string;
  readonly isZombie: boolean;
  readonly isKernelThread: boolean;
  readonly group: number;
  /** Own time and that of children that it waited for. */
  readonly cpuSeconds: number;
  readonly waitedSeconds: number;
  readonly anonymousKilobytes: number;
  /** Whether this user may read the following three. */
  readonly hasIo: boolean;
  readonly readKilobytes: number;
  readonly writtenKilobytes: number;
  readonly cancelledKilobytes: number;
  /** It is another one whenever the process has run. */
  readonly switches: string;
}

/** All processes that do not end meanwhile. */
export function processesInProc(): Map<number, ProcFacts> {
  const all = new Map<number, ProcFacts>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      all.set(Number(name), factsOf(`/proc/${name}`));
    } catch (error) {
      if (!['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    }
  }
  return all;
}

const TICKS = 100;
/** PF_KTHREAD of the kernel. */
const KERNEL_THREAD = 0x20_0000;

function factsOf(folder: string): ProcFacts {
  const stat = readFileSync(`${folder}/stat`, 'utf8');
  const end = stat.lastIndexOf(')');
  // The third field of proc(5) is the first here.
  const field = (number: number) => stat.slice(end + 2).split(' ')[number - 3] ?? '';
  const status = readFileSync(`${folder}/status`, 'utf8');
  const io = ioOf(folder);
  const waited = Number(field(16)) + Number(field(17));
  const bytesOf = (name: string) => Number(new RegExp(`^${name}: (\\d+)$`, 'm').exec(io)?.[1] ?? 0);
  return {
    start: field(22),
    name: stat.slice(stat.indexOf('(') + 1, end),
    isZombie: field(3) === 'Z',
    isKernelThread: (Number(field(9)) & KERNEL_THREAD) !== 0,
    group: Number(field(5)),
    cpuSeconds: (Number(field(14)) + Number(field(15)) + waited) / TICKS,
    waitedSeconds: waited / TICKS,
    anonymousKilobytes: Number(/^RssAnon:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0),
    hasIo: io !== '',
    readKilobytes: bytesOf('read_bytes') / 1024,
    writtenKilobytes: bytesOf('write_bytes') / 1024,
    cancelledKilobytes: bytesOf('cancelled_write_bytes') / 1024,
    switches: `${field(14)} ${field(15)} ${/^voluntary.*\n^nonvoluntary.*$/m.exec(status)?.[0]}`,
  };
}

/** Empty where this user may not read it. */
function ioOf(folder: string): string {
  try {
    return readFileSync(`${folder}/io`, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EACCES') return '';
    throw error;
  }
}
