import { Refusal } from '../../../core/contract/refusals.ts';
import type { NewWorkflowAction, WorkflowAction } from '../../../core/contract/scheduling.ts';
import { presentFields } from '../present.ts';
import { createForeignCheck } from '../scheduler/foreign.ts';
import type { Store } from '../store.ts';
import { refuseBadConfig } from './config.ts';
import type { NewActionQueries } from './queries.ts';

/** The scheduler of `schedule_nodes`. */
export const refuseForeignScheduler = (
  refuseForeign: ReturnType<typeof createForeignCheck>,
  { workflow_id: id, action_config: config }: Pick<WorkflowAction, 'workflow_id' | 'action_config'>,
) => {
  const { scheduler_id: schedulerId, scheduler_type: schedulerType } = config as Readonly<Record<string, unknown>>;
  refuseForeign(id, { schedulerId, schedulerType }, 'action_config.scheduler_id');
};

/**
 * An action waits for each of its jobs, or for one event if it names none. Its types are free text, as in Torc 1.0.0.
 */
export const createAction = ({ db, find }: Store, queries: NewActionQueries) => {
  const refuseForeign = createForeignCheck(db);
  return (workflowId: number, body: NewWorkflowAction): WorkflowAction => {
    find.workflow(workflowId);
    refuseBadConfig(body);
    refuseForeignScheduler(refuseForeign, { ...body, workflow_id: workflowId });
    for (const jobId of body.job_ids ?? []) {
      if (queries.jobOf.get({ id: jobId, workflowId }) !== undefined) continue;
      throw new Refusal('REFERENCE_UNKNOWN', `job_ids names ${jobId}, which is not a job of workflow ${workflowId}`, {
        field: 'job_ids',
        found: jobId,
      });
    }
    const ofJobs = body.trigger_type === 'on_jobs_ready' || body.trigger_type === 'on_jobs_complete';
    const requiredTriggers = ofJobs ? Math.max(1, body.job_ids?.length ?? 0) : 1;
    const id = queries.insertAction.insert({
      workflowId,
      triggerType: body.trigger_type,
      actionType: body.action_type,
      actionConfig: JSON.stringify(body.action_config),
      jobIds: body.job_ids === undefined || body.job_ids === null ? null : JSON.stringify(body.job_ids),
      triggerCount: body.trigger_count ?? 0,
      requiredTriggers,
      executed: Number(body.executed ?? false),
      persistent: Number(body.persistent ?? false),
      isRecovery: Number(body.is_recovery ?? false),
    });
    return { ...presentFields(body), action_config: body.action_config, workflow_id: workflowId, id };
  };
};
