import { rmSync } from 'node:fs';
import { ServiceError } from '../../client/errors.ts';
import type { SlurmJob } from '../../core/allocation/slurm-job.ts';
import { Refusal } from '../../core/contract/refusals.ts';
import { changeAllocations } from '../../client/compat/change-allocations.ts';
import type { ScriptDraft, Drafts } from './drafts.ts';
import type { QueueLimits } from './queue-limits.ts';
import { type Batch, jobOfRecord } from './settle-job.ts';
import { submitBatch } from './submit-batch.ts';
import type { AllocationRecord, SubmitTools } from './submit-tools.ts';

export interface Finished {
  /** The allocations that this call submitted or found. */
  readonly jobIds: SlurmJob[];
  /** Slurm refused them, or they cannot be requested; their records are removed. */
  readonly refused: { readonly message: string; readonly allocations: number }[];
  /** Allocations that stay planned because of a limit. */
  held: number;
}

/** One call of `finishSubmissions`: its tools, and what came of it so far. */
export interface Run {
  readonly tools: SubmitTools;
  readonly workflowId: number;
  readonly drafts: Drafts;
  readonly limits: QueueLimits;
  readonly areNew: boolean;
  readonly finished: Finished;
  /** Slurm refused a job array with these words, so allocations are submitted one by one. */
  arrayRefusal: string | undefined;
  /** The limit because of which nothing more is submitted in this call. */
  heldBy: string | undefined;
}

export const change = (
  { tools, workflowId }: Run,
  records: readonly AllocationRecord[],
  to: Parameters<typeof changeAllocations>[3],
) =>
  changeAllocations(
    tools.client,
    workflowId,
    records.map(({ id }) => id),
    to,
  );

/**
 * `again`: Slurm refused the array, or takes no more jobs, and the records are planned again. `refused`: they are removed.
 */
export async function send(
  run: Run,
  batch: Batch,
  draftOf: () => Promise<ScriptDraft>,
): Promise<'submitted' | 'again' | 'refused'> {
  const { tools, limits, finished } = run;
  const { records, isArray } = batch;
  let draft: ScriptDraft;
  try {
    draft = await draftOf();
  } catch (error) {
    // The request cannot be served, or its scheduler is gone.
    if (!(error instanceof Refusal) && !(error instanceof ServiceError && error.status === 404)) throw error;
    return refuse(run, records, error.message);
  }
  const end = await submitBatch(tools, { batch, draft, limits });
  if ('jobId' in end) {
    for (const { id } of records) finished.jobIds.push(jobOfRecord(batch, end.jobId, id));
    // Without an array it was the same request: the array was what Slurm refused.
    if (run.arrayRefusal !== undefined && run.arrayRefusal !== '')
      tools.onWarning(
        `${tools.slurm.name} refused a job array, so allocations are submitted one by one: ${run.arrayRefusal}`,
      );
    if (run.arrayRefusal !== undefined) run.arrayRefusal = '';
    return 'submitted';
  }
  const { kind, message } = end.refusal;
  if (isArray) run.arrayRefusal = message;
  else if (kind === 'full') run.heldBy = message.split('\n')[0] as string;
  else {
    rmSync(draft.path, { force: true });
    return refuse(run, records, message);
  }
  if (records[0]?.plan ?? undefined) await change(run, records, { from: 'submitting', status: 'planned' });
  return 'again';
}

async function refuse(run: Run, records: readonly AllocationRecord[], message: string): Promise<'refused'> {
  await removeRecords(run, records);
  run.finished.refused.push({ message, allocations: records.length });
  return 'refused';
}

const TOGETHER = 32;

/** A refused submission leaves no record. */
export async function removeRecords({ tools }: Run, records: readonly AllocationRecord[]): Promise<void> {
  for (let at = 0; at < records.length; at += TOGETHER)
    await Promise.all(
      records.slice(at, at + TOGETHER).map(({ id }) =>
        tools.client.deleteScheduledComputeNode({ params: { id } }).catch((error: unknown) => {
          if (!(error instanceof ServiceError) || error.status !== 404) throw error;
        }),
      ),
    );
}
