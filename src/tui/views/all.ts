import { families } from './families.ts';
import { FAMILY, jobsView, STATUS_FILTER, results, running } from './jobs.ts';
import { compute, events, files, nodes, slurmStats, userDataView } from './records.ts';
import { summary } from './summary.ts';
import type { View } from './view.ts';

/** The views of a workflow, in the order of Tab, as in Torc 1.0.0. */
export const detailViews: readonly View[] = [
  summary,
  jobsView,
  running,
  results,
  files,
  userDataView,
  events,
  compute,
  nodes,
  slurmStats,
  families,
];

/** The view whose rows are the events that arrive. */
export const EVENTS = detailViews.indexOf(events);

/** The view of jobs, and its filters by family and by status. */
export const JOBS = {
  index: detailViews.indexOf(jobsView),
  statusFilter: jobsView.filters.findIndex(({ title }) => title === STATUS_FILTER),
  familyFilter: jobsView.filters.findIndex(({ title }) => title === FAMILY),
} as const;
