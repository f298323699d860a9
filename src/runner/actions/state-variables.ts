import type { Client } from '../../client/client.ts';
import { sentenceOf } from '../../core/attempt/cause.ts';
import type { WorkflowStatus } from '../../core/contract/workflow.ts';
import { countOf, OPEN } from '../../core/job/statuses.ts';
import { outcomeOf } from '../../core/lifecycle/explain/outcome.ts';
import { printableLine } from '../../core/text/printable.ts';

type Variables = readonly (readonly [string, string])[];

/** Longer than the sentence of any cause; an environment has a limit, and a cause may quote what a program printed. */
const LONGEST = 500;

/**
 * How the workflow stands when an action begins, for its commands: its state, its numbers of jobs, and why a job failed. Nothing where
 * the server does not answer: an action runs without.
 */
export async function stateVariables(client: Client, workflowId: number): Promise<Variables> {
  try {
    const status = await client.getWorkflowStatus({ params: { id: workflowId } });
    const { completed, failed, stopped, running, notRun } = outcomeOf(status.jobs_by_status);
    return [
      ['TORC_WORKFLOW_STATE', stateOf(status)],
      ['TORC_JOBS_COMPLETED', String(completed)],
      ['TORC_JOBS_FAILED', String(failed)],
      ['TORC_JOBS_STOPPED', String(stopped)],
      ['TORC_JOBS_RUNNING', String(running)],
      ['TORC_JOBS_NOT_RUN', String(notRun)],
      ...(failed === 0 ? [] : await failureVariables(client, workflowId)),
    ];
  } catch {
    return [];
  }
}

async function failureVariables(client: Client, workflowId: number): Promise<Variables> {
  const [job] = (await client.listJobs({ query: { workflow_id: workflowId, status: 'failed', limit: 1 } })).items;
  if (job === undefined) return [];
  const { items } = await client.listResults({
    query: { workflow_id: workflowId, job_id: job.id, limit: 1, sort_by: 'id', reverse_sort: true },
  });
  const [result] = items;
  const sentence =
    result &&
    sentenceOf({ status: 'failed', returnCode: result.return_code, causeCode: result.cause_code, cause: result.cause });
  return [
    ['TORC_FAILED_JOB_ID', String(job.id)],
    ['TORC_FAILED_JOB_NAME', job.name],
    ...(sentence === undefined ? [] : ([['TORC_FAILURE', printableLine(sentence).slice(0, LONGEST)]] as const)),
  ];
}

/** `completed`, `failed`, `stopped`, `canceled`; `running` or `waiting` before the end. */
function stateOf({ is_canceled: isCanceled, jobs_by_status: counts }: WorkflowStatus): string {
  if (isCanceled) return 'canceled';
  const { failed, stopped, running } = outcomeOf(counts);
  if (countOf(counts, OPEN) > 0) return running > 0 ? 'running' : 'waiting';
  return failed > 0 ? 'failed' : stopped > 0 ? 'stopped' : 'completed';
}
