import { OPEN } from '../../core/job/statuses.ts';
import { actionState } from '../records/action/claims.ts';
import { actionOf, type ActionRow } from '../records/action/row.ts';
import type { Database } from '../store/database.ts';
import { records } from '../records/records.ts';
import { anyOf } from '../records/rows/status.ts';

/** The statuses in which a job satisfies a trigger, by their numbers. */
const reachedFor = {
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
  else 0 end)`;

const columns = `id, workflow_id, trigger_type, action_type, action_config, job_ids, ${triggerCount} as trigger_count,
  required_triggers, executed, executed_at, executed_by, persistent, is_recovery, ${actionState} as state`;

export const actQueries = (db: Database) => ({
  actions: records(db, 'workflow_action', columns, 'workflow_action', (row: ActionRow) => actionOf(row)),
  ofWorkflow: db.prepare<{ workflowId: number }, ActionRow>(
    `select ${columns} from workflow_action where workflow_id = :workflowId order by id`,
  ),
  // Every runner executes persistent ones, repeatedly.
  pending: db.prepare<{ workflowId: number }, ActionRow>(`
    select * from (
      select ${columns} from workflow_action
      where workflow_id = :workflowId and (executed = 0 or persistent = 1))
    where trigger_count >= required_triggers
    order by id`),
  claim: db.prepare<{ id: number; nodeId: number | null; at: string }>(`
    update workflow_action set executed = 1, executed_at = :at, executed_by = :nodeId
    where id = :id and (executed = 0 or persistent = 1)`),
  configure: db.prepare<{ id: number; config: string }>(
    'update workflow_action set action_config = :config where id = :id',
  ),
});

/** An action of jobs that no runner has executed, or a persistent one. */
export interface ArmedAction {
  id: number;
  trigger_type: keyof typeof reachedFor;
  /** Whether it was triggered by hand, regardless of the jobs. */
  is_reached: number;
}

export const dueQueries = (db: Database) => ({
  armed: db.prepare<{ workflowId: number }, ArmedAction>(`
    select id, trigger_type, trigger_count >= required_triggers as is_reached
    from workflow_action
    where workflow_id = :workflowId and trigger_type in ('on_jobs_ready', 'on_jobs_complete')
      and (executed = 0 or persistent = 1)
    order by id`),
  isTriggered: db.prepare<{ id: number }, { id: number }>(
    `select id from workflow_action where id = :id and ${triggerCount} >= required_triggers`,
  ),
  waiting: {
    on_jobs_ready: waitingQueries(db, 'on_jobs_ready'),
    on_jobs_complete: waitingQueries(db, 'on_jobs_complete'),
  },
});

/** A job for which an action waits, and whether it still waits for it. */
const waitingQueries = (db: Database, trigger: keyof typeof reachedFor) => ({
  // The last of them: jobs end roughly in the order of their ids, so it ends last.
  last: db.prepare<{ id: number }, { id: number }>(`
    select job.id
    from workflow_action
    cross join json_each(workflow_action.job_ids) named
    cross join job on job.id = named.value
    where workflow_action.id = :id and job.workflow_id = workflow_action.workflow_id
      and job.status not in (${reachedFor[trigger]})
    order by job.id desc
    limit 1`),
  still: db.prepare<{ jobId: number }, { id: number }>(
    `select id from job where id = :jobId and status not in (${reachedFor[trigger]})`,
  ),
});
