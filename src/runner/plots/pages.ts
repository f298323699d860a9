import { counted } from '../../core/quantity/count-text.ts';
import { chartSvg, escapedMarkup, type ChartLevel, type ChartLine } from './chart.ts';
import { type JobFigures, jobFigures, systemFigures } from './figures.ts';
import { type PageLink, linkHtml, listHtml, pageHtml, tableHtml } from './page.ts';
import type { JobSeries, SystemSeries } from './read.ts';
import { sizeText } from '../../core/quantity/size-text.ts';
import { durationText, shortNumber, unitOfBytes } from './scale.ts';
import type { PlotPoint } from './thin.ts';

/** Stands for a figure that was not measured. */
const NONE = '–';
const percent = (value: number | null) => (value === null ? NONE : `${shortNumber(value)} %`);
const size = (bytes: number | null) => (bytes === null ? NONE : sizeText(bytes));

/** The pages beside a page. */
export interface NeighborPages {
  readonly index: string;
  /** Undefined where there is none. */
  readonly summary: string | undefined;
  readonly timeline: string | undefined;
  readonly ofJob: (jobId: number) => string;
}

const linksOf = ({ index, summary, timeline }: NeighborPages): PageLink[] => [
  { words: 'Overview', to: index },
  ...(summary === undefined ? [] : [{ words: 'All jobs', to: summary }]),
  ...(timeline === undefined ? [] : [{ words: 'Nodes', to: timeline }]),
];

/** The page that leads to all others. */
export function indexPage(
  jobs: readonly JobFigures[],
  systems: readonly SystemSeries[],
  places: NeighborPages,
): string {
  const { summary, timeline, ofJob } = places;
  const nodes = systems.map(({ database }, index) => ({
    words: database,
    to: String(timeline),
    place: `node-${index + 1}`,
  }));
  return pageHtml('Use of CPU and memory', [
    ...(summary === undefined
      ? []
      : [
          '<h2>Jobs</h2>',
          `<p>${linkHtml({ words: 'All jobs with their highest and average use', to: summary })}</p>`,
          listHtml(
            jobs.map(({ job_id: id, job_name: name }) => ({ words: name, to: ofJob(id) })),
            'columns',
          ),
        ]),
    ...(timeline === undefined
      ? []
      : ['<h2>Nodes</h2>', `<p>${linkHtml({ words: 'All nodes over time', to: timeline })}</p>`, listHtml(nodes)]),
  ]);
}

/** The CPU, memory and process count of one job over time. */
export function jobPage(job: JobSeries, places: NeighborPages): string {
  const figures = jobFigures(job);
  const { timestamps, attempts } = job;
  const limit = figures.memory_limit_bytes;
  const start = startOf(job);
  const endSeconds = Math.max(0, (attempts.at(-1)?.ended ?? 0) - start);
  const lines = (name: string, values: readonly number[]) => linesOf(job, start, name, values);
  const parts = [
    tableHtml(
      ['', 'highest', 'average'],
      [
        { cells: ['CPU (100 % is one core)', percent(figures.peak_cpu_percent), percent(figures.avg_cpu_percent)] },
        { cells: ['memory', size(figures.peak_memory_bytes), size(figures.avg_memory_bytes)] },
        ...(limit === null ? [] : [{ cells: ['memory limit', sizeText(limit), ''] }]),
      ],
    ),
    `<p>${counted(figures.num_samples, 'sample')} over ${durationText(figures.duration_seconds)}, from ${timeText(timestamps[0] ?? 0)}</p>`,
    ...(attempts.length > 1 ? [attemptsTable(job)] : []),
    chartSvg({ title: 'CPU', unit: '%', lines: lines('CPU', job.cpu_percent), endSeconds }),
    memoryChart(lines('memory', job.memory_bytes), {
      highest: figures.peak_memory_bytes ?? 0,
      limit: limit === null ? undefined : { kind: 'limit', bytes: limit },
      endSeconds,
    }),
    chartSvg({ title: 'Processes', unit: 'count', lines: lines('processes', job.num_processes), endSeconds }),
  ];
  return pageHtml(`Job ${job.job_id}: ${job.job_name}`, parts, linksOf(places));
}

/** When the first attempt began; in files of earlier versions the first sample. */
const startOf = ({ timestamps, attempts }: JobSeries): number =>
  Math.min(attempts[0]?.started ?? Infinity, timestamps[0] ?? Infinity);

/** A line for each attempt, so that none leads through the time between two. */
function linesOf(
  { timestamps, attempts }: JobSeries,
  start: number,
  name: string,
  values: readonly number[],
): ChartLine[] {
  const all = pointsOf(timestamps, values, start);
  if (attempts.length < 2) return [{ name, points: all }];
  const begins = attempts.map(({ started }) => started - start);
  return begins
    .map((begin, index) => ({
      name: `${name}, attempt ${attempts[index]?.attempt_id}`,
      points: all.filter(([at]) => at >= (index === 0 ? -1 : begin) && at < (begins[index + 1] ?? Infinity)),
    }))
    .filter(({ points }) => points.length > 0);
}

