import { greatestOf, sumOf } from '../../core/contract/sonar/amounts.ts';
import { type JobUseOnNode, jobUses } from './job-samples.ts';
import type { ProfileInterval } from './profile.ts';
import type { JobHour } from '../store/rows/hours.ts';
import type { JobKey, TelemetryRows, AskedWindow } from '../store/rows/rows.ts';
import { chooseStepSeconds, sampleKeyOf } from './step-length.ts';

const HOUR = 3600;
const DAY = 86_400;

/** What a job did over time, without its processes. */
export interface ProfileSteps {
  /** The length of the steps; 0: each sample. */
  readonly everySeconds: number;
  readonly steps: readonly ProfileInterval[];
}

type Hour = Pick<
  JobHour,
  | 'cluster'
  | 'node'
  | 'epoch'
  | 'user'
  | 'time'
  | 'first'
  | 'last'
  | 'samples'
  | 'processes'
  | 'cpuSeconds'
  | 'peakMemoryKb'
  | 'gpuPercent'
  | 'peakGpuMemoryKb'
>;

/**
 * The use of a job in steps of a length, or of one that suits its time. Steps of whole hours are made from hours where days are closed,
 * so that a long profile needs no samples of them.
 */
export async function profileSteps(
  source: TelemetryRows,
  window: AskedWindow,
  key: JobKey,
  asked?: number,
): Promise<ProfileSteps> {
  const clusters = (await source.clusterNames(window.cluster)).map((cluster) => ({ ...window, cluster }));
  if (asked === undefined || isOfHours(asked)) {
    const found = [];
    for (const each of clusters) found.push(await hoursOf(source, each, key));
    const hours = found.flatMap(({ kept, uses }) => [...kept, ...hoursOfUses(uses)]);
    const everySeconds = asked ?? chooseStepSeconds(hours);
    if (isOfHours(everySeconds)) return { everySeconds, steps: inOrder(stepsOfHours(hours, everySeconds)) };
    if (found.every(({ kept }) => kept.length === 0)) {
      const steps = found.flatMap(({ uses }) => shortSteps(uses, everySeconds));
      return { everySeconds, steps: inOrder(steps) };
    }
    asked = everySeconds;
  }
  const steps: ProfileInterval[] = [];
  for (const each of clusters) {
    const uses = await jobUses(source, each, key);
    // Of deleted samples only the hours are left.
    const lost = await source.jobHours(each, key);
    for (const step of [...stepsOfHours(lost, HOUR), ...shortSteps(uses, asked)]) steps.push(step);
  }
  return { everySeconds: asked, steps: inOrder(steps) };
}

const isOfHours = (seconds: number): boolean => seconds > 0 && seconds % HOUR === 0;

/** Of closed days the hours that are kept, of others the samples. */
async function hoursOf(source: TelemetryRows, window: AskedWindow, key: JobKey) {
  const { hours, days } = await source.closedJobHours(window, key);
  const uses: JobUseOnNode[] = [];
  for (const part of besides(window, days)) for (const use of await jobUses(source, part, key)) uses.push(use);
  return { kept: hours as readonly Hour[], uses };
}

/** The parts of a window that have none of the days. */
function* besides(window: AskedWindow, days: readonly number[]): Generator<AskedWindow> {
  let { from } = window;
  for (const day of days.toSorted((one, other) => one - other)) {
    if (from < day * DAY) yield { ...window, from, until: day * DAY };
    from = (day + 1) * DAY;
  }
  if (from < window.until) yield { ...window, from };
}

function hoursOfUses(uses: readonly JobUseOnNode[]): Hour[] {
  const groups = Map.groupBy(uses, (use) => `${sampleKeyOf(use)} ${Math.floor(use.time / HOUR)}`);
  return [...groups.values()].map((group) => {
    const [first, last] = [group[0], group.at(-1)] as [JobUseOnNode, JobUseOnNode];
    return {
      cluster: first.cluster,
      node: first.node,
      epoch: first.epoch,
      user: first.user,
      time: Math.floor(first.time / HOUR) * HOUR,
      first: first.time,
      last: last.time,
      samples: group.length,
      processes: most(group, (use) => use.processes),
      cpuSeconds: sumOf(group, (use) => use.cpuSeconds),
      peakMemoryKb: greatestOf(group, (use) => use.memoryKb),
      gpuPercent: sum(group, (use) => use.gpuPercent) / group.length,
      peakGpuMemoryKb: greatestOf(group, (use) => use.gpuMemoryKb),
    };
  });
}

