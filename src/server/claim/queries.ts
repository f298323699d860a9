import { HELD, OPEN, UNDER_WAY, WAITS_FOR_DECISION } from '../../core/job/statuses.ts';
import type { Database } from '../store/database.ts';
import { notHeld } from '../records/job/held-attempts.ts';
import { jobColumns, type JobRow, unsettled } from '../records/rows/job.ts';
import type { SlurmSchedulerRow } from '../records/scheduler/queries.ts';
import type { ComputeNodeRow } from '../records/node/queries.ts';
import type { WaitingJob } from './merge.ts';
import { anyOf, STATUS } from '../records/rows/status.ts';

interface ClaimableRow extends KindRow {
  head_id: number;
  head_priority: number;
}

interface ReadyClassRow extends KindRow {
  jobs: number;
  example_id: number | null;
  example_name: string | null;
}

/** A blocked job that waits for another, and that no runner claimed ahead. */
export interface Dependent {
  id: number;
  class_id: number;
  priority: number;
  unmet: number;
}

/** A job that another waits for. */
export interface UpstreamJob {
  id: number;
  status: number;
  claimed_by: number | null;
}

/** Of all jobs from the index job_ready, of those of a choice from job_chosen. */
const OF_CHOICE = 'job.choice = :choice and ';

const readyWhere = (isChoice: boolean) => `
  select id, priority
  from job
  where ${isChoice ? OF_CHOICE : ''}class_id = :classId and status = ${STATUS.ready} and ${notHeld}
  order by priority desc, id
  limit :limit offset :offset`;
export const readySql = readyWhere(false);
export const chosenReadySql = readyWhere(true);

/** The properties of a class of jobs that matter for a claim, as stored. */
export interface KindRow {
  id: number;
  scheduler_id: number | null;
  labels: string | null;
  num_cpus: number;
  memory_bytes: number;
  num_gpus: number;
  num_nodes: number;
  runtime_s: number;
  licenses: string | null;
  needs_licenses: string | null;
}

/** The columns of a class (`KindRow`). */
const kindColumns = `
    job_class.id, job_class.scheduler_id, job_class.labels,
    needs.num_cpus, needs.memory_bytes, needs.num_gpus, needs.num_nodes, needs.runtime_s,
    job_class.licenses, needs.licenses as needs_licenses`;

const kindSql = `
  select${kindColumns}
  from job_class
  join resource_requirements needs on needs.id = job_class.resource_requirements_id`;

/** Only the classes with ready jobs, each with the first of them: of thousands of classes most have none. */
const claimableWhere = (isChoice: boolean) => `
  select${kindColumns},
    head.id as head_id, head.priority as head_priority
  from job_class
  cross join job head on head.id = (
    select job.id from job
    where ${isChoice ? OF_CHOICE : ''}job.class_id = job_class.id and job.status = ${STATUS.ready} and ${notHeld}
    order by job.priority desc, job.id
    limit 1)
  cross join resource_requirements needs on needs.id = job_class.resource_requirements_id
  where job_class.workflow_id = :workflowId`;
export const claimableSql = claimableWhere(false);
export const chosenClaimableSql = claimableWhere(true);

/**
 * The kinds of jobs that a runner may still get: ready, blocked, assigned to another, waiting for a decision, or running
 * with a failure handler.
 * Only the indices of such jobs are read, so 100,000 completed jobs cost nothing.
 */
export const kindsLeftSql = `${kindSql}
  where job_class.workflow_id = :workflowId and (
    exists (select 1 from job where job.class_id = job_class.id and job.status = ${STATUS.ready})
    or exists (select 1 from job where job.class_id = job_class.id and job.status = ${STATUS.blocked})
    or job_class.id in (
      select job.class_id from job
      where job.workflow_id = :workflowId and job.status in ${anyOf('pending', WAITS_FOR_DECISION)} and ${unsettled})
    or job_class.id in (
      select job.class_id from job
      where job.workflow_id = :workflowId and job.status = ${STATUS.running} and ${unsettled}
        and job.failure_handler_id is not null))`;

/** What may create jobs of any kind; of the runners in allocations, `:nodeId` does not count. */
export const sourcesSql = `
  select
    exists (
      select 1 from job
      where job.workflow_id = :workflowId and job.status = ${STATUS.running} and ${unsettled} and job.origin is not null
    ) as was_added,
    exists (
      select 1 from workflow_action action
      cross join action_claim claim on claim.action_id = action.id
      where action.workflow_id = :workflowId and claim.outcome is null
    ) as executes_action,
    exists (
      select 1 from workflow_action action
      where action.workflow_id = :workflowId and action.trigger_type in ('on_jobs_ready', 'on_jobs_complete')
        and (action.executed = 0 or action.persistent = 1)
        and (action.action_type <> 'schedule_nodes' or not exists (
          select 1 from compute_node node
          where node.workflow_id = :workflowId and node.is_active = 1 and node.compute_node_type = 'slurm'
            and node.id is not :nodeId))
    ) as awaits_action`;

