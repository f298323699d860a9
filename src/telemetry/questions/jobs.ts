import { amountOf, greater, minus, plus, rounded, sumOf } from '../../core/contract/sonar/amounts.ts';
import type { Uint } from '../../core/contract/sonar/kinds.ts';
import type { TelemetryJob } from '../../core/contract/telemetry.ts';
import type { AnswerOf } from '../answers.ts';
import { CpuTime, eachSample } from '../store/figures/cpu-time.ts';
import { PeakOfSums } from './peak-of-sums.ts';
import type { JobHour } from '../store/rows/hours.ts';
import type { SlurmJobRow } from '../store/rows/records.ts';
import type { ProcessRow } from '../store/rows/samples.ts';
import type { TelemetryRows, AskedWindow } from '../store/rows/rows.ts';

/** What a job did within a window, from the samples of its processes, with what Slurm says of it. */
export type JobUseInWindow = AnswerOf<
  typeof TelemetryJob,
  'job' | 'epoch' | 'cpuSeconds' | 'peakMemoryKb' | 'peakGpuMemoryKb'
>;

/** Jobs outside of Slurm have the ids of process groups, which are used again: a gap of this length ends a job. */
const JOB_GAP_SECONDS = 3 * 3600;

interface Tally {
  readonly key: string;
  readonly cluster: string;
  readonly job: Uint;
  readonly epoch: Uint;
  readonly user: string;
  first: number;
  last: number;
  samples: number;
  cpuSeconds: Uint;
  /** CPU seconds between samples. */
  measured: Uint;
  /** The averages of the processes at the first time. */
  average: number;
  /** The times of the latest samples. */
  readonly nodes: Map<string, number>;
  readonly stays: Map<string, Stay>;
  readonly peak: PeakOfSums;
  readonly commands: Map<string, number>;
  readonly cards: Set<string>;
}

/** A job on one node, and its peaks in hours without samples. */
interface Stay {
  first: number;
  last: number;
  samples: number;
  gpuSum: number;
  peakCpu: number;
  peakMemory: Uint;
  peakGpuMemory: Uint;
}

/** Jobs by their CPU time, most first. */
export async function jobsOf(
  source: TelemetryRows,
  window: AskedWindow,
  gapSeconds = JOB_GAP_SECONDS,
): Promise<JobUseInWindow[]> {
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
    .toSorted((one, other) => Number(minus(other.cpuSeconds, one.cpuSeconds)));
}

/**
 * A job of Slurm is one on all nodes; any other belongs to its node, and its epoch separates boots. Job 0 is no job: its
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
    average: 0,
    nodes: new Map(),
    stays: new Map(),
    peak: new PeakOfSums(),
    commands: new Map(),
    cards: new Set(),
  };
};

/** CPU percent are kept in thousandths: as integers, their sums are the same in any order. */
const SCALE = 1000;

function add(tally: Tally, rows: readonly ProcessRow[], cpuSeconds: Uint): void {
  const { time, node } = rows[0] as ProcessRow;
  let [util, average] = [0, 0];
  for (const row of rows) {
    util += row.gpuUtil;
    average += row.cpuAvg;
    if (row.ord !== undefined) tally.commands.set(row.cmd, (tally.commands.get(row.cmd) ?? 0) + row.processes);
    for (const card of row.cards.split(' ')) if (card !== '') tally.cards.add(card);
  }
  const before = tally.nodes.get(node);
  const elapsed = before === undefined ? 0 : time - before;
  if (elapsed > 0) tally.measured = plus(tally.measured, cpuSeconds);
  if (before === undefined && time === tally.first) tally.average += average;
  tally.last = time;
  tally.samples++;
  tally.cpuSeconds = plus(tally.cpuSeconds, cpuSeconds);
  tally.nodes.set(node, time);
  // The first sample knows only averages over the lives of the processes.
  const cpuPercent = elapsed > 0 ? (100 * Number(cpuSeconds)) / elapsed : before === undefined ? average : 0;
  tally.peak.add(node, time, [
    rounded(cpuPercent * SCALE),
    sumOf(rows, ({ rssKb }) => rssKb),
    sumOf(rows, ({ gpuMemoryKb }) => gpuMemoryKb),
  ]);
  const stay = stayOn(tally, node, time);
  stay.last = time;
  stay.samples++;
  stay.gpuSum += util;
}

