import type { Questions, Window } from './queries.ts';

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
export function loadOf(questions: Questions, window: Window, bucketSeconds: number): LoadStep[] {
  const memory = new Map(
    questions.sysinfo(window).map(({ cluster, node, info }) => [`${cluster} ${node}`, Number(info['memory'] ?? 0)]),
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
  let before: { id: string; time: number; cpuSeconds: readonly number[] } | undefined;
  for (const sample of questions.nodeSamples(window)) {
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
    const percent = before?.id === id ? cpuPercent(before, sample) : undefined;
    if (percent !== undefined) step.cpu.push(percent);
    step.rows++;
    step.cores = Math.max(step.cores, sample.cpuSeconds.length);
    step.memory += sample.usedMemoryKb;
    step.load += sample.load1;
    step.cards = Math.max(step.cards, sample.cards);
    step.gpuMemory += sample.gpuMemoryKb;
    if (sample.gpuUtil !== undefined) step.gpu.push(sample.gpuUtil);
    before = { id, time: sample.time, cpuSeconds: sample.cpuSeconds };
  }
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

interface Counters {
  readonly time: number;
  readonly cpuSeconds: readonly number[];
}

function cpuPercent(before: Counters, now: Counters): number | undefined {
  const elapsed = now.time - before.time;
  if (elapsed <= 0 || elapsed > GREATEST_GAP_SECONDS || now.cpuSeconds.length !== before.cpuSeconds.length)
    return undefined;
  const used = now.cpuSeconds.reduce((sum, seconds, core) => sum + seconds - (before.cpuSeconds[core] ?? 0), 0);
  return used < 0 ? undefined : (100 * used) / elapsed;
}
