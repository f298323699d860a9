import { closeSync, readFileSync, statSync } from 'node:fs';
import { openOrNone, mostKept, pageBytes, type ProcessSample, readFrom } from './proc.ts';
import { openSluids, slurmStepOf, type SlurmStep } from './slurm-groups.ts';

/** A process with what /proc says beside its stat line. */
export interface DetailedProcess extends ProcessSample {
  /** Its effective user; undefined if the process ended before it was asked. */
  readonly userId: number | undefined;
  readonly slurm: SlurmStep | undefined;
  /** Resident memory that it shares with no file and no other program: RssAnon. */
  readonly privateBytes: number;
  /** Virtual memory of data and stack. */
  readonly dataBytes: number;
  /** Since its start, at the block devices; 0 if this user may not read them. */
  readonly readBytes: number;
  readonly writtenBytes: number;
  readonly cancelledBytes: number;
}

/** Reads details of processes, for repeated reads. */
export interface DetailsReader {
  /** The processes with their details; `processes` come from the process table at the same moment. */
  of(processes: readonly ProcessSample[]): DetailedProcess[];
  close(): void;
}

interface Known {
  readonly startTicks: number;
  name: string;
  isSettled: boolean;
  isAsked: boolean;
  userId: number | undefined;
  slurm: SlurmStep | undefined;
  cpuSeconds: number;
  residentBytes: number;
  figures: Figures;
  /** How often its figures changed: a file that is read once is not kept open. */
  changes: number;
  statm: File;
  io: File;
  seen: number;
}

interface Figures {
  readonly privateBytes: number;
  readonly dataBytes: number;
  readonly readBytes: number;
  readonly writtenBytes: number;
  readonly cancelledBytes: number;
}

/** An open file, a file to open, or one that this user may not read. */
type File = number | 'closed' | 'refused';

/**
 * Opens a reader of details.
 *
 * A process that used no processor time and whose memory did not change since the last read has the figures of that
 * read: of the processes of a node most sleep. Its user and its control group are read once, and again when its name
 * changes or while it is young: sshd and slurmstepd start a process first, and then give it its user and group. A daemon
 * that changes its user later is noticed within `REREAD_READS` reads.
 */
export function openDetails(root = '/proc'): DetailsReader {
  const known = new Map<number, Known>();
  const buffer = Buffer.allocUnsafe(4096);
  const sluids = openSluids(root);
  let reads = 0;
  let open = 0;

  const stepOf = (pid: number): SlurmStep | undefined => {
    const groups = groupsOf(`${root}/${pid}/cgroup`, buffer);
    return slurmStepOf(groups) ?? sluids.stepOf(groups);
  };

  const forget = (pid: number, process: Known) => {
    for (const file of [process.statm, process.io]) {
      if (typeof file !== 'number') continue;
      closeSync(file);
      open -= 1;
    }
    known.delete(pid);
  };

  /** The bytes of a file of the process, and whether it stays open. */
  const read = (process: Known, which: 'statm' | 'io', path: string, mayKeep: boolean): Buffer | undefined => {
    const file = process[which];
    if (file === 'refused') return undefined;
    const fd = typeof file === 'number' ? file : openOrNone(path);
    if (fd === undefined) {
      process[which] = 'refused';
      return undefined;
    }
    const bytes = readFrom(fd, buffer);
    if (file !== 'closed') {
      if (bytes !== undefined) return bytes;
      closeSync(fd);
      open -= 1;
      process[which] = 'refused';
    } else if (bytes !== undefined && mayKeep) {
      process[which] = fd;
      open += 1;
    } else {
      closeSync(fd);
      if (bytes === undefined) process[which] = 'refused';
    }
    return bytes;
  };

  const detailed = (sample: ProcessSample, youngAfterTicks: number, most: number): DetailedProcess => {
    const { pid, startTicks } = sample;
    let process = known.get(pid);
    if (process !== undefined && process.startTicks !== startTicks) {
      forget(pid, process);
      process = undefined;
    }
    if (process === undefined) {
      process = {
        startTicks,
        name: '',
        isSettled: false,
        isAsked: false,
        userId: undefined,
        slurm: undefined,
        cpuSeconds: -1,
        residentBytes: -1,
        figures: NOTHING,
        changes: 0,
        statm: 'closed',
        io: 'closed',
        seen: reads,
      };
      known.set(pid, process);
    }
    process.seen = reads;
    if (!process.isSettled || process.name !== sample.name) {
      process.name = sample.name;
      // A young process is asked a second time, and not more often: a node may start hundreds a second.
      process.isSettled = process.isAsked || startTicks < youngAfterTicks;
      process.isAsked = true;
      process.userId = ownerOf(`${root}/${pid}`);
      process.slurm = stepOf(pid);
    } else if ((reads + pid) % REREAD_READS === 0) {
      const userId = ownerOf(`${root}/${pid}`);
      if (userId !== undefined) {
        process.userId = userId;
        process.slurm = stepOf(pid);
      }
    }
    const cpuSeconds = sample.cpuSeconds + sample.waitedCpuSeconds;
    if (cpuSeconds !== process.cpuSeconds || sample.residentBytes !== process.residentBytes) {
      process.cpuSeconds = cpuSeconds;
      process.residentBytes = sample.residentBytes;
      process.changes += 1;
      const mayKeep = process.changes > 1 && open < most;
      const statm = parseStatm(read(process, 'statm', `${root}/${pid}/statm`, mayKeep));
      process.figures = { ...statm, ...parseIo(read(process, 'io', `${root}/${pid}/io`, mayKeep)) };
    }
    const { userId, slurm, figures } = process;
    // Written out: spreading three objects costs more than reading a file.
    return {
      pid,
      parentPid: sample.parentPid,
      groupId: sample.groupId,
      sessionId: sample.sessionId,
      state: sample.state,
      name: sample.name,
      threads: sample.threads,
      startTicks,
      cpuSeconds: sample.cpuSeconds,
      waitedCpuSeconds: sample.waitedCpuSeconds,
      residentBytes: sample.residentBytes,
      userId,
      slurm,
      privateBytes: figures.privateBytes,
      dataBytes: figures.dataBytes,
      readBytes: figures.readBytes,
      writtenBytes: figures.writtenBytes,
      cancelledBytes: figures.cancelledBytes,
    };
  };

  return {
    of(processes) {
      reads += 1;
      sluids.learn(processes);
      const most = mostKept(MOST_KEPT);
      // The clock of start times is that of the kernel; the youngest process shows how late it is.
      let latest = 0;
      for (const { startTicks } of processes) if (startTicks > latest) latest = startTicks;
      const youngAfterTicks = latest - YOUNG_TICKS;
      const result = processes.map((sample) => detailed(sample, youngAfterTicks, most));
      if (known.size > result.length) for (const [pid, each] of known) if (each.seen < reads) forget(pid, each);
      return result;
    },
    close() {
      for (const [pid, each] of known) forget(pid, each);
    },
  };
}

