import { actionColumns, reachedFor, triggerCount } from '../records/action/columns.ts';
import { actionOf, type ActionRow } from '../records/action/row.ts';
import type { Database } from '../store/database.ts';
import { records } from '../records/records.ts';

export const actQueries = (db: Database) => ({
  actions: records(db, 'workflow_action', actionColumns, 'workflow_action', (row: ActionRow) => actionOf(row)),
  ofWorkflow: db.prepare<{ workflowId: number }, ActionRow>(
    `select ${actionColumns} from workflow_action where workflow_id = :workflowId order by id`,
  ),
  // Every runner executes persistent ones, repeatedly.
  pending: db.prepare<{ workflowId: number }, ActionRow>(`
    select * from (
      select ${actionColumns} from workflow_action
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
  trigger_type: keyof typeof reachedFor | 'on_first_failure';
  /** Whether it was triggered by hand, regardless of the jobs. */
  is_reached: number;
}

export const dueQueries = (db: Database) => ({
  armed: db.prepare<{ workflowId: number }, ArmedAction>(`
    select id, trigger_type, trigger_count >= required_triggers as is_reached
    from workflow_action
    where workflow_id = :workflowId and trigger_type in ('on_jobs_ready', 'on_jobs_complete', 'on_first_failure')
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
