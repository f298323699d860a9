import type { WorkflowAction } from '../../../core/contract/scheduling.ts';
import { presentFields } from '../present.ts';

export type ActionRow = Record<
  'id' | 'workflow_id' | 'trigger_count' | 'required_triggers' | 'executed' | 'persistent' | 'is_recovery',
  number
> &
  Record<'trigger_type' | 'action_type' | 'action_config', string> & {
    job_ids: string | null;
    executed_at: string | null;
    executed_by: number | null;
    state?: WorkflowAction['state'];
  };

export const actionOf = (row: ActionRow): WorkflowAction => ({
  ...presentFields(row),
  action_config: JSON.parse(row.action_config),
  job_ids: row.job_ids === null ? undefined : (JSON.parse(row.job_ids) as number[]),
  executed: row.executed === 1,
  persistent: row.persistent === 1,
  is_recovery: row.is_recovery === 1,
});
