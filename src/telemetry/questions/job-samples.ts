import { minus, plus, sumOf } from '../../core/contract/sonar/amounts.ts';
import type { Uint } from '../../core/contract/sonar/kinds.ts';
import { type Counter, CpuTime } from '../store/figures/cpu-time.ts';
import type { JobSampleRow, OnNode } from '../store/rows/samples.ts';
import type { JobKey, Portions, TelemetryRows, AskedWindow } from '../store/rows/rows.ts';
import { sampleKeyOf } from './step-length.ts';

/** What a job did on one node since the sample before. */
export interface JobUseOnNode extends OnNode, Pick<JobSampleRow, 'epoch' | 'user' | 'processes' | 'cpuAvg'> {
  /** 0 where it is unknown when it was used. */
  readonly cpuSeconds: Uint;
  /** Since the sample before; undefined at the first one. */
  readonly elapsed: number | undefined;
  readonly memoryKb: Uint;
  readonly gpuPercent: number;
  readonly gpuMemoryKb: Uint;
}

/** Counters of before a window, from which its first rise is counted: as for hours. */
const BEFORE_SECONDS = 3 * 3600;
const DAY = 86_400;

/** The use of a job at each of its samples in a window, in the order of time. The window is of one cluster. */
export async function jobUses(source: TelemetryRows, window: AskedWindow, key: JobKey): Promise<JobUseOnNode[]> {
  const cpu = new JobCpu();
  const uses: JobUseOnNode[] = [];
  let isFirst = true;
  await eachSample(source.jobSamples(window, key), async (entries) => {
    const [sample] = entries;
    if (isFirst) {
      isFirst = false;
      // Read only where the job was there: most windows begin before it.
      const before = { ...window, from: Math.max(0, sample.time - BEFORE_SECONDS), until: window.from };
      if (before.from < before.until)
        await eachSample(source.jobSamples(before, key), (earlier) => void cpu.since(earlier));
    }
    const sum = (value: (each: JobSampleRow) => number) => entries.reduce((total, each) => total + value(each), 0);
    uses.push({
      cluster: sample.cluster,
      node: sample.node,
      epoch: sample.epoch,
      user: sample.user,
      time: sample.time,
      ...cpu.since(entries),
      processes: sum((each) => each.processes),
      cpuAvg: sum((each) => each.cpuAvg),
      memoryKb: sumOf(entries, (each) => each.rssKb),
      gpuPercent: sum((each) => each.gpuUtil),
      gpuMemoryKb: sumOf(entries, (each) => each.gpuMemoryKb),
    });
  });
  return withKnownBegins(source, window, uses);
}

/** What a job had used before the first sample of its node, at an unknown time. Days are looked at as when their hours are added up. */
async function withKnownBegins(
  source: TelemetryRows,
  window: AskedWindow,
  uses: readonly JobUseOnNode[],
): Promise<JobUseOnNode[]> {
  const firsts = uses.filter(({ elapsed, cpuSeconds }) => elapsed === undefined && cpuSeconds > 0);
  const begins = new Map<number, ReadonlyMap<string, number>>();
  for (const [day, group] of Map.groupBy(firsts, ({ time }) => Math.floor(time / DAY))) {
    const until = group.reduce((latest, { time }) => Math.max(latest, time), 0) + 1;
    begins.set(
      day,
      await source.firstSamples({ cluster: window.cluster, from: Math.max(0, day * DAY - BEFORE_SECONDS), until }),
    );
  }
  return uses.map((use) => {
    if (use.elapsed !== undefined) return use;
    const begin = begins.get(Math.floor(use.time / DAY))?.get(`${use.cluster} ${use.node}`) ?? use.time;
    return use.time > begin ? use : { ...use, cpuSeconds: 0 };
  });
}

/** Calls `use` with the entries of a job in each sample: those of one envelope follow each other. */
async function eachSample(
  portions: Portions<JobSampleRow>,
  use: (entries: readonly [JobSampleRow, ...JobSampleRow[]]) => void | Promise<void>,
): Promise<void> {
  let open: JobSampleRow[] = [];
  const end = async () => {
    if (open.length === 0) return;
    const groups = Map.groupBy(open, (each) => `${sampleKeyOf(each)} ${each.job} ${each.job === 0 ? each.slot : ''}`);
    open = [];
    for (const [first, ...rest] of groups.values()) if (first !== undefined) await use([first, ...rest]);
  };
  for await (const samples of portions)
    for (const sample of samples) {
      if (sample.envelope !== open[0]?.envelope) await end();
      open.push(sample);
    }
  await end();
}

/** CPU time of jobs. Where the same processes are there as at the sample before, it is the rise of the sum of their counters. */
class JobCpu {
  readonly #cpu = new CpuTime();
  readonly #latest = new Map<string, { readonly time: number; readonly sample: JobSampleRow | undefined }>();

  since(entries: readonly [JobSampleRow, ...JobSampleRow[]]): Pick<JobUseOnNode, 'cpuSeconds' | 'elapsed'> {
    const [sample] = entries;
    const id = sampleKeyOf(sample);
    const before = this.#latest.get(id);
    const own = entries.length === 1 ? sample : undefined;
    this.#latest.set(id, { time: sample.time, sample: own });
    const elapsed = before === undefined ? undefined : sample.time - before.time;
    const rise = before?.sample === undefined || own === undefined ? undefined : riseOf(before.sample, own);
    if (rise !== undefined) return { cpuSeconds: rise, elapsed };
    if (before?.sample !== undefined) this.#cpu.sinceCounters(id, countersOf([before.sample]));
    return { cpuSeconds: this.#cpu.sinceCounters(id, countersOf(entries)), elapsed };
  }
}

/** Undefined where processes began, ended or changed places, or a counter fell. */
function riseOf(before: JobSampleRow, now: JobSampleRow): Uint | undefined {
  if (before.names.length !== now.names.length) return undefined;
  let rise: Uint = 0;
  for (let at = 0; at < now.names.length; at++) {
    const [earlier = 0, later = 0] = [before.cpuTimes[at], now.cpuTimes[at]];
    if (before.names[at] !== now.names[at] || later < earlier) return undefined;
    rise = plus(rise, minus(later, earlier));
  }
  return rise;
}

function* countersOf(entries: readonly JobSampleRow[]): Generator<Counter> {
  const ordinals = new Map<string, number>();
  for (const { names, ppids, cpuTimes } of entries)
    for (const [at, each] of names.entries()) {
      const name = String(each);
      const isRolledUp = name.startsWith('0 ');
      const ordinal = ordinals.get(name) ?? 0;
      if (isRolledUp) ordinals.set(name, ordinal + 1);
      yield {
        name: isRolledUp ? `${name} ${ordinal}` : name,
        pid: isRolledUp ? '0' : name,
        ppid: String(ppids[at] ?? 0),
        seconds: cpuTimes[at] ?? 0,
      };
    }
}
