import { greater, greatestOf, minus, plus, sumOf } from '../../core/contract/sonar/amounts.ts';
import type { Uint } from '../../core/contract/sonar/kinds.ts';
import type * as contract from '../../core/contract/telemetry.ts';
import type { AnswerFields } from '../answers.ts';
import { CpuTime, eachSample, keyed } from '../store/figures/cpu-time.ts';
import type { JobHour } from '../store/rows/hours.ts';
import type { ProcessRow } from '../store/rows/samples.ts';
import type { JobKey, Portions, TelemetryRows, AskedWindow } from '../store/rows/rows.ts';

/** What a job did in one interval, on one node. */
export type ProfileInterval = AnswerFields<contract.ProfileStep, 'cpuSeconds' | 'memoryKb' | 'gpuMemoryKb'>;

/** One process of the job over its life. */
export type ProfiledProcess = AnswerFields<contract.ProcessUse, 'cpuSeconds' | 'peakMemoryKb'>;

export interface Profile {
  readonly steps: readonly ProfileInterval[];
  readonly processes: readonly ProfiledProcess[];
  /** (greatest - mean) / greatest CPU time of nodes, in percent: 0 is balanced. */
  readonly nodeImbalancePercent: number;
}

export async function profileOf(
  source: TelemetryRows,
  window: AskedWindow,
  key: JobKey,
  bucketSeconds = 0,
): Promise<Profile> {
  // Both at once: what they wait for in a server is the same.
  const [kept, profile] = await Promise.all([
    source.jobHours(window, key),
    profileOfRows(source.processes(window, key), bucketSeconds),
  ]);
  const hours = kept.map(stepOfHour);
  if (hours.length === 0) return profile;
  return { ...profile, steps: [...(bucketSeconds > 0 ? bucketed(hours, bucketSeconds) : hours), ...profile.steps] };
}

/** Of an hour without samples: the average of its CPU time, and the most of its memory. */
const stepOfHour = (hour: JobHour): ProfileInterval => ({
  time: hour.time,
  node: hour.node,
  processes: hour.processes,
  cpuPercent: (100 * Number(hour.cpuSeconds)) / 3600,
  cpuSeconds: hour.cpuSeconds,
  memoryKb: hour.peakMemoryKb,
  gpuPercent: hour.gpuPercent,
  gpuMemoryKb: hour.peakGpuMemoryKb,
});

/** The profile of the job whose processes these are, in the order of time. */
export async function profileOfRows(
  found: Portions<ProcessRow> | Iterable<readonly ProcessRow[]>,
  bucketSeconds = 0,
): Promise<Profile> {
  const cpu = new CpuTime();
  const latest = new Map<string, number>();
  const steps: ProfileInterval[] = [];
  const processes = new Map<string, ProfiledProcess>();
  const byNode = new Map<string, Uint>();
  await eachSample(found, (rows) => {
    const [row] = rows;
    const id = `${row.cluster} ${row.node} ${row.epoch} ${row.user}`;
    const before = latest.get(id);
    const seconds = cpu.since(id, rows);
    latest.set(id, row.time);
    byNode.set(row.node, plus(byNode.get(row.node) ?? 0, seconds));
    const sum = (value: (each: (typeof rows)[number]) => number) =>
      rows.reduce((total, each) => total + value(each), 0);
    const elapsed = before === undefined ? 0 : row.time - before;
    steps.push({
      time: row.time,
      node: row.node,
      processes: sum((each) => each.processes),
      // The first sample knows only averages over the lives of the processes.
      cpuPercent: elapsed > 0 ? (100 * Number(seconds)) / elapsed : sum((each) => each.cpuAvg),
      cpuSeconds: seconds,
      memoryKb: sumOf(rows, ({ rssKb }) => rssKb),
      gpuPercent: sum(({ gpuUtil }) => gpuUtil),
      gpuMemoryKb: sumOf(rows, ({ gpuMemoryKb }) => gpuMemoryKb),
    });
    for (const [name, each] of keyed(rows)) {
      const held = processes.get(`${id} ${name}`);
      processes.set(`${id} ${name}`, {
        node: each.node,
        pid: String(each.pid),
        ppid: String(each.ppid),
        cmd: each.cmd,
        depth: 0,
        first: held?.first ?? each.time,
        last: each.time,
        cpuSeconds: greater(each.cpuTime, held?.cpuSeconds ?? 0),
        peakMemoryKb: greater(each.rssKb, held?.peakMemoryKb ?? 0),
      });
    }
  });
  const times = [...byNode.values()].map(Number);
  const most = times.reduce((greatest, each) => Math.max(greatest, each), 0);
  const mean = times.reduce((total, each) => total + each, 0) / Math.max(1, times.length);
  return {
    steps: bucketSeconds > 0 ? bucketed(steps, bucketSeconds) : steps,
    processes: asTree([...processes.values()]),
    nodeImbalancePercent: most > 0 ? (100 * (most - mean)) / most : 0,
  };
}

/** The averages of intervals; memory is the greatest of the interval. */
function bucketed(steps: readonly ProfileInterval[], seconds: number): ProfileInterval[] {
  const groups = Map.groupBy(steps, ({ time, node }) => `${Math.floor(time / seconds)} ${node}`);
  return [...groups.values()].map((group) => {
    const { time, node } = group[0] as ProfileInterval;
    const mean = (value: (step: ProfileInterval) => number) =>
      group.reduce((sum, step) => sum + value(step), 0) / group.length;
    const most = (value: (step: ProfileInterval) => number) =>
      group.reduce((greatest, step) => Math.max(greatest, value(step)), 0);
    return {
      time: Math.floor(time / seconds) * seconds,
      node,
      processes: most((step) => step.processes),
      cpuPercent: mean((step) => step.cpuPercent),
      cpuSeconds: sumOf(group, (step) => step.cpuSeconds),
      memoryKb: greatestOf(group, (step) => step.memoryKb),
      gpuPercent: mean((step) => step.gpuPercent),
      gpuMemoryKb: greatestOf(group, (step) => step.gpuMemoryKb),
    };
  });
}

/** Parents before their children, at each level by CPU time. */
function asTree(processes: readonly ProfiledProcess[]): ProfiledProcess[] {
  const idOf = (node: string, pid: string) => `${node} ${pid}`;
  const known = new Set(processes.map(({ node, pid }) => idOf(node, pid)));
  const byCpu = (one: ProfiledProcess, other: ProfiledProcess) => Number(minus(other.cpuSeconds, one.cpuSeconds));
  const children = Map.groupBy(processes, ({ node, pid, ppid }) =>
    ppid !== pid && ppid !== '0' && known.has(idOf(node, ppid)) ? idOf(node, ppid) : '',
  );
  const tree: ProfiledProcess[] = [];
  const seen = new Set<ProfiledProcess>();
  const visit = (each: ProfiledProcess, depth: number) => {
    if (seen.has(each)) return;
    seen.add(each);
    tree.push({ ...each, depth });
    if (each.pid !== '0')
      for (const child of (children.get(idOf(each.node, each.pid)) ?? []).toSorted(byCpu)) visit(child, depth + 1);
  };
  for (const root of (children.get('') ?? []).toSorted(byCpu)) visit(root, 0);
  // Pids that were used again may make a circle without a root.
  for (const each of processes) visit(each, 0);
  return tree;
}
