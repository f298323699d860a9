import { repeatEvery } from '../../client/long-timers.ts';
import type { EnergyMeter } from '../../cluster/host/energy-meter.ts';
import type { NodeLoad } from '../../cluster/host/node-load.ts';
import type { ComputeNode } from '../../core/contract/node.ts';
import { addValue, averageOf, noValues } from './statistics.ts';

/** One sample of the node. Fields that are not to be measured are undefined. */
export interface NodeMeasurement {
  readonly atMs: number;
  readonly cpuPercent: number | undefined;
  readonly memoryBytes: number | undefined;
  readonly totalMemoryBytes: number;
}

/** The summary of a node, in the fields of its record. */
export type NodeSummary = Pick<
  ComputeNode,
  | 'sample_count'
  | 'peak_cpu_percent'
  | 'avg_cpu_percent'
  | 'peak_memory_bytes'
  | 'avg_memory_bytes'
  | 'energy_joules'
  | 'machine_cpu_seconds'
>;

export interface NodeWatchOptions {
  readonly intervalSeconds: number;
  readonly cpu: boolean;
  readonly memory: boolean;
  readonly now: () => number;
  readonly look: (nowMs: number) => NodeLoad;
  /** Absent where the machine has no counters of energy that this user may read. */
  readonly energy?: EnergyMeter | undefined;
  readonly onSample?: ((sample: NodeMeasurement) => void) | undefined;
  /** The node cannot be sampled; monitoring of it ends. */
  readonly onUnable: (reason: string) => void;
}

/** Samples the machine at an interval; a last sample is taken at the end, so that a short run has one too. */
export interface NodeWatch {
  close(): NodeSummary;
}

export function watchNode(options: NodeWatchOptions): NodeWatch {
  const { intervalSeconds, cpu, memory, now, look, energy, onSample, onUnable } = options;
  const processor = noValues();
  const used = noValues();
  let count = 0;
  let isAble = true;

  const attempt = (): NodeLoad | undefined => {
    if (!isAble) return undefined;
    try {
      return look(performance.now());
    } catch (error) {
      isAble = false;
      onUnable((error as Error).message);
      return undefined;
    }
  };
  const sample = () => {
    const load = attempt();
    if (load === undefined) return;
    count += 1;
    // Its counters overflow.
    energy?.look();
    const cpuPercent = cpu ? load.cpuPercent : undefined;
    const memoryBytes = memory ? load.memoryBytes : undefined;
    if (cpuPercent !== undefined) addValue(processor, cpuPercent);
    if (memoryBytes !== undefined) addValue(used, memoryBytes);
    onSample?.({ atMs: now(), cpuPercent, memoryBytes, totalMemoryBytes: load.totalMemoryBytes });
  };

  // CPU time is a difference: this is the baseline of the first sample.
  attempt();
  const timer = repeatEvery(intervalSeconds * 1000, sample);
  return {
    close() {
      timer.cancel();
      sample();
      const spent = energy?.look();
      return {
        sample_count: count,
        ...(processor.count > 0 ? { peak_cpu_percent: processor.peak, avg_cpu_percent: averageOf(processor) } : {}),
        ...(used.count > 0 ? { peak_memory_bytes: used.peak, avg_memory_bytes: Math.round(averageOf(used)) } : {}),
        ...(spent === undefined
          ? {}
          : { energy_joules: rounded(spent.joules), machine_cpu_seconds: rounded(spent.cpuSeconds) }),
      };
    },
  };
}

const rounded = (value: number): number => Math.round(value * 1000) / 1000;