const attemptsTable = ({ attempts }: JobSeries): string =>
  tableHtml(
    ['Attempt', 'Started', 'Duration', 'CPU peak', 'Memory peak', 'Memory limit'],
    attempts.map((each) => ({
      cells: [
        String(each.attempt_id),
        timeText(each.started),
        durationText(each.ended - each.started),
        percent(each.peak_cpu_percent),
        size(each.peak_memory_bytes),
        size(each.memory_limit_bytes),
      ],
    })),
  );

interface SummaryOptions {
  readonly places: NeighborPages;
  /** A sentence above the table. */
  readonly note?: string | undefined;
}

/** All jobs with their highest and average use; each leads to its own page. */
export function summaryPage(jobs: readonly JobFigures[], { places, note }: SummaryOptions): string {
  const parts = [
    ...(note === undefined ? [] : [`<p>${escapedMarkup(note)}</p>`]),
    tableHtml(
      [
        'Job',
        'ID',
        'Duration',
        'CPU peak',
        'CPU average',
        'Memory peak',
        'Memory average',
        'Memory limit',
        'Processes',
        'Samples',
      ],
      jobs.map((each) => ({
        link: places.ofJob(each.job_id),
        cells: [
          each.job_name,
          String(each.job_id),
          durationText(each.duration_seconds),
          percent(each.peak_cpu_percent),
          percent(each.avg_cpu_percent),
          size(each.peak_memory_bytes),
          size(each.avg_memory_bytes),
          size(each.memory_limit_bytes),
          String(each.max_processes),
          String(each.num_samples),
        ],
      })),
    ),
  ];
  return pageHtml('Resource use of jobs', parts, linksOf(places));
}

/** How each node was used over time. */
export function timelinePage(systems: readonly SystemSeries[], places: NeighborPages): string {
  return pageHtml(
    'Use of the nodes over time',
    systems.flatMap((system, index) => {
      const { timestamps, cpu_percent: cpu, memory_bytes: memory } = system;
      const figures = systemFigures(system);
      return [
        `<h2 id="node-${index + 1}">${escapedMarkup(system.database)}</h2>`,
        `<p>CPU ${percent(figures.avg_cpu_percent)} on average, ${percent(figures.peak_cpu_percent)} at most; memory ${size(figures.avg_memory_bytes)} on average, ${size(figures.peak_memory_bytes)} at most; ${counted(figures.num_samples, 'sample')} from ${timeText(timestamps[0] ?? 0)}</p>`,
        chartSvg({ title: 'CPU of the node', unit: '%', lines: [{ name: 'CPU', points: pointsOf(timestamps, cpu) }] }),
        memoryChart([{ name: 'memory', points: pointsOf(timestamps, memory) }], {
          highest: figures.peak_memory_bytes ?? 0,
          limit: figures.total_memory_bytes > 0 ? { kind: 'total', bytes: figures.total_memory_bytes } : undefined,
        }),
      ];
    }),
    linksOf(places),
  );
}

interface MemoryOptions {
  readonly highest: number;
  readonly limit: { readonly kind: 'limit' | 'total'; readonly bytes: number } | undefined;
  readonly endSeconds?: number;
}

/** Memory in the unit that fits it, with the limit and the peak where no sample reached it. */
function memoryChart(lines: readonly ChartLine[], { highest, limit, endSeconds = 0 }: MemoryOptions): string {
  const unit = unitOfBytes(Math.max(highest, limit?.kind === 'total' ? limit.bytes : 0));
  const scaled = lines.map(({ name, points }) => ({
    name,
    points: points.map(([at, bytes]): PlotPoint => [at, bytes / unit.bytes]),
  }));
  const sampled = lines.flatMap(({ points }) => points).reduce((most, [, bytes]) => Math.max(most, bytes), 0);
  const levels: ChartLevel[] = [
    ...(highest > sampled * VISIBLY_HIGHER
      ? [{ name: `peak: ${sizeText(highest)}`, value: highest / unit.bytes, kind: 'peak' as const }]
      : []),
    ...(limit === undefined
      ? []
      : [
          {
            name: `${limit.kind === 'total' ? 'all' : 'limit'}: ${sizeText(limit.bytes)}`,
            value: limit.bytes / unit.bytes,
            kind: limit.kind,
          },
        ]),
  ];
  return chartSvg({ title: 'Memory', unit: unit.name, lines: scaled, levels, endSeconds });
}

/** A peak between two samples that would be drawn upon the highest sample is not drawn. */
const VISIBLY_HIGHER = 1.005;

/** Points from the start on; what was not measured is left out. */
const pointsOf = (
  timestamps: readonly number[],
  values: readonly (number | null)[],
  start = timestamps[0] ?? 0,
): PlotPoint[] =>
  values.flatMap((value, index): PlotPoint[] => (value === null ? [] : [[(timestamps[index] ?? 0) - start, value]]));

const timeText = (seconds: number) => new Date(seconds * 1000).toISOString().replace(/\.\d+Z$/, 'Z');