/** Two files of each of 2,000 processes: with half of them, a sample of 1,000 that all ran opens 1,000 files. */
const MOST_KEPT = 4_000;

const NOTHING: Figures = { privateBytes: 0, dataBytes: 0, readBytes: 0, writtenBytes: 0, cancelledBytes: 0 };

/** Each process at a read of its own, so that no read asks for all: too few, and reads take longer; too many, and a change is noticed late. */
const REREAD_READS = 32;

/** 10 s. Longer, and more processes are asked twice; shorter, and a slow login is taken for one of root. */
const YOUNG_TICKS = 1_000;

function ownerOf(folder: string): number | undefined {
  return statSync(folder, { throwIfNoEntry: false })?.uid;
}

function groupsOf(path: string, buffer: Buffer): string {
  const fd = openOrNone(path);
  if (fd === undefined) return '';
  try {
    const bytes = readFrom(fd, buffer);
    // A path that fills the buffer may be cut off.
    if (bytes !== undefined && bytes.length === buffer.length) return readFileSync(path, 'utf8');
    return bytes?.toString('latin1') ?? '';
  } catch {
    return '';
  } finally {
    closeSync(fd);
  }
}

/** `size resident shared text lib data dt`, in pages. */
function parseStatm(bytes: Buffer | undefined): Pick<Figures, 'privateBytes' | 'dataBytes'> {
  if (bytes === undefined) return { privateBytes: 0, dataBytes: 0 };
  const [, resident = 0, shared = 0, , , data = 0] = bytes.toString('latin1').split(' ').map(Number);
  return { privateBytes: Math.max(0, resident - shared) * pageBytes(), dataBytes: data * pageBytes() };
}

/** `read_bytes: 4096`, one a line. */
function parseIo(bytes: Buffer | undefined): Pick<Figures, 'readBytes' | 'writtenBytes' | 'cancelledBytes'> {
  if (bytes === undefined) return { readBytes: 0, writtenBytes: 0, cancelledBytes: 0 };
  const text = bytes.toString('latin1');
  const numberAfter = (name: string) => {
    const at = text.indexOf(name);
    return at < 0 ? 0 : Number.parseInt(text.slice(at + name.length), 10) || 0;
  };
  return {
    readBytes: numberAfter('\nread_bytes: '),
    writtenBytes: numberAfter('\nwrite_bytes: '),
    cancelledBytes: numberAfter('\ncancelled_write_bytes: '),
  };
}
