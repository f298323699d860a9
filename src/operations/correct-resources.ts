import type { Client } from '../client/client.ts';
import type { JobStatus } from '../core/job/job-statuses.ts';
import { Refusal } from '../core/contract/refusals.ts';
import type { ResourceRequirements } from '../core/contract/resources.ts';
import { type Correction, correctResources, type Multipliers } from '../core/lifecycle/correct-resources.ts';
import { formatMemory } from '../core/quantity/bytes.ts';
import { formatRuntime } from '../core/quantity/duration.ts';
import { type UsedOptions, usedJobs } from './resource-use.ts';

interface CorrectOptions {
  readonly multipliers: Multipliers;
  /** Requirements may also be lowered. */
  readonly downsizes: boolean;
  /** Only what these jobs used counts; undefined for all. */
  readonly jobIds: readonly number[] | undefined;
  /** Only jobs in these statuses are looked at. Jobs that completed matter only where requirements are lowered. */
  readonly statuses?: Iterable<JobStatus> | undefined;
  /** Requirements that count in place of the stored ones, by id. */
  readonly instead?: UsedOptions['instead'];
  /** Nothing is changed on the server. */
  readonly isDryRun: boolean;
}

export interface Adjustment {
  readonly correction: Correction;
  readonly before: ResourceRequirements;
  readonly after: ResourceRequirements;
}

export interface CorrectedResources {
  readonly adjustments: readonly Adjustment[];
  /** The number of jobs whose use was looked at. */
  readonly analyzed: number;
}

/** Changes the resource requirements of a workflow to what its jobs used. */
export async function correctWorkflow(
  client: Client,
  workflowId: number,
  { multipliers, downsizes, jobIds, statuses, instead, isDryRun }: CorrectOptions,
): Promise<CorrectedResources> {
  const jobs = await usedJobs(client, workflowId, { ...(statuses === undefined ? {} : { statuses }), instead });
  const known = new Set(jobs.map(({ id }) => id));
  const foreign = jobIds?.find((jobId) => !known.has(jobId));
  if (foreign !== undefined) throw new Refusal('JOB_ELSEWHERE', `workflow ${workflowId} has no job ${foreign}`);
  const chosen = jobIds && new Set(jobIds);
  const isChosen = (job: { readonly id: number }) => chosen === undefined || chosen.has(job.id);
  const limits = new Map(jobs.map((job) => [job.requirementsId, job.limits]));
  const requirements = new Map(jobs.map((job) => [job.requirementsId, job.requirements]));
  const corrections = correctResources(limits, jobs, multipliers, { downsizes, isChosen });
  const adjustments = corrections.map((correction): Adjustment => {
    const before = requirements.get(correction.requirementsId) as ResourceRequirements;
    return { correction, before, after: corrected(before, correction) };
  });
  if (!isDryRun) {
    for (const { correction, after } of adjustments)
      await client.updateResourceRequirements({ params: { id: correction.requirementsId }, body: after });
  }
  return { adjustments, analyzed: jobs.filter((job) => isChosen(job) && job.use !== undefined).length };
}

function corrected(before: ResourceRequirements, correction: Correction): ResourceRequirements {
  const { memoryBytes, numCpus, runtimeSeconds } = correction;
  return {
    ...before,
    ...(memoryBytes === undefined ? {} : { memory: formatMemory(memoryBytes) }),
    ...(numCpus === undefined ? {} : { num_cpus: numCpus }),
    ...(runtimeSeconds === undefined ? {} : { runtime: formatRuntime(runtimeSeconds) }),
  };
}
