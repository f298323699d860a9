import type { Uint } from '../../core/contract/sonar/kinds.ts';
import { CpuTime, eachSample } from './cpu-time.ts';
import type { JobHour, ProcessRow, SlurmJobRow, TelemetryRows, Window } from './rows.ts';

/** What a job did within a window, from the samples of its processes, with what Slurm says of it. */
export interface JobUse {
  readonly cluster: string;
  readonly job: Uint;
  /** 0 for jobs of Slurm. */
  readonly epoch: Uint;
  readonly user: string;
  readonly nodes: readonly string[];
  readonly first: number;
  readonly last: number;
  readonly samples: number;
  readonly commands: readonly string[];
  /**
   * Used within the window: what the job had used at the first sample of its node is not counted, as nobody knows when it
   * did.
   */
  readonly cpuSeconds: number;
  /** Average in percent of one core; of a job that was seen once, over the lives of its processes. */
  readonly cpuPercent: number;
  readonly peakCpuPercent: number;
  readonly peakMemoryKb: number;
  readonly cards: readonly string[];
  readonly gpuPercent: number;
  readonly peakGpuMemoryKb: number;
  readonly state: string;
  readonly name: string;
  readonly partition: string;
  readonly account: string;
}

/** Jobs outside of Slurm have the ids of process groups, which are used again: a gap of this length ends a job. */
export const JOB_GAP_SECONDS = 3 * 3600;

interface Tally {
  readonly key: string;
  readonly cluster: string;
  readonly job: Uint;
  readonly epoch: Uint;
  readonly user: string;
  readonly first: number;
  last: number;
  samples: number;
  cpuSeconds: number;
  /** CPU seconds between samples. */
  measured: number;
  /** The averages of the processes at the first sample. */
  readonly average: number;
  peakCpu: number;
  peakMemory: number;
  gpuSum: number;
  peakGpuMemory: number;
  readonly nodes: Map<string, { time: number; rss: number; gpu: number; first: number }>;
  /** Nodes of hours without samples: what its processes had used there when they were last seen is not known. */
  readonly hourNodes: Set<string>;
  readonly commands: Map<string, number>;
  readonly cards: Set<string>;
}

/** Jobs by their CPU time, most first. */
export async function jobsOf(source: TelemetryRows, window: Window, gapSeconds = JOB_GAP_SECONDS): Promise<JobUse[]> {
  const open = new Map<string, Tally>();
  const done: Tally[] = [];
  const cpu = new CpuTime();
  for (const hour of await source.jobHours(window, undefined, true)) {
    const key = identityOf(hour, hour.time, 0);
    const held = open.get(key);
    const isSame = held !== undefined && (hour.epoch === 0 || hour.first - held.last <= gapSeconds);
    if (held !== undefined && !isSame) done.push(held);
    const tally = isSame ? held : newTally(key, [hour]);
    open.set(key, tally);
    addHour(tally, hour);
  }
  const begins = await source.firstSamples(window);
  await eachSample(source.processes(window), (rows) => {
    const [row] = rows;
    const key = identityOf(row, row.envelope, row.slot);
    let tally = open.get(key);
    // The id of a job of Slurm is never used again.
    if (tally !== undefined && row.epoch !== 0 && row.time - tally.last > gapSeconds) {
      done.push(tally);
      tally = undefined;
    }
    if (tally === undefined) open.set(key, (tally = newTally(key, rows)));
    const used = cpu.since(`${key} ${row.node} ${tally.first}`, rows);
    const isKnown = tally.nodes.has(row.node) || row.time > (begins.get(`${row.cluster} ${row.node}`) ?? 0);
    add(tally, rows, isKnown ? used : 0);
  });
  const slurm = new Map(
    (await source.slurmJobs({ ...window, from: 0 })).map((each) => [`${each.cluster} ${each.job}`, each]),
  );
  return [...done, ...open.values()]
    .map((tally) => useOf(tally, tally.epoch === 0 ? slurm.get(`${tally.cluster} ${tally.job}`) : undefined))
    .toSorted((one, other) => other.cpuSeconds - one.cpuSeconds);
}

/**
 * A job of Slurm is one on all nodes; any other belongs to its node, and its epoch tells boots apart. Job 0 is no job: its
 * entries are never merged with one another.
 */
function identityOf(
  { cluster, node, job, epoch, user }: Pick<ProcessRow, 'cluster' | 'node' | 'job' | 'epoch' | 'user'>,
  envelope: number,
  slot: number,
): string {
  if (epoch === 0) return `${cluster} slurm ${job} ${user}`;
  return job === 0 ? `${cluster} ${node} 0 ${epoch} ${envelope} ${slot}` : `${cluster} ${node} ${job} ${epoch} ${user}`;
}

