import { closeSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../../cluster/make-folder.ts';
import { openRegular } from '../../cluster/open-regular.ts';
import { replaceFile } from '../../cluster/replace-file.ts';
import { GENERATOR } from './page.ts';
import { indexPage, jobPage, type NeighborPages, summaryPage, timelinePage } from './pages.ts';
import { jobFigures, systemFigures } from './figures.ts';
import { NoMetrics, readMetrics } from './read.ts';

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
 * used (`system_timeline`), with a page that leads to them (`index`); as JSON the same figures. What there is nothing of is left
 * out.
 *
 * Answers the paths of what was written, of how many jobs there were samples, and the jobs that were asked for and are not
 * there. Throws `NoMetrics`, also where the index would take the place of a page that is not ours.
 */
export function drawPlots(
  databases: readonly string[],
  { folder, prefix, format, jobIds, withoutJobs }: DrawOptions,
): { paths: string[]; jobs: number; missing: number[] } {
  const { jobs, systems } = readMetrics(databases, jobIds);
  const name = (words: string) => `${prefix === '' ? '' : `${prefix}_`}${words}.${format}`;
  const paths: string[] = [];
  const write = (words: string, html: () => string, json: unknown) => {
    makeFolder(folder);
    const path = join(folder, name(words));
    replaceFile(path, format === 'html' ? html() : `${JSON.stringify(json, undefined, 2)}\n`);
    paths.push(path);
  };

  const hasSummary = jobs.length > 0 || withoutJobs !== undefined;
  const places: NeighborPages = {
    index: name('index'),
    summary: hasSummary ? name('summary') : undefined,
    timeline: systems.length > 0 ? name('system_timeline') : undefined,
    ofJob: (id) => name(`job_${id}`),
  };
  const figures = jobs.map(jobFigures);
  if (format === 'html' && (hasSummary || systems.length > 0)) {
    refuseForeign(join(folder, places.index));
    write('index', () => indexPage(figures, systems, places), undefined);
  }
  for (const job of jobs) {
    write(`job_${job.job_id}`, () => jobPage(job, places), { ...jobFigures(job), ...job });
  }
  if (hasSummary) {
    const note = jobs.length > 0 ? undefined : withoutJobs;
    write('summary', () => summaryPage(figures, { places, note }), { jobs: figures });
  }
  if (systems.length > 0) {
    const timelines = systems.map((system) => ({ ...systemFigures(system), ...system }));
    write('system_timeline', () => timelinePage(systems, places), { systems: timelines });
  }
  const drawn = new Set(jobs.map(({ job_id: id }) => id));
  return { paths, jobs: jobs.length, missing: [...(jobIds ?? [])].filter((id) => !drawn.has(id)) };
}

/** `index.html` in a folder of another program is often the page of a site. */
function refuseForeign(path: string): void {
  if (existsSync(path) && !isOurs(path))
    throw new NoMetrics(`${path} is a page that torc did not make; name another folder for the plots, or a prefix`);
}

function isOurs(path: string): boolean {
  const fd = openRegular(path);
  try {
    return readFileSync(fd, 'utf8').includes(GENERATOR);
  } finally {
    closeSync(fd);
  }
}
