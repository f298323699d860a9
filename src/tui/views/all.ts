import { families } from './families.ts';
import { FAMILY, jobs, results, running } from './jobs.ts';
import { compute, events, files, nodes, slurmStats, userData } from './records.ts';
import { summary } from './summary.ts';
import type { View } from './view.ts';

/** The views of a workflow, in the order of Tab, as in Torc 1.0.0. */
export const detailViews: readonly View[] = [
  summary,
  jobs,
  running,
  results,
  files,
  userData,
  events,
  compute,
  nodes,
  slurmStats,
  families,
];

/** The view whose rows are the events that arrive. */
export const EVENTS = detailViews.indexOf(events);

/** The view of jobs, and its filter by family. */
export const JOBS = {
  index: detailViews.indexOf(jobs),
  familyFilter: jobs.filters.findIndex(({ title }) => title === FAMILY),
} as const;