const newTally = (key: string, rows: readonly ProcessRow[] | readonly JobHour[]): Tally => {
  const row = rows[0] as ProcessRow | JobHour;
  const { cluster, job, epoch, user } = row;
  const time = 'first' in row ? row.first : row.time;
  return {
    key,
    cluster,
    job,
    epoch,
    user,
    first: time,
    last: time,
    samples: 0,
    cpuSeconds: 0,
    measured: 0,
    average: rows.reduce((sum, each) => sum + ('cpuAvg' in each ? each.cpuAvg : 0), 0),
    peakCpu: 0,
    peakMemory: 0,
    gpuSum: 0,
    peakGpuMemory: 0,
    nodes: new Map(),
    hourNodes: new Set(),
    commands: new Map(),
    cards: new Set(),
  };
};

function add(tally: Tally, rows: readonly ProcessRow[], cpuSeconds: number): void {
  const { time, node } = rows[0] as ProcessRow;
  let [rss, gpu, util] = [0, 0, 0];
  for (const row of rows) {
    rss += row.rssKb;
    gpu += row.gpuMemoryKb;
    util += row.gpuUtil;
    if (row.ord !== undefined) tally.commands.set(row.cmd, (tally.commands.get(row.cmd) ?? 0) + row.processes);
    for (const card of row.cards.split(' ')) if (card !== '') tally.cards.add(card);
  }
  const before = tally.nodes.get(node);
  const elapsed = before === undefined ? 0 : time - before.time;
  if (elapsed > 0) {
    tally.measured += cpuSeconds;
    tally.peakCpu = Math.max(tally.peakCpu, (100 * cpuSeconds) / elapsed);
  }
  tally.last = time;
  tally.samples++;
  tally.cpuSeconds += cpuSeconds;
  tally.gpuSum += util;
  tally.nodes.set(node, { time, rss, gpu, first: before?.first ?? time });
  let [memory, gpuMemory] = [0, 0];
  for (const each of tally.nodes.values()) {
    memory += each.rss;
    gpuMemory += each.gpu;
  }
  tally.peakMemory = Math.max(tally.peakMemory, memory);
  tally.peakGpuMemory = Math.max(tally.peakGpuMemory, gpuMemory);
}

function addHour(tally: Tally, hour: JobHour): void {
  tally.last = Math.max(tally.last, hour.last);
  tally.samples += hour.samples;
  tally.cpuSeconds += hour.cpuSeconds;
  tally.measured += hour.cpuSeconds;
  tally.peakCpu = Math.max(tally.peakCpu, hour.peakCpuPercent);
  tally.peakMemory = Math.max(tally.peakMemory, hour.peakMemoryKb);
  tally.gpuSum += hour.gpuPercent * hour.samples;
  tally.peakGpuMemory = Math.max(tally.peakGpuMemory, hour.peakGpuMemoryKb);
  tally.hourNodes.add(hour.node);
  tally.commands.set(hour.cmd, (tally.commands.get(hour.cmd) ?? 0) + hour.processes * hour.samples);
  for (const card of hour.cards.split(' ')) if (card !== '') tally.cards.add(card);
}

function useOf(tally: Tally, slurm: SlurmJobRow | undefined): JobUse {
  const { cluster, job, epoch, user, first, last, samples, cpuSeconds, measured } = tally;
  const name =
    slurm === undefined ? undefined : (JSON.parse(slurm.fields) as Record<string, unknown[]>)['job_name']?.[2];
  return {
    cluster,
    job,
    epoch,
    user,
    nodes: [...new Set([...tally.hourNodes, ...tally.nodes.keys()])],
    first,
    last,
    samples,
    commands: [...tally.commands].toSorted(([, one], [, other]) => other - one).map(([command]) => command),
    cpuSeconds,
    cpuPercent: last > first ? (100 * measured) / (last - first) : tally.average,
    peakCpuPercent: tally.peakCpu,
    peakMemoryKb: tally.peakMemory,
    cards: [...tally.cards],
    gpuPercent: tally.gpuSum / samples,
    peakGpuMemoryKb: tally.peakGpuMemory,
    state: slurm?.state ?? '',
    name: typeof name === 'string' ? name : '',
    partition: slurm?.partition ?? '',
    account: slurm?.account ?? '',
  };
}
