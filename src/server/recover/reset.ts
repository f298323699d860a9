import { statusOf } from '../../core/contract/job.ts';
import { Refusal } from '../../core/contract/refusals.ts';
import { isComplete } from '../../core/lifecycle/job.ts';
import type { Workflow } from '../../core/contract/workflow.ts';
import type { Caller } from '../store/caller.ts';
import { createHeldAttempts, holderWords } from '../store/held-attempts.ts';
import type { Store } from '../store/store.ts';
import type { NoteAction } from '../store/user-action.ts';
import type { RecoverQueries } from './queries.ts';

/** Cancels a workflow: nothing new starts, and the jobs that were handed out become canceled; runners hear of it and end them. */
export const cancelWorkflow =
  ({ find, changes, now }: Store, queries: RecoverQueries) =>
  (id: number): Workflow => {
    const { run_id: runId } = find.workflow(id);
    queries.cancelWorkflow.run({ id });
    const jobs = queries.cancelJobs.run({ workflowId: id });
    const message = `Workflow ${id} canceled in run ${runId}; ${jobs} jobs were running or pending`;
    queries.writeEvent.run({
      workflowId: id,
      timestamp: now(),
      data: JSON.stringify({ category: 'workflow_canceled', message, workflow_id: id, run_id: runId }),
    });
    changes.record(id, 'workflow_canceled', [{ category: 'workflow', message, run_id: runId, jobs }]);
    return find.wholeWorkflow(id);
  };

/** Begins a new run: reports of the old one are refused from here on. Jobs keep their status. */
export const resetStatus = ({ db, changes, find }: Store, queries: RecoverQueries, noteAction: NoteAction) => {
  const held = createHeldAttempts(db, changes);
  return (id: number, force: boolean, caller: Caller): Workflow => {
    const { is_archived: isArchived } = find.workflow(id);
    if (isArchived === 1) {
      throw new Refusal('WORKFLOW_ARCHIVED', 'Cannot reset archived workflow status. Unarchive the workflow first.');
    }
    const busy = queries.busyJobs.get({ workflowId: id })?.jobs ?? 0;
    if (busy > 0 && !force) {
      throw new Refusal(
        'WORKFLOW_BUSY',
        'Cannot reset workflow status: jobs are currently running or pending submission',
        { jobs: busy },
      );
    }
    const holders = force ? [] : held.holders(id);
    if (holders.length > 0) {
      const attempts = holders.reduce((sum, each) => sum + each.attempts, 0);
      throw new Refusal(
        'WORKFLOW_BUSY',
        `Cannot reset workflow status: ${attempts} ${attempts === 1 ? 'attempt has' : 'attempts have'} not ended yet: ${holderWords(holders)}`,
        { attempts, holders: holders.slice(0, HOLDERS_TOLD) },
      );
    }
    const allocations = queries.openAllocations.get({ workflowId: id })?.allocations ?? 0;
    if (allocations > 0 && !force) {
      throw new Refusal(
        'WORKFLOW_BUSY',
        'Cannot reset workflow status: scheduled compute nodes are currently pending or active',
        { allocations },
      );
    }
    queries.nextRun.run({ id });
    noteAction(id, caller, 'reset_workflow_status', { force });
    return find.wholeWorkflow(id);
  };
};

/** Names of runners in the facts of a refusal: there may be thousands. */
const HOLDERS_TOLD = 20;

/** Makes jobs uninitialized: all, or those that failed and everything downstream of them. Says how many, without the downstream. */
export const resetJobStatus =
  ({ find }: Store, queries: RecoverQueries, noteAction: NoteAction) =>
  (id: number, failedOnly: boolean, caller: Caller): number => {
    find.run(id);
    const of = { workflowId: id };
    if (failedOnly) queries.resetDownstreamOfFailed.run(of);
    const count = failedOnly ? queries.resetFailed.run(of) : queries.resetAll.run(of);
    noteAction(id, caller, 'reset_job_status', { failed_only: failedOnly, updated_count: count });
    return count;
  };

/** Makes jobs uninitialized that read user data which changed since the workflow was initialised; says their names. */
export const processChangedInputs =
  ({ find }: Store, queries: RecoverQueries, noteAction: NoteAction) =>
  (id: number, dryRun: boolean, caller: Caller): string[] => {
    find.run(id);
    const changed = queries.changedUserData.all({ workflowId: id });
    const names = changed.map(({ name }) => name);
    if (dryRun) return names;
    for (const job of changed) {
      queries.setStatus.run({ id: job.id, status: 0 });
      if (isComplete(statusOf(job.status))) queries.countUp.run({ id: job.id });
    }
    noteAction(id, caller, 'process_changed_job_inputs', {
      reinitialized_count: names.length,
      reinitialized_jobs: names,
    });
    return names;
  };
