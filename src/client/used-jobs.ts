import type { JobStatus } from '../core/job/job-statuses.ts';
import { type UsedJob, usedJobsOf } from '../core/lifecycle/resources/used-jobs.ts';
import type { Client } from './client.ts';
import { all } from './every.ts';

interface UsedOptions {
  readonly runId?: number | undefined;
  readonly status?: JobStatus | undefined;
}

/** The jobs of a workflow, or those with one status, with their current results, or with those of one run. */
export async function usedJobs(
  client: Client,
  workflowId: number,
  { runId, status }: UsedOptions = {},
): Promise<UsedJob[]> {
  const query = { workflow_id: workflowId };
  const ofRun = runId === undefined ? {} : { run_id: runId, all_runs: true };
  // At the same time: the server reads one list while this process parses the other.
  const [workflow, requirements, results, jobs] = await Promise.all([
    client.getWorkflow({ params: { id: workflowId } }),
    all((page) => client.listResourceRequirements({ query: { ...query, ...page } })),
    all((page) => client.listResults({ query: { ...query, status, ...ofRun, ...page } })),
    all((page) => client.listJobs({ query: { ...query, status, ...page } })),
  ]);
  return usedJobsOf({ jobs, results, requirements, execution: workflow.execution_config });
}
