import type { Client } from '../../client/client.ts';
import type { Job } from '../../core/contract/job.ts';
import { Refusal } from '../../core/contract/refusals.ts';

/**
 * Makes a job that waits for a decision (pending_failed) failed, with the result of its last attempt and the reason of the
 * decision as cause. Jobs that depend on it are canceled as after any failure.
 *
 * A server completes no job that is undecided, and keeps one result for each attempt: so the job is reset, and its result
 * replaced. Throws `NOT_FOUND` where the attempt has no result.
 */
export async function failUndecided(client: Client, job: Job, reason: string | undefined): Promise<void> {
  const { id, workflow_id: workflow } = job as Job & { readonly id: number };
  const [result] = (await client.listResults({ query: { workflow_id: workflow, job_id: id } })).items;
  if (result === undefined) throw new Refusal('NOT_FOUND', `job ${id} (${job.name}) has no result that could fail it`);
  const { id: resultId, run_id: runId, cause, ...attempt } = result;
  const why = [cause, reason === undefined ? 'failed by decision' : `failed by decision: ${reason}`];
  await client.manageStatusChange({ params: { id, status: 'uninitialized', run_id: runId } });
  await client.deleteResult({ params: { id: resultId as number } });
  await client.completeJob({
    params: { id, status: 'failed', run_id: runId },
    body: { ...attempt, run_id: runId, status: 'failed', cause: why.filter((part) => part).join('; ') },
  });
}
