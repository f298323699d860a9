import { Refusal } from '../../core/contract/refusals.ts';
import type { Workflow } from '../../core/contract/workflow.ts';
import { counted } from '../../core/quantity/count-text.ts';
import type { Caller } from '../caller.ts';
import { createHeldAttempts, holderWords } from '../records/job/held-attempts.ts';
import { inPages } from '../store/rows.ts';
import type { Store } from '../records/store.ts';
import { restartable, type WorkSteps } from '../store/work.ts';
import type { NoteAction } from '../records/event/user-action.ts';
import type { RecoverQueries } from './queries.ts';

/**
 * Cancels a workflow: no job starts any more, and assigned jobs become canceled; runners are notified and end them.
 *
 * The first slice cancels the workflow; the jobs follow, in any number.
 */
export const createCancel = ({ find, changes, now, works }: Store, queries: RecoverQueries) => {
  const cancelJobs = (workflowId: number) => inPages((limit) => queries.cancelJobs.run({ workflowId, limit }));
  function* cancel(id: number): WorkSteps<Workflow> {
    const { run_id: runId } = find.workflow(id);
    queries.cancelWorkflow.run({ id });
    const jobs = queries.busyJobs.get({ workflowId: id })?.jobs ?? 0;
    const message = `Workflow ${id} canceled in run ${runId}; ${counted(jobs, 'job was', 'jobs were')} running or pending`;
    queries.writeEvent.run({
      workflowId: id,
      timestamp: now(),
      data: JSON.stringify({ category: 'workflow_canceled', message, workflow_id: id, run_id: runId }),
    });
    changes.record(id, 'workflow_canceled', [{ category: 'workflow', message, run_id: runId, jobs }]);
    yield* cancelJobs(id);
    return find.wholeWorkflow(id);
  }
  const work = restartable(works, 'cancel', cancelJobs);
  return (id: number) => work(id, {}, () => cancel(id));
};

/** Begins a new run: from now on reports of the previous one are refused. Jobs keep their status. */
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
        { attempts, holders: holders.slice(0, HOLDERS_REPORTED) },
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
    changes.record(id, 'run_started', [{ category: 'workflow', run_id: find.run(id).run_id }]);
    return find.wholeWorkflow(id);
  };
};

/** The maximum number of runners named in a refusal: there may be thousands. */
const HOLDERS_REPORTED = 20;
