import type { NodeSample, TelemetryRows, Window } from './rows.ts';

/** The use of a node in one interval. */
export interface LoadStep {
  readonly cluster: string;
  readonly node: string;
  /** Begin of the interval. */
  readonly time: number;
  readonly samples: number;
  /** Percent of one core, and of all cores of the node. */
  readonly cpuPercent: number;
  readonly cpuOfNodePercent: number;
  readonly usedMemoryKb: number;
  /** Undefined where no sysinfo of the node says how much it has. */
  readonly memoryOfNodePercent: number | undefined;
  readonly load1: number;
  readonly cards: number;
  readonly gpuPercent: number | undefined;
  readonly gpuMemoryKb: number;
}

/** A counter that fell (a boot) and a gap longer than this tell nothing of the time between. */
const GREATEST_GAP_SECONDS = 3600;

/** The use of each node in intervals that begin at multiples of their length. */
export async function loadOf(source: TelemetryRows, window: Window, bucketSeconds: number): Promise<LoadStep[]> {
  const memory = new Map(
    (await source.sysinfo(window)).map(({ cluster, node, info }) => [
      `${cluster} ${node}`,
      Number(info['memory'] ?? 0),
    ]),
  );
  const steps = new Map<
    string,
    {
      rows: number;
      cpu: number[];
      cores: number;
      memory: number;
      load: number;
      gpu: number[];
      cards: number;
      gpuMemory: number;
      head: readonly [string, string, number];
    }
  >();
  const latest = new Map<string, NodeSample>();
  const add = (sample: NodeSample) => {
    const id = `${sample.cluster} ${sample.node}`;
    const time = Math.floor(sample.time / bucketSeconds) * bucketSeconds;
    let step = steps.get(`${id} ${time}`);
    if (step === undefined) {
      step = {
        rows: 0,
        cpu: [],
        cores: 0,
        memory: 0,
        load: 0,
        gpu: [],
        cards: 0,
        gpuMemory: 0,
        head: [sample.cluster, sample.node, time],
      };
      steps.set(`${id} ${time}`, step);
    }
    const before = latest.get(id);
    const percent = before === undefined ? undefined : cpuPercent(before, sample);
    if (percent !== undefined) step.cpu.push(percent);
    step.rows++;
    step.cores = Math.max(step.cores, sample.cpuSeconds.length);
    step.memory += sample.usedMemoryKb;
    step.load += sample.load1;
    step.cards = Math.max(step.cards, sample.cards);
    step.gpuMemory += sample.gpuMemoryKb;
    if (sample.gpuUtil !== undefined) step.gpu.push(sample.gpuUtil);
    latest.set(id, sample);
  };
  for await (const samples of source.nodeSamples(window)) for (const sample of samples) add(sample);
  return [...steps.values()].map(
    ({ rows, cpu, cores, memory: used, load, gpu, cards, gpuMemory, head: [cluster, node, time] }) => {
      const total = memory.get(`${cluster} ${node}`) ?? 0;
      return {
        cluster,
        node,
        time,
        samples: rows,
        cpuPercent: mean(cpu),
        cpuOfNodePercent: cores > 0 ? mean(cpu) / cores : 0,
        usedMemoryKb: used / rows,
        memoryOfNodePercent: total > 0 ? (100 * used) / rows / total : undefined,
        load1: load / rows,
        cards,
        gpuPercent: gpu.length === 0 ? undefined : mean(gpu),
        gpuMemoryKb: gpuMemory / rows,
      };
    },
  );
}

const mean = (values: readonly number[]): number =>
  values.length === 0 ? 0 : values.reduce((sum, each) => sum + each, 0) / values.length;

function cpuPercent(before: NodeSample, now: NodeSample): number | undefined {
  const elapsed = now.time - before.time;
  if (elapsed <= 0 || elapsed > GREATEST_GAP_SECONDS || now.cpuSeconds.length !== before.cpuSeconds.length)
    return undefined;
  const used = now.cpuSeconds.reduce((sum, seconds, core) => sum + seconds - (before.cpuSeconds[core] ?? 0), 0);
  return used < 0 ? undefined : (100 * used) / elapsed;
}
