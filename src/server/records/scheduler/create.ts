import { Refusal } from '../../../core/contract/refusals.ts';
import type { FailureHandler, SlurmScheduler, WorkflowAction } from '../../../core/contract/scheduling.ts';
import { refuseBadConfig } from '../action/config.ts';
import { present } from '../present.ts';
import type { Store } from '../store.ts';
import type { SubmitQueries } from '../../submit/queries.ts';

export const createSlurmScheduler =
  ({ find }: Store, queries: SubmitQueries) =>
  (body: SlurmScheduler): SlurmScheduler => {
    find.workflow(body.workflow_id);
    if (body.name === undefined || body.name === null) {
      throw new Refusal('BODY_REFUSED', 'a Slurm scheduler needs a name', { field: 'name' });
    }
    const id = queries.insertScheduler.insert({
      workflow_id: body.workflow_id,
      name: body.name,
      account: body.account,
      nodes: body.nodes,
      walltime: body.walltime,
      gres: body.gres ?? null,
      mem: body.mem ?? null,
      ntasks_per_node: body.ntasks_per_node ?? null,
      partition: body.partition ?? null,
      qos: body.qos ?? null,
      tmp: body.tmp ?? null,
      extra: body.extra ?? null,
      serialize_allocations: Number(body.serialize_allocations ?? false),
    });
    return { serialize_allocations: false, ...present(body), id };
  };

export const createFailureHandler =
  ({ find }: Store, queries: SubmitQueries) =>
  (body: FailureHandler): FailureHandler => {
    find.workflow(body.workflow_id);
    const id = queries.insertHandler.insert({ workflowId: body.workflow_id, name: body.name, rules: body.rules });
    return { ...present(body), id };
  };

/**
 * An action waits for each of its jobs, or for one event if it names none. Its types are free text, as in Torc 1.0.0.
 */
export const createAction =
  ({ find }: Store, queries: SubmitQueries) =>
  (workflowId: number, body: WorkflowAction): WorkflowAction => {
    find.workflow(workflowId);
    refuseBadConfig(body);
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
    return { ...present(body), action_config: body.action_config, workflow_id: workflowId, id };
  };
