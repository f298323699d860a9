import type { GpuUse } from '../../../cluster/gpu/gpu.ts';
import type { DetailedProcess } from '../../../cluster/host/process-details.ts';

/** One process of a sample, in the units of the format. */
export interface ProcessRecord {
  /** The Slurm job, or the process group. */
  readonly job: number;
  readonly isSlurm: boolean;
  readonly user: string;
  /** Undefined for a process that only a card knows. */
  readonly userId: number | undefined;
  readonly pid: number;
  readonly parentPid: number;
  readonly command: string;
  readonly threads: number;
  readonly cpuAverage: number;
  readonly cpuUtil: number;
  readonly cpuSeconds: number;
  readonly privateKilobytes: number;
  readonly dataKilobytes: number;
  /** Resident memory with shared parts: for filters only. */
  readonly residentBytes: number;
  readonly readKilobytes: number;
  readonly writtenKilobytes: number;
  readonly cancelledKilobytes: number;
  readonly isInContainer: boolean;
  /** How many other processes this record stands for. */
  readonly rolledUp: number;
  readonly gpus: readonly GpuUse[];
}

export interface RecordOptions {
  readonly uptimeSeconds: number;
  /** Percent of one core since the previous sample; undefined for a process that was not in it. */
  readonly utilOf: (process: DetailedProcess) => number | undefined;
  readonly nameOf: (userId: number) => string | undefined;
  readonly gpuUses: readonly GpuUse[];
  /** The processes are only some of the node's: then others that use a card are left out. */
  readonly isPartial?: boolean | undefined;
}

/** The processes of a sample, and of a whole node those that only a card knows: memory of dead processes shows this way. */
export function sampleRecords(
  processes: readonly DetailedProcess[],
  { uptimeSeconds, utilOf, nameOf, gpuUses, isPartial = false }: RecordOptions,
): ProcessRecord[] {
  const usesOf = byPid(gpuUses);
  const inContainer = containedIn(processes);
  const records: ProcessRecord[] = [];
  for (const process of processes) {
    const { pid, state, slurm, userId, cpuSeconds } = process;
    // Dead, and gone at the next read.
    if (state === 'X' || state === 'x') continue;
    const gpus = usesOf.get(pid);
    usesOf.delete(pid);
    const livedSeconds = Math.max(1, uptimeSeconds - process.startTicks / 100);
    const cpuAverage = roundedTo((cpuSeconds / livedSeconds) * 100, 10);
    records.push({
      job: slurm?.jobId ?? process.groupId,
      isSlurm: slurm !== undefined,
      user: userId === undefined ? '_user_unknown' : (nameOf(userId) ?? `_user_${userId}`),
      userId,
      pid,
      parentPid: process.parentPid,
      command: state === 'Z' ? `${process.name} <defunct>` : process.name,
      threads: Math.max(0, process.threads - 1),
      cpuAverage,
      cpuUtil: utilOf(process) ?? cpuAverage,
      cpuSeconds: Math.round(cpuSeconds + process.waitedCpuSeconds),
      privateKilobytes: kilobytes(process.privateBytes),
      dataKilobytes: kilobytes(process.dataBytes),
      residentBytes: process.residentBytes,
      readKilobytes: kilobytes(process.readBytes),
      writtenKilobytes: kilobytes(process.writtenBytes),
      cancelledKilobytes: kilobytes(process.cancelledBytes),
      isInContainer: inContainer.has(pid),
      rolledUp: 0,
      gpus: gpus ?? [],
    });
  }
  if (!isPartial) for (const [pid, gpus] of usesOf) records.push({ ...UNKNOWN, pid, gpus });
  return records;
}

const UNKNOWN: ProcessRecord = {
  job: 0,
  isSlurm: false,
  user: '_user_unknown',
  userId: undefined,
  pid: 0,
  parentPid: 1,
  command: '_unknown_',
  threads: 0,
  cpuAverage: 0,
  cpuUtil: 0,
  cpuSeconds: 0,
  privateKilobytes: 0,
  dataKilobytes: 0,
  residentBytes: 0,
  readKilobytes: 0,
  writtenKilobytes: 0,
  cancelledKilobytes: 0,
  isInContainer: false,
  rolledUp: 0,
  gpus: [],
};

export const roundedTo = (value: number, steps: number): number => Math.round(value * steps) / steps;

const kilobytes = (bytes: number): number => Math.ceil(bytes / 1024);

function byPid(uses: readonly GpuUse[]): Map<number, GpuUse[]> {
  const map = new Map<number, GpuUse[]>();
  for (const use of uses) {
    const list = map.get(use.pid);
    if (list === undefined) map.set(use.pid, [use]);
    else list.push(use);
  }
  return map;
}

/** The descendants of every `containerd…` that init started. */
function containedIn(processes: readonly DetailedProcess[]): ReadonlySet<number> {
  const contained = new Set<number>();
  const roots = processes.filter(({ name, parentPid }) => parentPid === 1 && name.startsWith('containerd'));
  if (roots.length === 0) return contained;
  const children = Map.groupBy(processes, ({ parentPid }) => parentPid);
  const pending = roots.map(({ pid }) => pid);
  for (let pid = pending.pop(); pid !== undefined; pid = pending.pop()) {
    for (const child of children.get(pid) ?? []) {
      if (contained.has(child.pid)) continue;
      contained.add(child.pid);
      pending.push(child.pid);
    }
  }
  return contained;
}
