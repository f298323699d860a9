import { actionOf, type ActionRow } from '../store/action-row.ts';
import type { Database } from '../store/database.ts';
import { whole } from '../store/records.ts';

export const actQueries = (db: Database) => ({
  actions: whole(db, 'workflow_action', (row: ActionRow) => actionOf(row)),
  // Persistent ones are done by every runner, again and again.
  pending: db.prepare<{ workflowId: number }, ActionRow>(`
    select * from workflow_action
    where workflow_id = :workflowId and trigger_count >= required_triggers and (executed = 0 or persistent = 1)
    order by id`),
  claim: db.prepare<{ id: number; nodeId: number | null; at: string }>(`
    update workflow_action set executed = 1, executed_at = :at, executed_by = :nodeId
    where id = :id and (executed = 0 or persistent = 1)`),
  configure: db.prepare<{ id: number; config: string }>(
    'update workflow_action set action_config = :config where id = :id',
  ),
});
