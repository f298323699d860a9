import { rmSync } from 'node:fs';
import { SubmissionFailed } from '../../cluster/batch/batch-system.ts';
import { tasksText } from '../../core/allocation/next-batch.ts';
import { confirmLease } from './recovery-lease.ts';
import type { ScriptDraft } from './drafts.ts';
import type { QueueLimits } from './queue-limits.ts';
import { cancelDouble, sendScript } from './send-script.ts';
import { type Batch, jobOfRecord, settleJob } from './settle-job.ts';
import type { SubmitTools } from './submit-tools.ts';

/** The job that Slurm made of a batch, or why it made none. */
export type BatchEnd = { readonly jobId: number } | { readonly refusal: SubmissionFailed };

/**
 * Gives the script of a batch to sbatch, and stores the id of its job.
 *
 * Throws `SubmissionFailed` if it is unclear whether the job exists, or Slurm cannot be reached: the records stay
 * `submitting`, and the next command decides.
 */
export async function submitBatch(
  tools: SubmitTools,
  { batch, draft, limits }: { readonly batch: Batch; readonly draft: ScriptDraft; readonly limits: QueueLimits },
): Promise<BatchEnd> {
  const ids = batch.records.map(({ id }) => id);
  await limits.pace();
  await confirmLease();
  try {
    const tasks = batch.isArray ? tasksText(ids, batch.first) : undefined;
    const { jobId, mayBeDouble } = await sendScript(tools, draft, tasks);
    await acceptJob(tools, { batch, draft, jobId });
    limits.sent(ids);
    if (mayBeDouble) await cancelDouble(tools, draft.token, jobId);
    return { jobId };
  } catch (error) {
    if (!(error instanceof SubmissionFailed)) throw error;
    if (error.kind === 'refused' || error.kind === 'full') return { refusal: error };
    const which = ids.length === 1 ? `record ${ids[0]} stays` : `records ${ids[0]} to ${ids.at(-1)} stay`;
    const next = `allocation ${which} "submitting"; torc submit ${batch.workflowId} looks for the job again`;
    throw new SubmissionFailed(`${error.message}; ${next}`, error.kind);
  }
}

/** Stores the id of a job that Slurm has, and reports it. */
export async function acceptJob(
  tools: SubmitTools,
  { batch, draft, jobId }: { readonly batch: Batch; readonly draft: ScriptDraft | undefined; readonly jobId: number },
): Promise<void> {
  // Slurm has a copy. First, so that no script stays behind a process that is killed here.
  if (draft !== undefined && !tools.settings.keepsScripts) rmSync(draft.path, { force: true });
  await settleJob(tools, batch, jobId);
  if (draft === undefined) return;
  for (const { id } of batch.records)
    tools.onSubmitted({ jobName: draft.jobName, jobId, job: jobOfRecord(batch, jobId, id) });
}
