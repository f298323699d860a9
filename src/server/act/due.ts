import type { Database } from '../store/database.ts';
import { reachedFor, triggerCount } from './queries.ts';

/**
 * The actions of a workflow whose jobs have come so far that somebody should carry them out: what runners are told of
 * while they run. It is asked for in every turn of every runner, so a workflow without actions must cost next to nothing,
 * and one whose action names ten thousand jobs must not read them each time.
 *
 * Of each action that is not due one job is remembered for which it waits: as long as that one has not come so far,
 * nothing else needs to be read. What is remembered only says where to look first, never what is answered.
 */
export const createDue = (db: Database) => {
  const armed = db.prepare<{ workflowId: number }, Armed>(`
    select id, trigger_type, trigger_count >= required_triggers as is_told
    from workflow_action
    where workflow_id = :workflowId and trigger_type in ('on_jobs_ready', 'on_jobs_complete')
      and (executed = 0 or persistent = 1)
    order by id`);
  const isTriggered = db.prepare<{ id: number }, { id: number }>(
    `select id from workflow_action where id = :id and ${triggerCount} >= required_triggers`,
  );
  const waiting = {
    on_jobs_ready: waitingQueries(db, 'on_jobs_ready'),
    on_jobs_complete: waitingQueries(db, 'on_jobs_complete'),
  };
  const waitsFor = new Map<number, number>();

  const waits = ({ id, trigger_type: trigger }: Armed): boolean => {
    const known = waitsFor.get(id);
    if (known !== undefined && waiting[trigger].still.get({ jobId: known }) !== undefined) return true;
    const next = waiting[trigger].last.get({ id });
    if (next === undefined) {
      waitsFor.delete(id);
      return false;
    }
    // Those of workflows that are gone are not worth keeping apart.
    if (waitsFor.size >= MOST_REMEMBERED) waitsFor.clear();
    waitsFor.set(id, next.id);
    return true;
  };

  return (workflowId: number): number[] =>
    armed
      .all({ workflowId })
      .filter((action) => action.is_told === 1 || (!waits(action) && isTriggered.get({ id: action.id }) !== undefined))
      .map(({ id }) => id);
};

export type Due = ReturnType<typeof createDue>;

interface Armed {
  id: number;
  trigger_type: keyof typeof reachedFor;
  is_told: number;
}

const MOST_REMEMBERED = 1_000;

/** A job for which an action waits, and whether it still does. */
const waitingQueries = (db: Database, trigger: keyof typeof reachedFor) => ({
  // The last of them: jobs end about in the order of their ids, so it is waited for longest.
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
