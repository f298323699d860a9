import type { GpuState } from '../../../cluster/gpu/gpu.ts';
import type { NodeFigures } from '../../../cluster/host/node-figures.ts';
import type { SampleAttributes, SampleGpu, SampleJob, SampleSystem } from '../../../core/contract/sonar/sample.ts';
import { errorMessageOf, type Origin } from '../../format/envelope.ts';
import { timestampOf } from '../../format/timestamp.ts';
import type { ProcessRecord } from './records.ts';

export interface SampleFacts {
  readonly origin: Origin;
  readonly atMs: number;
  /** The epoch of the jobs that are no jobs of Slurm. */
  readonly epoch: number;
  readonly records: readonly ProcessRecord[];
  /** Undefined if the state of the node is not asked for. */
  readonly node: { readonly figures: NodeFigures; readonly gpus: readonly GpuState[] } | undefined;
  readonly problems: readonly string[];
}

/** The attributes of a sample. A node without processes to report has an empty list of jobs: it is alive. */
export const attributesOfSample = ({
  origin,
  atMs,
  epoch,
  records,
  node,
  problems,
}: SampleFacts): SampleAttributes => ({
  time: timestampOf(atMs),
  cluster: origin.cluster,
  node: origin.node,
  system: node === undefined ? undefined : systemOf(node.figures, node.gpus),
  jobs: jobsOf(records, epoch),
  errors: problems.map((problem) => errorMessageOf(origin, atMs, problem)),
});

const systemOf = (
  { bootedAt, cpuSeconds, usedMemoryBytes, load, disks }: NodeFigures,
  gpus: readonly GpuState[],
): SampleSystem => ({
  boot: bootedAt === undefined ? undefined : timestampOf(bootedAt * 1000),
  cpus: cpuSeconds,
  gpus: gpus.map(gpuStateOf),
  disks: disks?.map(({ name, major, minor, stats }) => ({ name, major, minor, stats })),
  used_memory: usedMemoryBytes === undefined ? undefined : Math.floor(usedMemoryBytes / 1024),
  load1: load?.load1,
  load5: load?.load5,
  load15: load?.load15,
  runnable_entities: load?.runnable,
  existing_entities: load?.existing,
});

const gpuStateOf = (gpu: GpuState): SampleGpu => ({
  index: gpu.index,
  uuid: gpu.uuid,
  failing: gpu.isFailing ? 1 : 0,
  fan: gpu.fanPercent,
  compute_mode: gpu.computeMode,
  // 0 is unset and 1 infinite: P0 is 2.
  performance_state: gpu.performanceState === undefined ? 0 : gpu.performanceState + 2,
  memory: gpu.memoryKilobytes,
  ce_util: gpu.computePercent,
  memory_util: gpu.memoryPercent,
  temperature: gpu.temperatureCelsius,
  power: gpu.powerWatts,
  power_limit: gpu.powerLimitWatts,
  ce_clock: gpu.computeClockMhz,
  memory_clock: gpu.memoryClockMhz,
});

/** Jobs by user, id and kind: a process group with the number of a Slurm job is another job. */
function jobsOf(records: readonly ProcessRecord[], epoch: number): SampleJob[] {
  const groups = Map.groupBy(records, ({ user, job, isSlurm }) => `${isSlurm ? 's' : 'p'}${job} ${user}`);
  return [...groups.values()].map((group) => {
    const [{ job, user, isSlurm } = { job: 0, user: '', isSlurm: false }] = group;
    return { job, user, epoch: isSlurm ? 0 : epoch, processes: group.map(({ process }) => process) };
  });
}
