import type { GpuUse } from '../../../cluster/gpu/gpu.ts';
import type { DetailedProcess } from '../../../cluster/host/process-details.ts';
import type { SampleProcess, SampleProcessGpu } from '../../../core/contract/sonar/sample.ts';

/** What a process has of numbers. */
export const FIGURES = [
  'pid',
  'ppid',
  'num_threads',
  'cpu_avg',
  'cpu_util',
  'cpu_time',
  'resident_memory',
  'virtual_memory',
  'data_read',
  'data_written',
  'data_cancelled',
  'rolledup',
] as const satisfies readonly (keyof SampleProcess)[];
export type ProcessFigures = Readonly<Record<(typeof FIGURES)[number], number>>;

/** A process as the format has it, with all that this program knows. */
type WholeProcess = SampleProcess & ProcessFigures & { readonly cmd: string; readonly gpus: readonly CardUse[] };

/** What a process uses of a card. */
export type CardUse = SampleProcessGpu & Readonly<Record<'gpu_util' | 'gpu_memory' | 'gpu_memory_util', number>>;

/** One process of a sample, made once as the format has it, and what it belongs to. */
export interface ProcessRecord {
  readonly process: WholeProcess;
  /** The Slurm job, or the process group. */
  readonly job: number;
  readonly isSlurm: boolean;
  readonly user: string;
  /** Undefined for a process that only a card knows. */
  readonly userId: number | undefined;
  /** Resident memory with shared parts: for filters only. */
  readonly residentBytes: number;
}

export interface RecordOptions {
  readonly uptimeSeconds: number;
  /** CPUs of the node; undefined if that is not known. */
  readonly cpus?: number | undefined;
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
  { uptimeSeconds, cpus = Infinity, utilOf, nameOf, gpuUses, isPartial = false }: RecordOptions,
): ProcessRecord[] {
  const usesOf = Map.groupBy(gpuUses, ({ pid }) => pid);
  const inContainer = containedIn(processes);
  const records: ProcessRecord[] = [];
  for (const process of processes) {
    const { pid, state, slurm, userId, cpuSeconds } = process;
    // Dead, and gone at the next read.
    if (state === 'X' || state === 'x') continue;
    const gpus = usesOf.get(pid) ?? [];
    usesOf.delete(pid);
    // It has lived for as long as all CPUs take for what it used, whatever the clocks say.
    const livedSeconds = Math.max(1, uptimeSeconds - process.startTicks / 100, cpuSeconds / cpus);
    const average = roundedTo((cpuSeconds / livedSeconds) * 100, 10);
    records.push({
      job: slurm?.jobId ?? process.groupId,
      isSlurm: slurm !== undefined,
      user: userId === undefined ? UNKNOWN.user : (nameOf(userId) ?? `_user_${userId}`),
      userId,
      residentBytes: process.residentBytes,
      process: {
        pid,
        ppid: process.parentPid,
        cmd: state === 'Z' ? `${process.name} <defunct>` : process.name,
        num_threads: Math.max(0, process.threads - 1),
        cpu_avg: average,
        cpu_util: utilOf(process) ?? average,
        cpu_time: Math.round(cpuSeconds + process.waitedCpuSeconds),
        resident_memory: kilobytes(process.privateBytes),
        virtual_memory: kilobytes(process.dataBytes),
        data_read: kilobytes(process.readBytes),
        data_written: kilobytes(process.writtenBytes),
        data_cancelled: kilobytes(process.cancelledBytes),
        in_container: inContainer.has(pid),
        rolledup: 0,
        gpus: gpus.map(cardUseOf),
      },
    });
  }
  if (!isPartial)
    for (const [pid, gpus] of usesOf)
      records.push({ ...UNKNOWN, process: { ...UNKNOWN.process, pid, gpus: gpus.map(cardUseOf) } });
  return records;
}

const UNKNOWN: ProcessRecord = {
  job: 0,
  isSlurm: false,
  user: '_user_unknown',
  userId: undefined,
  residentBytes: 0,
  process: {
    ...(Object.fromEntries(FIGURES.map((name) => [name, 0])) as ProcessFigures),
    ppid: 1,
    cmd: '_unknown_',
    in_container: false,
    gpus: [],
  },
};

const cardUseOf = (use: GpuUse): CardUse => ({
  index: use.index,
  uuid: use.uuid,
  gpu_util: use.computePercent,
  gpu_memory: use.memoryKilobytes,
  gpu_memory_util: use.memoryPercent,
});

export const roundedTo = (value: number, steps: number): number => Math.round(value * steps) / steps;

const kilobytes = (bytes: number): number => Math.ceil(bytes / 1024);

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
