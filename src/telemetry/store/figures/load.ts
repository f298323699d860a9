import { AmountMean, exactSum, minus } from '../../../core/contract/sonar/amounts.ts';
import type { Uint } from '../../../core/contract/sonar/kinds.ts';
import type { TelemetryLoad } from '../../../core/contract/telemetry.ts';
import type { AnswerOf } from '../../answers.ts';
import { byNodeAndTime, type NodeSampleRow } from '../rows/samples.ts';
import type { TelemetryRows, AskedWindow } from '../rows/rows.ts';

/** The use of a node in one interval. */
export type LoadStep = AnswerOf<typeof TelemetryLoad, 'usedMemoryKb' | 'gpuMemoryKb'>;

/** A counter that fell (a boot) and a gap longer than this leave the time between unknown. */
const GREATEST_GAP_SECONDS = 3600;

/** The use of each node in intervals that begin at multiples of their length. */
export async function loadOf(source: TelemetryRows, window: AskedWindow, bucketSeconds: number): Promise<LoadStep[]> {
  const memory = new Map(
    (await source.sysinfo(window)).map(({ cluster, node, info }) => [
      `${cluster} ${node}`,
      Number(info['memory'] ?? 0),
    ]),
  );
  const steps = new Map<string, Step>();
  const stepAt = ({ cluster, node, time }: Pick<NodeSampleRow, 'cluster' | 'node' | 'time'>): Step => {
    const begin = Math.floor(time / bucketSeconds) * bucketSeconds;
    const key = `${cluster} ${node} ${begin}`;
    let step = steps.get(key);
    if (step === undefined) steps.set(key, (step = newStep(cluster, node, begin)));
    return step;
  };
  // Of hours without samples, each counts as many as it had.
  for (const hour of await source.nodeHours(window, bucketSeconds)) {
    const step = stepAt(hour);
    if (hour.cpuPercent !== undefined) step.cpu.add(hour.cpuPercent, hour.samples);
    step.rows += hour.samples;
    step.cores = Math.max(step.cores, hour.cores);
    step.memory.add(hour.usedMemoryKb, hour.samples);
    step.load += hour.load1 * hour.samples;
    step.cards = Math.max(step.cards, hour.cards);
    step.gpuMemory.add(hour.gpuMemoryKb, hour.samples);
    if (hour.gpuPercent !== undefined) step.gpu.add(hour.gpuPercent, hour.samples);
  }
  const latest = new Map<string, NodeSampleRow>();
  const add = (sample: NodeSampleRow) => {
    const id = `${sample.cluster} ${sample.node}`;
    const before = latest.get(id);
    const percent = before === undefined ? undefined : cpuPercent(before, sample);
    const step = stepAt(sample);
    if (percent !== undefined) step.cpu.add(percent, 1);
    step.rows++;
    step.cores = Math.max(step.cores, sample.cpuSeconds.length);
    step.memory.add(sample.usedMemoryKb, 1);
    step.load += sample.load1;
    step.cards = Math.max(step.cards, sample.cards);
    step.gpuMemory.add(sample.gpuMemoryKb, 1);
    if (sample.gpuUtil !== undefined) step.gpu.add(sample.gpuUtil, 1);
    latest.set(id, sample);
  };
  for await (const samples of source.nodeSamples(window)) for (const sample of samples) add(sample);
  return [...steps.values()].toSorted(byNodeAndTime).map((step) => {
    const { rows, cpu, cores, load, gpu, cards, cluster, node, time } = step;
    const used = step.memory.value ?? 0;
    const total = memory.get(`${cluster} ${node}`) ?? 0;
    return {
      cluster,
      node,
      time,
      samples: rows,
      cores,
      ...(cpu.mean === undefined ? {} : { cpuPercent: cpu.mean, cpuOfNodePercent: cpu.mean / Math.max(1, cores) }),
      usedMemoryKb: used,
      memoryOfNodePercent: total > 0 ? (100 * Number(used)) / total : undefined,
      load1: load / rows,
      cards,
      gpuPercent: gpu.mean,
      gpuMemoryKb: step.gpuMemory.value ?? 0,
    };
  });
}

/** Adds up an interval. */
interface Step {
  readonly cluster: string;
  readonly node: string;
  readonly time: number;
  readonly cpu: Mean;
  readonly gpu: Mean;
  rows: number;
  cores: number;
  readonly memory: AmountMean;
  load: number;
  cards: number;
  readonly gpuMemory: AmountMean;
}

const newStep = (cluster: string, node: string, time: number): Step => ({
  cluster,
  node,
  time,
  cpu: new Mean(),
  gpu: new Mean(),
  rows: 0,
  cores: 0,
  memory: new AmountMean(),
  load: 0,
  cards: 0,
  gpuMemory: new AmountMean(),
});

class Mean {
  #sum = 0;
  #count = 0;

  add(value: number, times: number): void {
    this.#sum += value * times;
    this.#count += times;
  }

  get mean(): number | undefined {
    return this.#count === 0 ? undefined : this.#sum / this.#count;
  }
}

function cpuPercent(before: NodeSampleRow, now: NodeSampleRow): number | undefined {
  const elapsed = now.time - before.time;
  if (elapsed <= 0 || elapsed > GREATEST_GAP_SECONDS || now.cpuSeconds.length !== before.cpuSeconds.length)
    return undefined;
  const used = Number(
    now.cpuSeconds.reduce((sum: Uint, seconds, core) => exactSum(sum, minus(seconds, before.cpuSeconds[core] ?? 0)), 0),
  );
  return used < 0 ? undefined : (100 * used) / elapsed;
}
