import { chartSvg, type Line } from './chart.ts';
import { escaped } from './escaped.ts';
import { type JobFigures, jobFigures, systemFigures } from './figures.ts';
import { pageHtml, tableHtml } from './page.ts';
import type { JobSeries, SystemSeries } from './read.ts';
import { bytesText, durationText, shortNumber, unitOfBytes } from './scale.ts';
import type { Point } from './thin.ts';

const percent = (value: number) => `${shortNumber(value)} %`;

/** The CPU, memory and process count of one job over time. */
export function jobPage(job: JobSeries): string {
  const figures = jobFigures(job);
  const { timestamps } = job;
  return pageHtml(`Job ${job.job_id}: ${job.job_name}`, [
    tableHtml(
      ['', 'highest', 'average'],
      [
        { cells: ['CPU (100 % is one core)', percent(figures.peak_cpu_percent), percent(figures.avg_cpu_percent)] },
        { cells: ['memory', bytesText(figures.peak_memory_bytes), bytesText(figures.avg_memory_bytes)] },
      ],
    ),
    `<p>${figures.num_samples} samples over ${durationText(figures.duration_seconds)}, from ${timeText(timestamps[0] ?? 0)}</p>`,
    chartSvg({ title: 'CPU', unit: '%', lines: [{ name: 'CPU', points: pointsOf(timestamps, job.cpu_percent) }] }),
    memoryChart([{ name: 'memory', points: pointsOf(timestamps, job.memory_bytes) }], figures.peak_memory_bytes),
    chartSvg({
      title: 'Processes',
      unit: 'count',
      lines: [{ name: 'processes', points: pointsOf(timestamps, job.num_processes) }],
    }),
  ]);
}

interface SummaryOptions {
  /** The page of a job. */
  readonly pageOf: (jobId: number) => string;
  /** A sentence above the table. */
  readonly note?: string | undefined;
}

/** All jobs with their peak and average use; each row links to its page. */
export function summaryPage(jobs: readonly JobFigures[], { pageOf, note }: SummaryOptions): string {
  return pageHtml('Resource use of jobs', [
    ...(note === undefined ? [] : [`<p>${escaped(note)}</p>`]),
    tableHtml(
      ['Job', 'ID', 'Duration', 'CPU peak', 'CPU average', 'Memory peak', 'Memory average', 'Processes', 'Samples'],
      jobs.map((each) => ({
        link: pageOf(each.job_id),
        cells: [
          each.job_name,
          String(each.job_id),
          durationText(each.duration_seconds),
          percent(each.peak_cpu_percent),
          percent(each.avg_cpu_percent),
          bytesText(each.peak_memory_bytes),
          bytesText(each.avg_memory_bytes),
          String(each.max_processes),
          String(each.num_samples),
        ],
      })),
    ),
  ]);
}

/** The use of each node over time. */
export function timelinePage(systems: readonly SystemSeries[]): string {
  return pageHtml(
    'Use of the nodes over time',
    systems.flatMap((system) => {
      const { timestamps, cpu_percent: cpu, memory_bytes: memory } = system;
      const figures = systemFigures(system);
      return [
        `<h2>${escaped(system.database)}</h2>`,
        `<p>CPU ${percent(figures.avg_cpu_percent)} on average, ${percent(figures.peak_cpu_percent)} at most; memory ${bytesText(figures.avg_memory_bytes)} on average, ${bytesText(figures.peak_memory_bytes)} at most; ${figures.num_samples} samples from ${timeText(timestamps[0] ?? 0)}</p>`,
        chartSvg({ title: 'CPU of the node', unit: '%', lines: [{ name: 'CPU', points: pointsOf(timestamps, cpu) }] }),
        memoryChart(
          [{ name: 'memory', points: pointsOf(timestamps, memory) }],
          figures.peak_memory_bytes,
          figures.total_memory_bytes,
        ),
      ];
    }),
  );
}

/** Memory in a fitting unit; with a total, that as a line above it. */
function memoryChart(lines: readonly Line[], highest: number, total = 0): string {
  const unit = unitOfBytes(Math.max(highest, total));
  const scaled = lines.map(({ name, points }) => ({
    name,
    points: points.map(([at, bytes]): Point => [at, bytes / unit.bytes]),
  }));
  const limit = total > 0 ? { name: `all: ${bytesText(total)}`, value: total / unit.bytes } : undefined;
  return chartSvg({ title: 'Memory', unit: unit.name, lines: scaled, limit });
}

/** Points from the first timestamp on, without missing values. */
const pointsOf = (timestamps: readonly number[], values: readonly (number | null)[]): Point[] =>
  values.flatMap((value, index): Point[] =>
    value === null ? [] : [[(timestamps[index] ?? 0) - (timestamps[0] ?? 0), value]],
  );

const timeText = (seconds: number) => new Date(seconds * 1000).toISOString().replace(/\.\d+Z$/, 'Z');
