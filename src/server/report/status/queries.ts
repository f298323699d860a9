import type { Database } from '../../store/database.ts';

/** How long the jobs of a workflow took in all, and from when to when in Unix seconds. */
interface WorkflowTime {
  readonly minutes: number;
  readonly first_s: number | null;
  readonly last_s: number | null;
  /** It is not what the results say any more. */
  readonly is_stale: number;
}

/** What the jobs of a class need, and how many of them are ready. */
export interface ReadyNeeds {
  readonly jobs: number;
  readonly num_cpus: number;
  readonly num_gpus: number;
  readonly num_nodes: number;
  readonly memory_bytes: number;
  readonly runtime: string;
  readonly runtime_s: number;
}

export const statusQueries = (db: Database) => ({
  time: db.prepare<{ workflowId: number }, WorkflowTime>(
    'select minutes, first_s, last_s, is_stale from workflow_time where workflow_id = :workflowId',
  ),
  countTime: db.prepare<{ workflowId: number }>(`
    insert or replace into workflow_time (workflow_id, minutes, first_s, last_s, is_stale)
    select :workflowId, coalesce(sum(result.exec_time_minutes), 0),
      min((julianday(result.completion_time) - 2440587.5) * 86400 - result.exec_time_minutes * 60),
      max((julianday(result.completion_time) - 2440587.5) * 86400), 0
    from result
    join job on job.id = result.job_id
    where result.workflow_id = :workflowId and job.result_id = result.id`),
  activeNodes: db.prepare<{ workflowId: number }, { labels: string | null; end_time: string | null }>(
    'select labels, end_time from compute_node where workflow_id = :workflowId and is_active = 1',
  ),
  readyNeeds: db.prepare<{ workflowId: number; schedulerId: number | null }, ReadyNeeds>(`
    select needs.*, (select count(*) from job where job.class_id = class.id and job.status = 2) as jobs
    from job_class class
    join resource_requirements needs on needs.id = class.resource_requirements_id
    where class.workflow_id = :workflowId and (:schedulerId is null or class.scheduler_id = :schedulerId)`),
  allocations: db.prepare<{ workflowId: number; status: string }, { allocations: number }>(`
    select count(*) as allocations
    from scheduled_compute_node
    where workflow_id = :workflowId and status = :status`),
  // The classes of which jobs are ready, and how long these may take. How many they are is a question of its own: it
  // takes 30 ms for a million, and mostly nobody has it.
  readyClasses: db.prepare<{ workflowId: number }, { id: number; labels: string | null; runtime_s: number }>(`
    select job_class.id, job_class.labels, needs.runtime_s
    from job_class
    join resource_requirements needs on needs.id = job_class.resource_requirements_id
    where job_class.workflow_id = :workflowId
      and exists (select 1 from job where job.class_id = job_class.id and job.status = 2)`),
  readyOfClass: db.prepare<{ id: number }, { jobs: number }>(
    'select count(*) as jobs from job where class_id = :id and status = 2',
  ),
});

export type StatusQueries = ReturnType<typeof statusQueries>;
