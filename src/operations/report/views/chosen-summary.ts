import type { Client } from '../../../client/client.ts';
import { jobStatuses, type JobStatusCounts } from '../../../core/contract/job.ts';
import type { RunSummary } from '../../../runner/facts/options.ts';
import type { Choice } from '../../update/choice.ts';

/** The end of a run of chosen jobs, with the numbers of these jobs in place of those of the whole workflow. */
export async function chosenSummary(
  client: Client,
  workflowId: number,
  summary: RunSummary,
  { number, upToDate }: Choice,
): Promise<RunSummary> {
  if (!summary.isReported) return summary;
  const query = { choice: number };
  const { chosen_by_status: ran } = await client.getWorkflowStatus({ params: { id: workflowId }, query });
  if (!ran) return summary;
  const none = Object.fromEntries(jobStatuses.map((status) => [status, 0])) as JobStatusCounts;
  return {
    ...summary,
    counts: { ...ran, completed: ran.completed + upToDate },
    countsAtStart: { ...none, completed: upToDate },
  };
}
