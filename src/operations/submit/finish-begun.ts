import { isScriptOf } from '../../core/allocation/names.ts';
import { isUnderLease } from './recovery-lease.ts';
import type { ScriptDraft } from './drafts.ts';
import { isOfLiveProcess } from './script-owner.ts';
import { cancelDouble, waitForSubmissions } from './send-script.ts';
import { type Batch, jobOfRecord } from './settle-job.ts';
import { removeRecords, type Run, send } from './submission-run.ts';
import { acceptJob } from './submit-batch.ts';
import type { AllocationRecord } from './submit-tools.ts';

/** Records that a process gave to sbatch, or was about to. */
export async function finishBegun(run: Run, records: readonly AllocationRecord[]): Promise<void> {
  if (records.length === 0) return;
  const { tools, workflowId, drafts, areNew } = run;
  const { slurm } = tools;
  const groups = Map.groupBy(records, ({ id, array_task_id: task }) => id - (task ?? 0));
  if (!areNew) await waitForSubmissions(tools, [...groups.keys()].map(drafts.tokenOf));
  const scripts = areNew ? [] : await slurm.scripts();
  for (const [first, those] of groups) {
    const [record] = those as [AllocationRecord];
    const isArray = (record.array_task_id ?? undefined) !== undefined;
    const batch: Batch = { workflowId, records: those, first, isArray };
    const token = drafts.tokenOf(first);
    const draft = drafts.find({ ...record, id: first });
    const found = scripts.find(({ script }) => isScriptOf(script, token))?.jobId;
    if (found !== undefined) {
      await acceptJob(tools, { batch, draft, jobId: found });
      await cancelDouble(tools, token, found);
      for (const { id } of those) run.finished.jobIds.push(jobOfRecord(batch, found, id));
    } else if (draft !== undefined && !areNew && !isUnderLease() && isOfLiveProcess(draft.path))
      tools.onWarning(
        `allocation record ${first} is being submitted by another process, or was within 15 minutes: ${draft.path}`,
      );
    else if (record.plan ?? undefined) await send(run, batch, () => drafts.write({ ...record, id: first }, isArray));
    else if (areNew && run.finished.refused.length > 0) await removeRecords(run, those);
    else if (draft !== undefined) await sendWithoutPlan(run, batch, draft);
    else {
      await removeRecords(run, those);
      tools.onWarning(
        `an allocation of scheduler ${record.scheduler_config_id} was never submitted: its process was interrupted`,
      );
    }
  }
}

/** On Torc's own server the script is the plan: a record that a limit holds back stays as it is. */
async function sendWithoutPlan(run: Run, batch: Batch, draft: ScriptDraft): Promise<void> {
  const [record] = batch.records as [AllocationRecord];
  const room = run.heldBy === undefined ? await run.limits.room(record) : undefined;
  const isHeld = run.heldBy !== undefined || (room?.allocations ?? 1) <= 0;
  if (!isHeld) await send(run, batch, () => Promise.resolve(draft));
  if (isHeld || run.heldBy !== undefined) run.finished.held += 1;
}
