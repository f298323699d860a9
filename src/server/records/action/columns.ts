import { FAILED, HELD, OPEN, type StatusSet } from '../../../core/job/statuses.ts';
import { anyOf } from '../rows/status.ts';
import { actionState } from './claims.ts';

/** The statuses in which a job satisfies a trigger, by their numbers. */
export const reachedFor = {
  on_jobs_ready: '2, 3, 4, 5, 6, 7, 8, 10',
  on_jobs_complete: '5, 6, 7, 8',
} as const;

/**
 * The jobs of an action that have reached one of these statuses. `cross join` keeps the order: otherwise the planner
 * would parse the text once for each job of the workflow, a minute for twenty thousand.
 */
const reached = (statuses: string) => `(
  select count(*) from json_each(workflow_action.job_ids) named cross join job on job.id = named.value
  where job.workflow_id = workflow_action.workflow_id and job.status in (${statuses}))`;

/** Whether the workflow of an action has jobs with one of these statuses. */
const anyJobs = (statuses: StatusSet) => `exists (
  select 1 from job_count
  where job_count.workflow_id = workflow_action.workflow_id and status in ${anyOf(statuses)} and jobs > 0)`;

/**
 * Exactly one runner, the one that asks. Zero would make a workflow stuck as soon as it is created. And no allocation but its own: another
 * one will start a runner.
 */
const NOTHING_ELSE = `(
  (select count(*) from compute_node
    where compute_node.workflow_id = workflow_action.workflow_id and is_active = 1) = 1
  and (select count(*) from scheduled_compute_node allocation
    where allocation.workflow_id = workflow_action.workflow_id and allocation.status in ('planned', 'pending', 'active')
      and (allocation.status <> 'active' or not exists (
        select 1 from compute_node
        where compute_node.workflow_id = workflow_action.workflow_id and is_active = 1
          and json_extract(compute_node.scheduler, '$.scheduler_id') = allocation.id))) = 0)`;

/**
 * How often the trigger of an action has occurred. Triggers of jobs and of the end are derived from the state of the
 * jobs, so no counter must be updated when a job changes; the others were counted at initialization.
 */
export const triggerCount = `max(trigger_count, case trigger_type
  when 'on_jobs_ready' then ${reached(reachedFor.on_jobs_ready)}
  when 'on_jobs_complete' then ${reached(reachedFor.on_jobs_complete)}
  when 'on_workflow_complete' then (
    select run_id > 0 and is_canceled = 0 and not exists (
      select 1 from job_count
      where job_count.workflow_id = workflow.id and status in ${anyOf(OPEN)} and jobs > 0)
    from workflow where workflow.id = workflow_action.workflow_id)
  when 'on_first_failure' then ${anyJobs(FAILED)}
  when 'on_stuck' then (${anyJobs(OPEN)} and not ${anyJobs(HELD)} and ${NOTHING_ELSE})
  else 0 end)`;

/** The columns of an action, as the API has it. */
export const actionColumns = `id, workflow_id, trigger_type, action_type, action_config, job_ids, ${triggerCount} as trigger_count,
  required_triggers, executed, executed_at, executed_by, persistent, is_recovery, ${actionState} as state`;
