import type { Client } from '../../client/client.ts';
import type { JobStatusCounts } from '../../core/contract/job.ts';
import { countOf, RECOVERABLE } from '../../core/job/statuses.ts';
import { type BeginNews, beginRun } from './begin-run.ts';
import { recoverHere } from '../orphans/recover-here.ts';
import * as interrupted from '../../client/compat/interrupted.ts';

interface ResumeOptions {
  /** Jobs that failed as well. */
  readonly retriesFailed: boolean;
  readonly report: (news: BeginNews) => void;
}

/** What a resume has changed. */
export type Resumed =
  /** No job was to be made ready. */
  | { readonly kind: 'nothing'; readonly counts: JobStatusCounts }
  /** Only jobs of killed runners of this host, which are ready again in the present run. */
  | { readonly kind: 'recovered'; readonly runners: number }
  | {
      readonly kind: 'resumed';
      readonly runId: number;
      readonly before: JobStatusCounts;
      readonly after: JobStatusCounts;
    };

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
  { retriesFailed, report }: ResumeOptions,
): Promise<Resumed> {
  const params = { id: workflowId };
  const recovered = await recoverHere(client, await client.getWorkflow({ params }), (message) =>
    report({ kind: 'recovery warning', message }),
  );
  const { jobs_by_status: before, is_canceled: isCanceled } = await client.getWorkflowStatus({ params });
  const found = retriesFailed
    ? countOf(before, RECOVERABLE)
    : await interrupted.countInterrupted(client, workflowId, before);
  // Uninitialized jobs are left by a resume that was cut off.
  if (found === 0 && before.uninitialized === 0 && !isCanceled) {
    return recovered === 0 ? { kind: 'nothing', counts: before } : { kind: 'recovered', runners: recovered };
  }
  const { run_id: begun } = await beginRun(client, workflowId, { force: false, report });
  const runId = begun ?? 0;
  if (retriesFailed) await client.resetJobStatus({ params, query: { failed_only: true } });
  else await interrupted.reset(client, workflowId, runId);
  await client.initializeJobs({ params, query: { only_uninitialized: true } });
  const { jobs_by_status: after } = await client.getWorkflowStatus({ params });
  return { kind: 'resumed', runId, before, after };
}
