import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { jobPage, summaryPage, timelinePage } from './pages.ts';
import { jobFigures, systemFigures } from './figures.ts';
import { readMetrics } from './read.ts';

export interface DrawOptions {
  /** The folder for the pages; it is created. */
  readonly folder: string;
  /** The prefix of each name, followed by `_`; may be empty. */
  readonly prefix: string;
  readonly format: 'html' | 'json';
  /** Only these jobs. */
  readonly jobIds?: ReadonlySet<number> | undefined;
  /** The text of the overview if there is no sample of any job; without it there is no overview then. */
  readonly withoutJobs?: string | undefined;
}

/**
 * Draws what files of measurements hold: a page a job (`job_<id>`), an overview of all (`summary`) and how the nodes were
 * used (`system_timeline`); as JSON the same figures. What there is nothing of is left out.
 *
 * Answers the paths of what was written, of how many jobs there were samples, and the jobs that were asked for and are not
 * there. Throws `NoMetrics`.
 */
export function drawPlots(
  databases: readonly string[],
  { folder, prefix, format, jobIds, withoutJobs }: DrawOptions,
): { paths: string[]; jobs: number; missing: number[] } {
  const { jobs, systems } = readMetrics(databases, jobIds);
  const name = (words: string) => `${prefix === '' ? '' : `${prefix}_`}${words}.${format}`;
  const paths: string[] = [];
  const write = (words: string, html: () => string, json: unknown) => {
    mkdirSync(folder, { recursive: true });
    const path = join(folder, name(words));
    writeFileSync(path, format === 'html' ? html() : `${JSON.stringify(json, undefined, 2)}\n`);
    paths.push(path);
  };

  for (const job of jobs) {
    write(`job_${job.job_id}`, () => jobPage(job), { ...jobFigures(job), ...job });
  }
  if (jobs.length > 0 || withoutJobs !== undefined) {
    const figures = jobs.map(jobFigures);
    const note = jobs.length > 0 ? undefined : withoutJobs;
    write('summary', () => summaryPage(figures, { pageOf: (id) => name(`job_${id}`), note }), { jobs: figures });
  }
  if (systems.length > 0) {
    const timelines = systems.map((system) => ({ ...systemFigures(system), ...system }));
    write('system_timeline', () => timelinePage(systems), { systems: timelines });
  }
  const drawn = new Set(jobs.map(({ job_id: id }) => id));
  return { paths, jobs: jobs.length, missing: [...(jobIds ?? [])].filter((id) => !drawn.has(id)) };
}
