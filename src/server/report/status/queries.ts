import type { Database, NoParameters } from '../../store/database.ts';
import type { ComputeNodeRow } from '../../records/node/queries.ts';
import { STATUS } from '../../records/rows/status.ts';

/** The total time of the jobs of a workflow, and from when to when in Unix seconds. */
export interface WorkflowTime {
  readonly minutes: number;
  readonly first_s: number | null;
  readonly last_s: number | null;
  /** 1: it no longer matches the results; 2: it is being computed. */
  readonly is_stale: number;
}

/** The requirements of the jobs of a class, and the number of ready ones. */
/** An active runner: whom it serves, and the end of its time. */
type ActiveNode = Pick<ComputeNodeRow, 'labels' | 'start_time' | 'end_time' | 'compute_node_type' | 'process'>;

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
  beginTime: db.prepare<{ workflowId: number }>(
    'insert or replace into workflow_time (workflow_id, minutes, is_stale) values (:workflowId, 0, 2)',
  ),
  lastResult: db.prepare<NoParameters, { id: number | null }>('select max(id) as id from result'),
  timeOfWindow: db.prepare<
    { workflowId: number; after: number; upto: number; lastId: number },
    Pick<WorkflowTime, 'minutes' | 'first_s' | 'last_s'>
  >(`
    select coalesce(sum(result.exec_time_minutes), 0) as minutes,
      min((julianday(result.completion_time) - 2440587.5) * 86400 - result.exec_time_minutes * 60) as first_s,
      max((julianday(result.completion_time) - 2440587.5) * 86400) as last_s
    from job
    join result on result.id = job.result_id
    where job.workflow_id = :workflowId and job.id > :after and job.id <= :upto and result.id <= :lastId`),
  // Added, because jobs that ended meanwhile have added theirs. 1 if the results changed in another way since the
  // start.
  endTime: db.prepare<{ workflowId: number; minutes: number; first: number | null; last: number | null }>(`
    update workflow_time set
      minutes = minutes + :minutes,
      first_s = coalesce(min(first_s, :first), first_s, :first),
      last_s = coalesce(max(last_s, :last), last_s, :last),
      is_stale = is_stale = 1
    where workflow_id = :workflowId`),
  activeNodes: db.prepare<{ workflowId: number }, ActiveNode>(`
    select labels, start_time, end_time, compute_node_type, process
    from compute_node where workflow_id = :workflowId and is_active = 1`),
  readyNeeds: db.prepare<{ workflowId: number; schedulerId: number | null }, ReadyNeeds>(`
    select needs.*, (select count(*) from job where job.class_id = class.id and job.status = ${STATUS.ready}) as jobs
    from job_class class
    join resource_requirements needs on needs.id = class.resource_requirements_id
    where class.workflow_id = :workflowId and (:schedulerId is null or class.scheduler_id = :schedulerId)`),
  allocations: db.prepare<{ workflowId: number; status: string }, { allocations: number }>(`
    select count(*) as allocations
    from scheduled_compute_node
    where workflow_id = :workflowId and status = :status`),
  // The classes with ready jobs, and their maximum runtime. The number of jobs needs a separate query: it takes 30 ms
  // for a million, and is rarely needed.
  readyClasses: db.prepare<{ workflowId: number }, { id: number; labels: string | null; runtime_s: number }>(`
    select job_class.id, job_class.labels, needs.runtime_s
    from job_class
    join resource_requirements needs on needs.id = job_class.resource_requirements_id
    where job_class.workflow_id = :workflowId
      and exists (select 1 from job where job.class_id = job_class.id and job.status = ${STATUS.ready})`),
  readyOfClass: db.prepare<{ id: number }, { jobs: number }>(
    `select count(*) as jobs from job where class_id = :id and status = ${STATUS.ready}`,
  ),
});

export type StatusQueries = ReturnType<typeof statusQueries>;
