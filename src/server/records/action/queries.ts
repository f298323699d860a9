import type { Database, ColumnValue } from '../../store/database.ts';

export const newActionQueries = (db: Database) => ({
  jobOf: db.prepare<{ id: number; workflowId: number }, { id: number }>(
    'select id from job where id = :id and workflow_id = :workflowId',
  ),
  insertAction: db.prepare<Record<string, ColumnValue>>(`
    insert into workflow_action (
      workflow_id, trigger_type, action_type, action_config, job_ids, trigger_count, required_triggers, executed,
      persistent, is_recovery
    ) values (
      :workflowId, :triggerType, :actionType, :actionConfig, :jobIds, :triggerCount, :requiredTriggers, :executed,
      :persistent, :isRecovery
    )`),
});

export type NewActionQueries = ReturnType<typeof newActionQueries>;
