import { greater, greatestOf, sumOf } from '../../core/contract/sonar/amounts.ts';
import type { ReportKind } from '../../core/contract/report-kinds.ts';
import type { TelemetryReportLine } from '../../core/contract/telemetry.ts';
import type { AnswerOf } from '../answers.ts';
import { greedyJobs } from './greedy.ts';
import { idleCards } from './idle-cards.ts';
import { jobLineOf } from './job-line.ts';
import { type JobUseInWindow, jobsOf } from './jobs.ts';
import { coresOf } from './nodes.ts';
import type { ProcessRow } from '../store/rows/samples.ts';
import type { TelemetryRows, AskedWindow } from '../store/rows/rows.ts';

export type ReportLine = AnswerOf<typeof TelemetryReportLine, 'memoryKb' | 'gpuMemoryKb'>;

const HOUR = 3600;
/** A hog takes at least this share of a node with cards, without using one, for this long. */
const HOG_PERCENT = 10;
const HOG_SECONDS = 600;

export async function reportLinesOf(
  source: TelemetryRows,
  window: AskedWindow,
  kind: ReportKind,
): Promise<ReportLine[]> {
  switch (kind) {
    case 'users':
      return grouped(await jobsOf(source, window), ({ user }) => [user]);
    case 'commands':
      return grouped(await jobsOf(source, window), ({ commands }) => commands.slice(0, 1));
    case 'hogs':
      return hogs(source, window);
    case 'idle-gpu':
      return idleCards(source, window);
    case 'zombies':
      return zombies(source, window);
    case 'greedy':
      return greedyJobs(source, window);
  }
}

const gpuHoursOf = ({ gpuPercent, first, last }: JobUseInWindow): number =>
  ((gpuPercent / 100) * (last - first)) / HOUR;

function grouped(jobs: readonly JobUseInWindow[], namesOf: (job: JobUseInWindow) => readonly string[]): ReportLine[] {
  const groups = new Map<string, JobUseInWindow[]>();
  for (const job of jobs)
    for (const name of namesOf(job)) {
      const key = `${job.cluster} ${name}`;
      groups.set(key, [...(groups.get(key) ?? []), job]);
    }
  return [...groups.entries()]
    .map(([key, own]) => ({
      cluster: own[0]?.cluster ?? '',
      subject: key.slice(key.indexOf(' ') + 1),
      jobs: own.length,
      cpuHours: Number(sumOf(own, ({ cpuSeconds }) => cpuSeconds)) / HOUR,
      gpuHours: own.reduce((sum, job) => sum + gpuHoursOf(job), 0),
      memoryKb: greatestOf(own, ({ peakMemoryKb }) => peakMemoryKb),
      first: own.reduce((least, { first }) => Math.min(least, first), Infinity),
      last: own.reduce((most, { last }) => Math.max(most, last), 0),
      reason: '',
    }))
    .toSorted((one, other) => other.cpuHours - one.cpuHours);
}

async function hogs(source: TelemetryRows, window: AskedWindow): Promise<ReportLine[]> {
  const cores = new Map<string, number>();
  const nodes = await source.sysinfo(window);
  for (const { cluster, node, info } of nodes)
    if (((info['cards'] ?? []) as readonly unknown[]).length > 0)
      cores.set(`${cluster} ${node}`, Number(coresOf(info)));
  return (await jobsOf(source, window)).flatMap((job) => {
    const counts = job.nodes.map((node) => cores.get(`${job.cluster} ${node}`) ?? 0);
    if (counts.includes(0) || job.cards.length > 0 || job.last - job.first < HOG_SECONDS) return [];
    const percent = job.peakCpuPercent / counts.reduce((sum, each) => sum + each, 0);
    if (percent < HOG_PERCENT) return [];
    return [
      { ...jobLineOf(job), percent, reason: `${percent.toFixed(0)} % of the cores of nodes with cards, no card used` },
    ];
  });
}

/** Processes that ended and were not waited for, and memory of cards whose process is gone. Each is listed once. */
async function zombies(source: TelemetryRows, window: AskedWindow): Promise<ReportLine[]> {
  const found = new Map<string, ReportLine>();
  const add = (row: ProcessRow) => {
    const isDefunct = row.cmd.endsWith('<defunct>') || row.cmd.startsWith('_zombie_');
    const isLost = row.cmd === '_unknown_' && row.gpuMemoryKb > 0;
    if (!isDefunct && !isLost) return;
    const key = `${row.cluster} ${row.node} ${row.job} ${row.epoch} ${row.pid} ${row.cmd}`;
    found.set(key, {
      cluster: row.cluster,
      subject: `pid ${row.pid} ${row.cmd}`,
      user: row.user,
      node: row.node,
      gpuMemoryKb: greater(row.gpuMemoryKb, found.get(key)?.gpuMemoryKb ?? 0),
      first: found.get(key)?.first ?? row.time,
      last: row.time,
      reason: isLost
        ? 'the card has memory of a process that is gone'
        : 'the process ended and its parent did not wait for it',
    });
  };
  for await (const rows of source.processes(window)) for (const row of rows) add(row);
  return [...found.values()];
}
