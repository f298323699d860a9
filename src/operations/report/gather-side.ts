import type { Client } from '../../client/client.ts';
import { all } from '../../client/every.ts';
import { Refusal } from '../../core/contract/refusals.ts';
import type { ComparedSide } from '../../core/report/compare.ts';
import { usedJobs } from '../../client/used-jobs.ts';

/** What a comparison needs of a workflow: its current results, or those of one run. */
export async function gatherSide(client: Client, id: number, runId: number | undefined): Promise<ComparedSide> {
  const workflow = await client.getWorkflow({ params: { id } });
  const current = workflow.run_id ?? 0;
  if (runId !== undefined && runId > current)
    throw new Refusal('NOT_FOUND', `workflow ${id} has no run ${runId}; its current one is run ${current}`);
  const [jobs, files] = await Promise.all([
    usedJobs(client, id, { runId }),
    all((page) => client.listFiles({ query: { workflow_id: id, ...page } })),
  ]);
  return { workflowId: id, runId: runId ?? current, name: workflow.name, jobs, files };
}
