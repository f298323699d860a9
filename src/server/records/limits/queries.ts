import { HELD } from '../../../core/job/statuses.ts';
import type { Database, NoParameters } from '../../store/database.ts';
import { unsettled } from '../rows/job.ts';
import { anyOf, STATUS } from '../rows/status.ts';

/** Jobs of one class that one runner holds; null if it is not known which. */
export interface HeldRow {
  class_id: number;
  node_id: number | null;
  jobs: number;
}

/** A job that holds something. */
export interface HolderRow {
  id: number;
  name: string;
  workflow_id: number;
  class_id: number;
}

/** The requirements of a class, and what it holds by name. */
export interface ClassNeedRow {
  num_cpus: number;
  num_gpus: number;
  num_nodes: number;
  memory_bytes: number;
  runtime_seconds: number;
  licenses: string | null;
  needs_licenses: string | null;
}

/** Workflows with jobs that have begun and are not completed: one look into the index for each, however many jobs they have. */
const ACTIVE = `
  with recursive active (id) as (
    select min(workflow_id) from job where ${unsettled}
    union all
    select (select min(job.workflow_id) from job where ${unsettled} and job.workflow_id > active.id)
    from active where active.id is not null)`;

const ALL = 'select id from active where id is not null';
const OF_USER = `select active.id from active cross join workflow on workflow.id = active.id where workflow.user = :user`;

/**
 * What runners hold of these workflows: pending and running jobs, jobs claimed ahead, and attempts whose jobs have moved on while their
 * processes may still run.
 */
const heldOf = (select: string, workflows: string, isOfOthers: string) => `
  ${select}
  from (
    select job.id, job.class_id, job.claimed_by as node_id
    from (${workflows}) wanted
    cross join job on job.workflow_id = wanted.id and job.status in ${anyOf(HELD)} and ${unsettled}
    union all
    select job.id, job.class_id, job.claimed_by
    from job
    where job.claimed_by is not null and job.status = ${STATUS.blocked} and ${isOfOthers}
    union all
    select job.id, job.class_id, held.compute_node_id
    from held_attempt held
    cross join job on job.id = held.job_id
    where job.status not in ${anyOf(HELD)} and ${isOfOthers}) holding`;

const IN_USER = 'job.workflow_id in (select id from workflow where user = :user)';
const counted = 'select class_id, node_id, count(*) as jobs';
const grouped = 'group by class_id, node_id';
const named = 'select job.id, job.name, job.workflow_id, job.class_id';
const ofJobs = 'cross join job on job.id = holding.id order by job.id';

export const limitQueries = (db: Database) => ({
  workflow: db.prepare<{ workflowId: number }, { user: string; limits: string | null }>(
    'select user, limits from workflow where id = :workflowId',
  ),
  need: db.prepare<{ classId: number }, ClassNeedRow>(`
    select needs.num_cpus, needs.num_gpus, needs.num_nodes, needs.memory_bytes,
      needs.runtime_s as runtime_seconds, job_class.licenses, needs.licenses as needs_licenses
    from job_class
    join resource_requirements needs on needs.id = job_class.resource_requirements_id
    where job_class.id = :classId`),
  classOfJob: db.prepare<{ jobId: number }, { class_id: number }>('select class_id from job where id = :jobId'),
  readyOfClasses: db.prepare<{ workflowId: number }, { class_id: number; jobs: number }>(`
    select id as class_id,
      (select count(*) from job where job.class_id = job_class.id and job.status = ${STATUS.ready}) as jobs
    from job_class
    where workflow_id = :workflowId
      and exists (select 1 from job where job.class_id = job_class.id and job.status = ${STATUS.ready})`),
  // Runners of one allocation, one on each node, share what it holds.
  sameAllocation: db.prepare<{ nodeId: number }, { id: number }>(`
    select :nodeId as id
    union
    select other.id
    from compute_node own
    join compute_node other on other.workflow_id = own.workflow_id
      and json_extract(other.scheduler, '$.slurm_job_id') = json_extract(own.scheduler, '$.slurm_job_id')
    where own.id = :nodeId`),
  licensedClasses: db.prepare<{ workflowId: number }, { class_id: number; scheduler_id: number | null; jobs: number }>(`
    select job_class.id as class_id, job_class.scheduler_id,
      (select count(*) from job where job.class_id = job_class.id and job.status = ${STATUS.ready})
        + (select count(*) from job where job.class_id = job_class.id and job.status = ${STATUS.blocked}) as jobs
    from job_class
    join resource_requirements needs on needs.id = job_class.resource_requirements_id
    where job_class.workflow_id = :workflowId and coalesce(job_class.licenses, needs.licenses) is not null
    order by job_class.id`),
  nodes: db.prepare<{ ids: string }, { nodes: number }>(`
    select coalesce(sum(num_nodes), 0) as nodes from compute_node where id in (select value from json_each(:ids))`),

  workflowHolds: db.prepare<{ workflowId: number }, HeldRow>(
    `${heldOf(counted, 'select :workflowId as id', 'job.workflow_id = :workflowId')} ${grouped}`,
  ),
  userHolds: db.prepare<{ user: string }, HeldRow>(`${ACTIVE} ${heldOf(counted, OF_USER, IN_USER)} ${grouped}`),
  serverHolds: db.prepare<NoParameters, HeldRow>(`${ACTIVE} ${heldOf(counted, ALL, 'true')} ${grouped}`),

  workflowHolders: db.prepare<{ workflowId: number }, HolderRow>(
    `${heldOf(named, 'select :workflowId as id', 'job.workflow_id = :workflowId')} ${ofJobs}`,
  ),
  userHolders: db.prepare<{ user: string }, HolderRow>(`${ACTIVE} ${heldOf(named, OF_USER, IN_USER)} ${ofJobs}`),
  serverHolders: db.prepare<NoParameters, HolderRow>(`${ACTIVE} ${heldOf(named, ALL, 'true')} ${ofJobs}`),
});