interface StoredOutput {
  readonly id: number;
  readonly path: string;
  readonly temporary: number | null;
  readonly protected: number | null;
  readonly is_made: number;
}

export const claimQueries = (db: Database) => ({
  claimable: db.prepare<{ workflowId: number }, ClaimableRow>(claimableSql),
  claimableOfChoice: db.prepare<{ workflowId: number; choice: number }, ClaimableRow>(chosenClaimableSql),
  classById: db.prepare<{ id: number }, KindRow>(`${kindSql} where job_class.id = :id`),

  kindsLeft: db.prepare<{ workflowId: number }, KindRow>(kindsLeftSql),
  sources: db.prepare<
    { workflowId: number; nodeId: number | null },
    { was_added: number; executes_action: number; awaits_action: number }
  >(sourcesSql),
  readyClasses: db.prepare<{ workflowId: number }, ReadyClassRow>(`
    select${kindColumns},
      (select count(*) from job where job.class_id = job_class.id and job.status = ${STATUS.ready}) as jobs,
      example.id as example_id, example.name as example_name
    from job_class
    join resource_requirements needs on needs.id = job_class.resource_requirements_id
    left join job example on example.id = (
      select job.id from job
      where job.class_id = job_class.id and job.status = ${STATUS.ready}
      order by job.priority desc, job.id limit 1)
    where job_class.workflow_id = :workflowId`),
  node: db.prepare<{ workflowId: number; nodeId: number }, ComputeNodeRow>(
    'select * from compute_node where id = :nodeId and workflow_id = :workflowId',
  ),
  activeNodes: db.prepare<{ workflowId: number }, ComputeNodeRow>(
    'select * from compute_node where workflow_id = :workflowId and is_active = 1 order by id',
  ),
  lastNode: db.prepare<{ workflowId: number }, ComputeNodeRow>(
    'select * from compute_node where workflow_id = :workflowId order by id desc limit 1',
  ),

  schedulers: db.prepare<{ workflowId: number }, SlurmSchedulerRow>(
    'select * from slurm_scheduler where workflow_id = :workflowId order by id',
  ),
  // Their runners ignore the requirements of jobs.
  countingSchedulers: db.prepare<{ workflowId: number }, { id: number | null }>(`
    select json_extract(action_config, '$.scheduler_id') as id
    from workflow_action
    where workflow_id = :workflowId and action_type = 'schedule_nodes'
      and json_extract(action_config, '$.max_parallel_jobs') is not null`),
  // Their allocations have a runner on each node, whose jobs have one node.
  perNodeSchedulers: db.prepare<{ workflowId: number }, { id: number | null }>(`
    select json_extract(action_config, '$.scheduler_id') as id
    from workflow_action
    where workflow_id = :workflowId and action_type = 'schedule_nodes'
    group by 1
    having min(coalesce(json_extract(action_config, '$.start_one_worker_per_node'), 0)) = 1`),

  // The order must come from the index job_ready, never from a sort: every runner runs this query, and sorting 100,000
  // ready jobs each time would overload the server. claim.test.ts checks the query plan.
  ready: db.prepare<{ classId: number; limit: number; offset: number }, WaitingJob>(readySql),
  readyOfChoice: db.prepare<{ choice: number; classId: number; limit: number; offset: number }, WaitingJob>(
    chosenReadySql,
  ),
  underWayOfChoice: db.prepare<{ choice: number }, { id: number }>(
    `select id from job where choice = :choice and status in ${anyOf(UNDER_WAY)} limit 1`,
  ),
  openOfChoice: db.prepare<{ choice: number }, { id: number }>(
    `select id from job where choice = :choice and status in ${anyOf(OPEN)} limit 1`,
  ),
  // Whole rows only of the assigned jobs: 18 columns cost three times as much to read as two.
  jobs: db.prepare<{ ids: string }, JobRow>(`
    select ${jobColumns} from json_each(:ids) wanted cross join job on job.id = wanted.value`),

  markPending: db.prepare<{ ids: string; nodeId: number | null }>(`
    update job set status = ${STATUS.pending}, claimed_by = :nodeId
    where id in (select value from json_each(:ids))`),

  // Claims ahead. A job that waits for more jobs than a page is never one, so no query reads more edges than that.
  dependents: db.prepare<{ id: number; choice: number | null; limit: number }, Dependent>(`
    select job.id, job.class_id, job.priority, job.unmet
    from (select job_id from job_depends_on where depends_on_job_id = :id order by job_id limit :limit) edge
    cross join job on job.id = edge.job_id
    where job.status = ${STATUS.blocked} and job.claimed_by is null and job.upstream_failed = 0 and ${notHeld}
      and (:choice is null or job.choice = :choice)`),
  upstream: db.prepare<{ id: number; limit: number }, UpstreamJob>(`
    select other.id, other.status, other.claimed_by
    from job_depends_on edge
    cross join job other on other.id = edge.depends_on_job_id
    where edge.job_id = :id
    limit :limit`),
  makesOthersReady: db.prepare<{ id: number; nodeId: number; limit: number }, { id: number }>(`
    select job.id
    from (select job_id from job_depends_on where depends_on_job_id = :id limit :limit) edge
    cross join job on job.id = edge.job_id
    where not (job.status = ${STATUS.blocked} and job.claimed_by is :nodeId)
    limit 1`),
  // Of these jobs, in their order, those that the runner holds and that others wait for: most have no dependents.
  heldParents: db.prepare<{ ids: string; workflowId: number; nodeId: number }, { id: number }>(`
    select job.id
    from json_each(:ids) wanted
    cross join job on job.id = wanted.value
    where job.workflow_id = :workflowId and job.claimed_by = :nodeId
      and job.status in ${anyOf('blocked', HELD)}
      and exists (select 1 from job_depends_on where depends_on_job_id = job.id)
    order by wanted.id`),
  claimAhead: db.prepare<{ id: number; nodeId: number }>(
    `update job set claimed_by = :nodeId where id = :id and status = ${STATUS.blocked} and claimed_by is null`,
  ),
  claimedAhead: db.prepare<{ workflowId: number; nodeId: number }, Pick<Dependent, 'id' | 'class_id' | 'unmet'>>(`
    select id, class_id, unmet
    from job
    where claimed_by = :nodeId and status = ${STATUS.blocked} and workflow_id = :workflowId
    order by id`),
  letGoAhead: db.prepare<{ id: number; nodeId: number }>(
    `update job set claimed_by = null where id = :id and status = ${STATUS.blocked} and claimed_by = :nodeId`,
  ),

  hasFiles: db.prepare<{ workflowId: number }, { id: number }>(
    'select id from file where workflow_id = :workflowId limit 1',
  ),
  outputs: db.prepare<{ jobId: number }, StoredOutput>(`
    select file.id, file.path, file.temporary, file.protected, made_mtime is not null as is_made
    from job_output_file
    join file on file.id = job_output_file.file_id
    where job_output_file.job_id = :jobId
    order by file.id`),
  inputs: db.prepare<{ jobId: number; limit: number }, { id: number; path: string }>(`
    select file.id, file.path
    from job_input_file
    join file on file.id = job_input_file.file_id
    where job_input_file.job_id = :jobId
    order by job_input_file.file_id
    limit :limit`),
  hasUserData: db.prepare<{ workflowId: number }, { id: number }>(
    'select id from user_data where workflow_id = :workflowId limit 1',
  ),
  outputUserData: db.prepare<{ jobId: number }, { id: number }>(
    'select user_data_id as id from job_output_user_data where job_id = :jobId order by 1',
  ),

  // Assigned to this runner and not started, as far as the server knows.
  heldBy: db.prepare<{ nodeId: number; workflowId: number }, JobRow & { class_id: number }>(`
    select ${jobColumns}, job.class_id
    from job
    where workflow_id = :workflowId and status = ${STATUS.pending} and ${unsettled} and claimed_by = :nodeId
    order by priority desc, id`),

  // The runner releases the job first, so that no attempt is left behind (trigger attempt_left_behind).
  letGo: db.prepare<{ id: number; nodeId: number }>(
    `update job set claimed_by = null where id = :id and status = ${STATUS.pending} and claimed_by = :nodeId`,
  ),
  giveBack: db.prepare<{ id: number }>(`update job set status = ${STATUS.ready} where id = :id`),

  turnNode: db.prepare<{ workflowId: number; nodeId: number }, { is_active: number | null; number: number | null }>(`
    select compute_node.is_active, runner_turn.number
    from compute_node
    left join runner_turn on runner_turn.compute_node_id = compute_node.id
    where compute_node.id = :nodeId and compute_node.workflow_id = :workflowId`),
  turn: db.prepare<{ nodeId: number }, { job_ids: string; errors: string }>(
    'select job_ids, errors from runner_turn where compute_node_id = :nodeId',
  ),
  storeTurn: db.prepare<{ nodeId: number; number: number; jobIds: string; errors: string }>(`
    insert into runner_turn (compute_node_id, number, job_ids, errors) values (:nodeId, :number, :jobIds, :errors)
    on conflict (compute_node_id) do update set
      number = excluded.number, job_ids = excluded.job_ids, errors = excluded.errors`),
});

export type ClaimQueries = ReturnType<typeof claimQueries>;
