import { type JobStatus, jobStatuses, statusOf } from '../../core/contract/job.ts';
import { type Counts, countOf, HELD, OPEN, REPORTED } from '../../core/job/statuses.ts';
import type { CountRow, MetricsQueries } from './queries.ts';

/** A metric in the words of Prometheus: its name, its kind, and a value for each set of labels. */
export interface Metric {
  readonly name: string;
  readonly kind: 'gauge' | 'counter';
  readonly says: string;
  readonly values: readonly (readonly [value: number, labels?: Readonly<Record<string, string>>])[];
}

/**
 * Workflows that have series of their own, the newest. Each has one for each status of a job, so their number is bounded by
 * this; too large, and every workflow that ever ran leaves series in Prometheus, which keeps them for weeks.
 */
export const LISTED_WORKFLOWS = 50;

const NOTHING: Counts = {};

/** Jobs and workflows, from the counts that the store keeps. */
export function workMetrics(rows: readonly CountRow[]): Metric[] {
  const ofWorkflow = new Map<number, Partial<Record<JobStatus, number>>>();
  const all: Partial<Record<JobStatus, number>> = {};
  for (const { workflow_id: id, status: code, jobs } of rows) {
    const status = statusOf(code);
    const counts = ofWorkflow.get(id) ?? {};
    ofWorkflow.set(id, { ...counts, [status]: jobs });
    all[status] = (all[status] ?? 0) + jobs;
  }
  const open = [...ofWorkflow].filter(([, counts]) => countOf(counts, OPEN) > 0).sort(([a], [b]) => b - a);
  const held = open.filter(([, counts]) => countOf(counts, HELD) > 0).length;
  const states = { running: held, waiting: open.length - held, ended: ofWorkflow.size - open.length };
  return [
    metric('gauge', 'torc_jobs', 'Jobs by status, of workflows that are not archived.', byStatus(all)),
    metric(
      'gauge',
      'torc_workflows',
      'Workflows with jobs, not archived: a runner holds a job (running), jobs are left and none is held (waiting), or none is left (ended).',
      Object.entries(states).map(([state, workflows]) => [workflows, { state }]),
    ),
    metric(
      'gauge',
      'torc_workflow_jobs',
      `Jobs by status of the ${LISTED_WORKFLOWS} newest workflows that have not ended.`,
      open.slice(0, LISTED_WORKFLOWS).flatMap(([id, counts]) => byStatus(counts, { workflow: String(id) })),
    ),
    metric(
      'gauge',
      'torc_workflows_unlisted',
      'Workflows that have not ended and are too many for torc_workflow_jobs.',
      [[Math.max(0, open.length - LISTED_WORKFLOWS)]],
    ),
  ];
}

function byStatus(counts: Counts = NOTHING, labels: Readonly<Record<string, string>> = {}): Metric['values'] {
  return jobStatuses.map((status) => [counts[status] ?? 0, { ...labels, status }]);
}

/** Runners, and the allocations that will start some. */
export function runnerMetrics({ runners, allocations }: Pick<MetricsQueries, 'runners' | 'allocations'>): Metric[] {
  const active = runners.get({});
  const found = new Map(allocations.all({}).map(({ status, allocations: count }) => [status, count]));
  return [
    metric('gauge', 'torc_runners', 'Runners that are registered as active.', [[active?.runners ?? 0]]),
    metric('gauge', 'torc_runner_cpus', 'CPUs that they offer.', [[active?.cpus ?? 0]]),
    metric('gauge', 'torc_runner_gpus', 'GPUs that they offer.', [[active?.gpus ?? 0]]),
    metric('gauge', 'torc_runner_memory_bytes', 'Memory that they offer.', [[active?.memory_bytes ?? 0]]),
    metric(
      'gauge',
      'torc_allocations',
      'Allocations of a batch system: not submitted yet (planned), in its queue (pending), or running (active).',
      ['planned', 'pending', 'active'].map((status) => [found.get(status) ?? 0, { status }]),
    ),
  ];
}

/**
 * Attempts that ended since the first scrape: the results that were added since the last one, so that nothing is counted where
 * they are stored.
 */
export function createAttemptCounts({ attempts, lastAttempt }: Pick<MetricsQueries, 'attempts' | 'lastAttempt'>) {
  const ended = new Map([...REPORTED].map((status) => [status, { attempts: 0, seconds: 0 }]));
  let last = lastAttempt.get({})?.id ?? 0;
  return (): Metric[] => {
    // Ids of results are used again after the last ones were deleted.
    last = Math.min(last, lastAttempt.get({})?.id ?? 0);
    for (const row of attempts.all({ after: last })) {
      const sums = ended.get(statusOf(row.status));
      if (sums !== undefined) {
        sums.attempts += row.attempts;
        sums.seconds += row.seconds;
      }
      last = Math.max(last, row.last);
    }
    const values = (of: 'attempts' | 'seconds'): Metric['values'] =>
      [...ended].map(([status, sums]) => [sums[of], { status }]);
    return [
      metric(
        'counter',
        'torc_attempts_total',
        'Attempts that ended, by the status that they ended with.',
        values('attempts'),
      ),
      metric('counter', 'torc_attempt_seconds_total', 'Seconds that these attempts ran.', values('seconds')),
    ];
  };
}

export const metric = (kind: Metric['kind'], name: string, says: string, values: Metric['values']): Metric => ({
  name,
  kind,
  says,
  values,
});
