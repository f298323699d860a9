import type { Client } from '../client/client.ts';
import { all } from '../client/every.ts';
import { type ExitCodes, exitCodesOf } from '../core/attempt/judge.ts';
import type { Job } from '../core/contract/job.ts';
import type { JobStatus } from '../core/job/job-statuses.ts';
import type { ResourceRequirements } from '../core/contract/resources.ts';
import type { Result } from '../core/contract/result.ts';
import type { JobUse } from '../core/lifecycle/correct-resources.ts';
import { type Limits, limitsOf, type Use, useOf } from '../core/lifecycle/resource-use.ts';

/** A job with its requirements, and how it ended if it did. */
export interface UsedJob extends JobUse {
  readonly limits: Limits;
  readonly requirements: ResourceRequirements;
  readonly result: Result | undefined;
}

export interface UsedOptions {
  readonly runId?: number | undefined;
  readonly statuses?: Iterable<JobStatus | undefined>;
  /** Requirements that count in place of the stored ones, by id. */
  readonly instead?: ReadonlyMap<number, ResourceRequirements> | undefined;
}

/**
 * The jobs of a workflow with their current results, or with those of one run. `statuses`: only those jobs, for callers to whom
 * a hundred thousand completed ones say nothing.
 */
export async function usedJobs(
  client: Client,
  workflowId: number,
  { runId, statuses = [undefined], instead }: UsedOptions = {},
): Promise<UsedJob[]> {
  const query = { workflow_id: workflowId };
  const ofRun = runId === undefined ? {} : { run_id: runId, all_runs: true };
  const codes = exitCodesOf((await client.getWorkflow({ params: { id: workflowId } })).execution_config);
  const needs = await all((page) => client.listResourceRequirements({ query: { ...query, ...page } }));
  const results: Result[] = [];
  const jobs: Job[] = [];
  for (const status of statuses) {
    // At the same time: the server reads one list while this process parses the other.
    const [someResults, someJobs] = await Promise.all([
      all((page) => client.listResults({ query: { ...query, status, ...ofRun, ...page } })),
      all((page) => client.listJobs({ query: { ...query, status, ...page } })),
    ]);
    for (const each of someResults) results.push(each);
    for (const each of someJobs) jobs.push(each);
  }
  const requirements = new Map(
    needs.map((stored) => {
      const each = instead?.get(stored.id) ?? stored;
      return [stored.id, { requirements: each, limits: limitsOf(each) }];
    }),
  );
  const latest = latestOf(results);
  return jobs.flatMap((job): UsedJob[] => {
    const given = requirements.get(job.resource_requirements_id ?? 0);
    if (given === undefined) return [];
    const result = latest.get(job.id);
    return [
      {
        id: job.id,
        name: job.name,
        requirementsId: job.resource_requirements_id as number,
        isCompleted: job.status === 'completed',
        result,
        use: result === undefined ? undefined : useOfResult(result, codes),
        ...given,
      },
    ];
  });
}

/** The result of the last attempt of each job. */
function latestOf(results: readonly Result[]): ReadonlyMap<number, Result> {
  const latest = new Map<number, Result>();
  for (const result of results) {
    const before = latest.get(result.job_id);
    if (before === undefined || (before.attempt_id ?? 1) <= (result.attempt_id ?? 1)) latest.set(result.job_id, result);
  }
  return latest;
}

const useOfResult = (result: Result, codes: ExitCodes): Use =>
  useOf(
    {
      status: result.status,
      returnCode: result.return_code,
      causeCode: result.cause_code,
      seconds: result.exec_time_minutes * 60,
      peakMemoryBytes: result.peak_memory_bytes ?? undefined,
      peakCpuPercent: result.peak_cpu_percent ?? undefined,
    },
    codes,
  );
