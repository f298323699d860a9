import { exitCodesOf } from '../../attempt/judge.ts';
import type { Job } from '../../contract/job.ts';
import type { ResourceRequirements } from '../../contract/resources.ts';
import type { Result } from '../../contract/result.ts';
import type { ExecutionConfig } from '../../contract/workflow.ts';
import { timeoutOf } from '../../attempt/timeout.ts';
import { formatMemory } from '../../quantity/bytes.ts';
import { formatRuntime } from '../../quantity/duration.ts';
import { type Correction, correctResources, type JobUse, type Multipliers } from './correct-resources.ts';
import { type Limits, limitsOf, useOf } from './resource-use.ts';

/** A job with its requirements, and how it ended if it did. */
export interface UsedJob extends JobUse {
  readonly limits: Limits;
  readonly requirements: ResourceRequirements;
  readonly result: Result | undefined;
}

interface JobRecords {
  readonly jobs: readonly Job[];
  readonly results: readonly Result[];
  readonly requirements: readonly ResourceRequirements[];
  readonly execution: ExecutionConfig | null | undefined;
}

/** These jobs with the results of their last attempts. */
export function usedJobsOf({ jobs, results, requirements, execution }: JobRecords): UsedJob[] {
  const codes = exitCodesOf(execution);
  const needs = new Map(requirements.map((each) => [each.id, { requirements: each, limits: limitsOf(each) }]));
  const latest = new Map<number, Result>();
  for (const result of results) {
    const before = latest.get(result.job_id);
    if (before === undefined || (before.attempt_id ?? 1) <= (result.attempt_id ?? 1)) latest.set(result.job_id, result);
  }
  return jobs.flatMap((job): UsedJob[] => {
    const requirementsId = job.resource_requirements_id ?? 0;
    const given = needs.get(requirementsId);
    if (given === undefined) return [];
    const result = latest.get(job.id);
    const use =
      result &&
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
        timeoutOf(job, execution ?? {}, () => requestedSecondsOf(given)),
      );
    return [
      { id: job.id, name: job.name, requirementsId, isCompleted: job.status === 'completed', result, use, ...given },
    ];
  });
}

/** The default requirements limit nothing. */
const requestedSecondsOf = ({ requirements, limits }: Pick<UsedJob, 'requirements' | 'limits'>): number | undefined =>
  requirements.name === 'default' ? undefined : limits.runtimeSeconds;

/** A change of a requirements record. */
export interface Adjustment {
  readonly correction: Correction;
  readonly before: ResourceRequirements;
  readonly after: ResourceRequirements;
}

interface AdjustOptions {
  readonly multipliers: Multipliers;
  /** Requirements may also be lowered. */
  readonly downsizes: boolean;
  readonly isChosen: (job: { readonly id: number }) => boolean;
}

/** The requirements of these jobs that change to what the chosen ones used. */
export function adjustmentsOf(
  jobs: readonly UsedJob[],
  { multipliers, downsizes, isChosen }: AdjustOptions,
): Adjustment[] {
  const limits = new Map(jobs.map((job) => [job.requirementsId, job.limits]));
  const requirements = new Map(jobs.map((job) => [job.requirementsId, job.requirements]));
  return correctResources(limits, jobs, multipliers, { downsizes, isChosen }).map((correction) => {
    const before = requirements.get(correction.requirementsId) as ResourceRequirements;
    const { memoryBytes, numCpus, runtimeSeconds } = correction;
    const after = {
      ...before,
      ...(memoryBytes === undefined ? {} : { memory: formatMemory(memoryBytes) }),
      ...(numCpus === undefined ? {} : { num_cpus: numCpus }),
      ...(runtimeSeconds === undefined ? {} : { runtime: formatRuntime(runtimeSeconds) }),
    };
    return { correction, before, after };
  });
}