function stayOn({ stays }: Tally, node: string, first: number): Stay {
  let stay = stays.get(node);
  if (stay === undefined)
    stays.set(
      node,
      (stay = { first, last: first, samples: 0, gpuSum: 0, peakCpu: 0, peakMemory: 0, peakGpuMemory: 0 }),
    );
  return stay;
}

function addHour(tally: Tally, hour: JobHour): void {
  tally.first = Math.min(tally.first, hour.first);
  tally.last = Math.max(tally.last, hour.last);
  tally.samples += hour.samples;
  tally.cpuSeconds = plus(tally.cpuSeconds, hour.cpuSeconds);
  tally.measured = plus(tally.measured, hour.cpuSeconds);
  // It counts for a job that was seen once, whose peak is its average.
  if (hour.samples === 1) tally.average += hour.peakCpuPercent;
  const stay = stayOn(tally, hour.node, hour.first);
  stay.first = Math.min(stay.first, hour.first);
  stay.last = Math.max(stay.last, hour.last);
  stay.samples += hour.samples;
  stay.gpuSum += hour.gpuPercent * hour.samples;
  stay.peakCpu = Math.max(stay.peakCpu, hour.peakCpuPercent);
  stay.peakMemory = greater(stay.peakMemory, hour.peakMemoryKb);
  stay.peakGpuMemory = greater(stay.peakGpuMemory, hour.peakGpuMemoryKb);
  tally.commands.set(hour.cmd, (tally.commands.get(hour.cmd) ?? 0) + hour.processes * hour.samples);
  for (const card of hour.cards.split(' ')) if (card !== '') tally.cards.add(card);
}

function useOf(tally: Tally, slurm: SlurmJobRow | undefined): JobUseInWindow {
  const { cluster, job, epoch, user, first, last, samples, cpuSeconds, measured } = tally;
  const stays = [...tally.stays.values()];
  const sum = (value: (stay: Stay) => number) => stays.reduce((total, stay) => total + value(stay), 0);
  const [cpu, memory, gpuMemory] = tally.peak.peaks();
  const shareOf = (stay: Stay) => (last > first ? (stay.last - stay.first) / (last - first) : 1);
  const name =
    slurm === undefined ? undefined : (JSON.parse(slurm.fields) as Record<string, unknown[]>)['job_name']?.[2];
  return {
    cluster,
    job,
    epoch,
    user,
    nodes: [...tally.stays.keys()].toSorted(),
    first,
    last,
    samples,
    commands: [...tally.commands].toSorted(([, one], [, other]) => other - one).map(([command]) => command),
    cpuSeconds,
    cpuPercent: last > first ? (100 * Number(measured)) / (last - first) : tally.average,
    peakCpuPercent: Math.max(
      Number(cpu) / SCALE,
      sum(({ peakCpu }) => peakCpu),
    ),
    peakMemoryKb: greater(
      amountOf(memory),
      sumOf(stays, ({ peakMemory }) => peakMemory),
    ),
    cards: [...tally.cards],
    gpuPercent: sum((stay) => (stay.gpuSum / stay.samples) * shareOf(stay)),
    peakGpuMemoryKb: greater(
      amountOf(gpuMemory),
      sumOf(stays, ({ peakGpuMemory }) => peakGpuMemory),
    ),
    state: slurm?.state ?? '',
    name: typeof name === 'string' ? name : '',
    partition: slurm?.partition ?? '',
    account: slurm?.account ?? '',
  };
}
