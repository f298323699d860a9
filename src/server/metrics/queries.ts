import type { Database, NoParameters } from '../store/database.ts';

/** Attempts that one scrape counts at most, 10 ms; the rest is counted by the next one. */
const MOST_ATTEMPTS = 50_000;

export interface CountRow {
  workflow_id: number;
  status: number;
  jobs: number;
}

export const metricsQueries = (db: Database) => ({
  // Kept counts, never the jobs: 0.1 ms with one workflow of any size, 10 ms with 10,000 workflows. Grouped by status in SQL it
  // would take 60 ms, for a sort.
  counts: db.prepare<NoParameters, CountRow>(`
    select workflow_id, status, jobs
    from workflow
    cross join job_count on job_count.workflow_id = workflow.id
    where is_archived = 0 and removed_at_ms is null and jobs > 0`),
  runners: db.prepare<NoParameters, { runners: number; cpus: number; gpus: number; memory_bytes: number }>(`
    select count(*) as runners, coalesce(sum(num_cpus * num_nodes), 0) as cpus, coalesce(sum(num_gpus * num_nodes), 0) as gpus,
      coalesce(sum(memory_gb * num_nodes), 0) * 1073741824 as memory_bytes
    from compute_node
    where is_active = 1`),
  allocations: db.prepare<NoParameters, { status: string; allocations: number }>(
    'select status, count(*) as allocations from scheduled_compute_node group by status',
  ),
  lastAttempt: db.prepare<NoParameters, { id: number | null }>('select max(id) as id from result'),
  attempts: db.prepare<{ after: number }, { status: number; attempts: number; seconds: number; last: number }>(`
    select status, count(*) as attempts, sum(exec_time_minutes) * 60 as seconds, max(id) as last
    from (select id, status, exec_time_minutes from result where id > :after order by id limit ${MOST_ATTEMPTS})
    group by status`),
  bytes: db.prepare<NoParameters, { bytes: number }>(
    'select page_count * page_size as bytes from pragma_page_count(), pragma_page_size()',
  ),
});

export type MetricsQueries = ReturnType<typeof metricsQueries>;
