import type { Client } from '../client/client.ts';
import type { JobStatus, JobStatusCounts } from '../core/contract/job.ts';
import { beginRun, recoverHere } from './begin-run.ts';
import type { Output } from './output/output.ts';
import * as interrupted from './interrupted.ts';
import { counted } from './output/words.ts';

interface ResumeOptions {
  /** Jobs that failed as well. */
  readonly retriesFailed: boolean;
  readonly output: Output;
}

const INTERRUPTED: readonly JobStatus[] = ['terminated', 'canceled'];
const FAILED: readonly JobStatus[] = ['failed', 'pending_failed'];

/**
 * Makes the jobs of a workflow ready that were interrupted, in a new run: those that were terminated or canceled, with
 * everything downstream of them; jobs that failed as well where that is asked for. Jobs that completed stay as they are.
 *
 * Jobs of a runner of this host that was killed are taken back first. While jobs run elsewhere the server refuses, and attempts
 * that have not ended are waited for, so no job ever runs twice at once. When this is interrupted, the next call completes it.
 */
export async function resume(
  client: Client,
  workflowId: number,
  { retriesFailed, output }: ResumeOptions,
): Promise<void> {
  const params = { id: workflowId };
  const recovered = await recoverHere(client, await client.getWorkflow({ params }), output);
  const { jobs_by_status: before, is_canceled: isCanceled } = await client.getWorkflowStatus({ params });
  const found = retriesFailed
    ? [...INTERRUPTED, ...FAILED].reduce((sum, status) => sum + before[status], 0)
    : await interrupted.count(client, workflowId, before);
  // Uninitialized jobs are left by a resume that was cut off.
  if (found === 0 && before.uninitialized === 0 && !isCanceled) {
    if (recovered === 0) output.notice(nothingWords(before, retriesFailed));
    return;
  }
  const { run_id: runId } = await beginRun(client, workflowId, { force: false, output });
  if (retriesFailed) await client.resetJobStatus({ params, query: { failed_only: true } });
  else await interrupted.reset(client, workflowId, runId ?? 0);
  await client.initializeJobs({ params, query: { only_uninitialized: true } });
  const { jobs_by_status: after } = await client.getWorkflowStatus({ params });
  output.notice(`Resumed workflow ${workflowId} as run ${runId}: ${resumedWords(before, after)}`);
}

function nothingWords({ failed, pending_failed: undecided }: JobStatusCounts, retriesFailed: boolean): string {
  if (retriesFailed) return 'No job failed or was interrupted.';
  const bad = failed + undecided;
  return bad === 0
    ? 'No job was interrupted.'
    : `No job was interrupted; ${counted(bad, 'job')} failed: --retry-failed runs ${bad === 1 ? 'it' : 'them'} again.`;
}

const open = ({ ready, blocked, pending, running }: JobStatusCounts) => ready + blocked + pending + running;

/** `5 jobs to run again, 3 jobs left, 4 completed`. */
export function resumedWords(before: JobStatusCounts, after: JobStatusCounts): string {
  const again = Math.max(0, open(after) - open(before));
  const left = Math.max(0, open(after) - again);
  return [
    `${counted(again, 'job')} to run again`,
    ...(left > 0 ? [`${counted(left, 'job')} not yet run`] : []),
    ...(after.completed > 0 ? [`${after.completed} completed`] : []),
    ...(after.failed > 0 ? [`${after.failed} failed`] : []),
    ...(after.canceled > 0 ? [`${after.canceled} canceled`] : []),
  ].join(', ');
}
