import { AmountMean, greater, plus, rounded, sumOf } from '../../../core/contract/sonar/amounts.ts';
import type { Uint } from '../../../core/contract/sonar/kinds.ts';
import { CpuTime, samplesFor } from './cpu-time.ts';
import { loadOf } from './load.ts';
import { HOUR_SECONDS } from '../days.ts';
import type { JobHour, NodeHour } from '../rows/hours.ts';
import type { ProcessRow } from '../rows/samples.ts';
import type { TelemetryRows, AskedWindow } from '../rows/rows.ts';

const hourOf = (time: number): number => Math.floor(time / HOUR_SECONDS) * HOUR_SECONDS;

/** Counters of before a window, from which its first rise is counted: as old as a gap within a job may be. */
const BEFORE_SECONDS = 3 * HOUR_SECONDS;
const withTimeBefore = (window: AskedWindow): AskedWindow => ({ ...window, from: window.from - BEFORE_SECONDS });

interface Tally extends Pick<JobHour, 'cluster' | 'node' | 'time' | 'job' | 'epoch' | 'user' | 'first'> {
  last: number;
  samples: number;
  processes: number;
  cpuSeconds: Uint;
  peakCpuPercent: number;
  readonly memory: AmountMean;
  peakMemoryKb: Uint;
  gpu: number;
  peakGpuMemoryKb: Uint;
  readonly commands: Map<string, number>;
  readonly cards: Set<string>;
}

/**
 * What each job did on each node in each hour of a window, as the hours are over. CPU time is counted as in the list of jobs.
 *
 * The counters of all processes of the window are held until its end: a window of few nodes needs little memory.
 */
export async function* jobHoursOf(
  source: Pick<TelemetryRows, 'firstSamples' | 'processes'>,
  window: AskedWindow,
): AsyncGenerator<readonly JobHour[]> {
  let done: JobHour[] = [];
  const tallies = new Map<string, Tally>();
  let open = 0;
  const latest = new Map<string, number>();
  const cpu = new CpuTime();
  const begins = await source.firstSamples(withTimeBefore(window));
  const samples = samplesFor((rows) => {
    const [{ cluster, node, job, epoch, user, time }] = rows;
    const key = `${cluster} ${node} ${job} ${epoch} ${user}`;
    const used = cpu.since(key, rows);
    const before = latest.get(key);
    latest.set(key, time);
    if (time < window.from) return;
    const hour = hourOf(time);
    if (hour !== open) {
      // Samples come in the order of time, and what adds up an hour is much larger than its sum.
      for (const tally of tallies.values()) done.push(jobHour(tally));
      tallies.clear();
      open = hour;
    }
    let tally = tallies.get(`${key} ${hour}`);
    if (tally === undefined)
      tallies.set(`${key} ${hour}`, (tally = newTally({ cluster, node, job, epoch, user, time: hour, first: time })));
    // What it had used before the first sample of its node, at an unknown time.
    const isKnown = before !== undefined || time > (begins.get(`${cluster} ${node}`) ?? 0);
    add(tally, rows, isKnown ? used : 0, before === undefined ? undefined : time - before);
  });
  for await (const rows of source.processes(withTimeBefore(window))) {
    samples.read(rows);
    if (done.length === 0) continue;
    yield done;
    done = [];
  }
  samples.end();
  yield [...done, ...[...tallies.values()].map(jobHour)];
}

const jobHour = ({ memory, gpu, commands, cards, ...tally }: Tally): JobHour => ({
  ...tally,
  cmd: [...commands].toSorted(([, one], [, other]) => other - one)[0]?.[0] ?? '',
  memoryKb: rounded(memory.value ?? 0),
  gpuPercent: gpu / tally.samples,
  cards: [...cards].join(' '),
});

const newTally = (head: Pick<Tally, 'cluster' | 'node' | 'time' | 'job' | 'epoch' | 'user' | 'first'>): Tally => ({
  ...head,
  last: head.first,
  samples: 0,
  processes: 0,
  cpuSeconds: 0,
  peakCpuPercent: 0,
  memory: new AmountMean(),
  peakMemoryKb: 0,
  gpu: 0,
  peakGpuMemoryKb: 0,
  commands: new Map(),
  cards: new Set(),
});

function add(tally: Tally, rows: readonly ProcessRow[], cpuSeconds: Uint, elapsed: number | undefined): void {
  let [processes, gpu, average] = [0, 0, 0];
  for (const row of rows) {
    processes += row.processes;
    gpu += row.gpuUtil;
    average += row.cpuAvg;
    if (row.ord !== undefined) tally.commands.set(row.cmd, (tally.commands.get(row.cmd) ?? 0) + row.processes);
    for (const card of row.cards.split(' ')) if (card !== '') tally.cards.add(card);
  }
  const rss = sumOf(rows, ({ rssKb }) => rssKb);
  tally.last = rows[0]?.time ?? tally.last;
  tally.samples++;
  tally.cpuSeconds = plus(tally.cpuSeconds, cpuSeconds);
  // The first sample knows only averages over the lives of the processes, as in the list of jobs.
  const cpuPercent = elapsed === undefined ? average : elapsed > 0 ? (100 * Number(cpuSeconds)) / elapsed : 0;
  tally.peakCpuPercent = Math.max(tally.peakCpuPercent, cpuPercent);
  tally.processes = Math.max(tally.processes, processes);
  tally.memory.add(rss, 1);
  tally.peakMemoryKb = greater(tally.peakMemoryKb, rss);
  tally.gpu += gpu;
  tally.peakGpuMemoryKb = greater(
    tally.peakGpuMemoryKb,
    sumOf(rows, ({ gpuMemoryKb }) => gpuMemoryKb),
  );
}

export async function nodeHoursOf(source: TelemetryRows, window: AskedWindow): Promise<NodeHour[]> {
  const loads = new Map(
    (await loadOf(source, withTimeBefore(window), HOUR_SECONDS)).map((step) => [
      `${step.cluster} ${step.node} ${step.time}`,
      step,
    ]),
  );
  const hours = Map.groupBy(
    await source.sampleTimes(window),
    ({ cluster, node, time }) => `${cluster} ${node} ${hourOf(time)}`,
  );
  return [...hours].map(([key, samples]) => {
    const [first, last] = [samples[0], samples.at(-1)] as [(typeof samples)[number], (typeof samples)[number]];
    const load = loads.get(key);
    return {
      cluster: first.cluster,
      node: first.node,
      time: hourOf(first.time),
      first: first.time,
      last: last.time,
      boot: samples.findLast(({ boot }) => boot !== undefined)?.boot,
      samples: samples.length,
      cores: load?.cores ?? 0,
      cpuPercent: load?.cpuPercent,
      usedMemoryKb: rounded(load?.usedMemoryKb ?? 0),
      load1: load?.load1 ?? 0,
      cards: load?.cards ?? 0,
      gpuPercent: load?.gpuPercent,
      gpuMemoryKb: rounded(load?.gpuMemoryKb ?? 0),
    };
  });
}