/** The CPU time of a step is spread over the time that its samples stand for: that since the samples before them. */
function stepsOfHours(hours: readonly Hour[], seconds: number): ProfileInterval[] {
  const steps: ProfileInterval[] = [];
  for (const own of Map.groupBy(hours, sampleKeyOf).values()) {
    let before: number | undefined;
    const spread = own
      .toSorted((one, other) => one.time - other.time)
      .map((hour) => {
        // Nothing is known of the time before the first sample: it stands for as much as each of the others.
        const elapsed =
          before === undefined
            ? ((hour.last - hour.first) * hour.samples) / Math.max(1, hour.samples - 1)
            : hour.last - before;
        before = hour.last;
        return { ...hour, elapsed };
      });
    for (const [begin, group] of Map.groupBy(spread, ({ time }) => Math.floor(time / seconds) * seconds)) {
      const cpuSeconds = sumOf(group, (hour) => hour.cpuSeconds);
      const elapsed = sum(group, (hour) => hour.elapsed);
      steps.push({
        time: begin,
        node: (group[0] as Hour).node,
        processes: most(group, (hour) => hour.processes),
        cpuPercent: (100 * Number(cpuSeconds)) / (elapsed > 0 ? elapsed : HOUR),
        cpuSeconds,
        memoryKb: greatestOf(group, (hour) => hour.peakMemoryKb),
        gpuPercent: sum(group, (hour) => hour.gpuPercent * hour.samples) / sum(group, (hour) => hour.samples),
        gpuMemoryKb: greatestOf(group, (hour) => hour.peakGpuMemoryKb),
      });
    }
  }
  return steps;
}

const stepOfUse = (use: JobUseOnNode): ProfileInterval => ({
  time: use.time,
  node: use.node,
  processes: use.processes,
  // The first sample knows only averages over the lives of the processes.
  cpuPercent: (use.elapsed ?? 0) > 0 ? (100 * Number(use.cpuSeconds)) / (use.elapsed ?? 1) : use.cpuAvg,
  cpuSeconds: use.cpuSeconds,
  memoryKb: use.memoryKb,
  gpuPercent: use.gpuPercent,
  gpuMemoryKb: use.gpuMemoryKb,
});

const shortSteps = (uses: readonly JobUseOnNode[], seconds: number): ProfileInterval[] =>
  seconds > 0 ? stepsOf(uses, seconds) : uses.map(stepOfUse);

function stepsOf(uses: readonly JobUseOnNode[], seconds: number): ProfileInterval[] {
  const groups = Map.groupBy(uses, (use) => `${sampleKeyOf(use)} ${Math.floor(use.time / seconds)}`);
  return [...groups.values()].map((group) => {
    const [{ time, node }] = group as [JobUseOnNode, ...JobUseOnNode[]];
    const known = group.filter(({ elapsed = 0 }) => elapsed > 0);
    const elapsed = sum(known, (use) => use.elapsed ?? 0);
    return {
      time: Math.floor(time / seconds) * seconds,
      node,
      processes: most(group, (use) => use.processes),
      cpuPercent:
        elapsed > 0
          ? (100 * Number(sumOf(known, (use) => use.cpuSeconds))) / elapsed
          : sum(group, (use) => use.cpuAvg) / group.length,
      cpuSeconds: sumOf(group, (use) => use.cpuSeconds),
      memoryKb: greatestOf(group, (use) => use.memoryKb),
      gpuPercent: sum(group, (use) => use.gpuPercent) / group.length,
      gpuMemoryKb: greatestOf(group, (use) => use.gpuMemoryKb),
    };
  });
}

const sum = <Item>(items: readonly Item[], value: (item: Item) => number): number =>
  items.reduce((total, item) => total + value(item), 0);
const most = <Item>(items: readonly Item[], value: (item: Item) => number): number =>
  items.reduce((greatest, item) => Math.max(greatest, value(item)), 0);

const inOrder = (steps: readonly ProfileInterval[]): ProfileInterval[] =>
  steps.toSorted((one, other) => one.time - other.time || (one.node < other.node ? -1 : one.node > other.node ? 1 : 0));
