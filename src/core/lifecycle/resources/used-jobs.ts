import { exitCodesOf } from '../../attempt/judge.ts';
import type { Job } from '../../contract/job.ts';
import type { ResourceRequirements } from '../../contract/resources.ts';
import type { Result } from '../../contract/result.ts';
import type { ExecutionConfig } from '../../contract/workflow.ts';
import { timeoutOf } from '../../attempt/timeout.ts';
import { formatMemory } from '../../quantity/bytes.ts';
import { counted } from '../../quantity/count-text.ts';
import { formatDuration, formatRuntime } from '../../quantity/duration.ts';
import { sizeTexts } from '../../quantity/size-text.ts';
import { type Correction, correctResources } from './correct-resources.ts';
import type { JobUse, Multipliers, Purpose } from './family-use.ts';
import { raisedName } from '../retry/cause-verdict.ts';
import { type Limits, limitsOf, limitsOfUse, useOf } from './resource-use.ts';

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
  const needs = new Map(
    requirements.map((each) => [each.id, { requirements: each, limits: limitsOfUse(each, limitsOf(each)) }]),
  );
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
          meanCpuPercent: result.avg_cpu_percent ?? undefined,
          peakGpuBytes: result.peak_gpu_memory_bytes,
          gpuBytes: result.gpu_memory_bytes,
        },
        codes,
        timeoutOf(job, execution ?? {}, () => given.limits.runtimeSeconds),
      );
    return [
      { id: job.id, name: job.name, requirementsId, isCompleted: job.status === 'completed', result, use, ...given },
    ];
  });
}

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
  readonly purpose: Purpose;
  readonly isChosen: (job: { readonly id: number }) => boolean;
}

/** The requirements of these jobs that change to what the chosen ones used. */
export function adjustmentsOf(
  all: readonly UsedJob[],
  { multipliers, downsizes, purpose, isChosen }: AdjustOptions,
): Adjustment[] {
  // The default requirements limit nothing, and a raise of them changes nothing.
  const jobs = all.filter(({ requirements: { name } }) => name !== 'default');
  const limits = new Map(jobs.map((job) => [job.requirementsId, job.limits]));
  const requirements = new Map(jobs.map((job) => [job.requirementsId, job.requirements]));
  const names = new Set(all.map(({ requirements: { name } }) => name));
  return correctResources(limits, jobs, multipliers, { downsizes, purpose, isChosen }).map((correction) => {
    const before = requirements.get(correction.requirementsId) as ResourceRequirements;
    const { memoryBytes, numCpus, runtimeSeconds } = correction;
    const after = {
      ...before,
      ...(memoryBytes === undefined ? {} : { memory: formatMemory(memoryBytes) }),
      ...(numCpus === undefined ? {} : { num_cpus: numCpus }),
      ...(runtimeSeconds === undefined ? {} : { runtime: formatRuntime(runtimeSeconds) }),
    };
    return { correction, before, after: correction.isSplit ? { ...after, name: newNameOf(after, names) } : after };
  });
}

/** As a failure handler names requirements that it raises: an update of the workflow's file leaves those as they are. */
function newNameOf({ name, memory, runtime }: ResourceRequirements, taken: Set<string>): string {
  const wanted = raisedName(name, memory ?? '', runtime ?? '');
  let free = wanted;
  for (let number = 2; taken.has(free); number += 1) free = `${wanted}_${number}`;
  taken.add(free);
  return free;
}

/** The cause of a result, with what the next attempt gets. */
export interface RaisedResult {
  readonly resultId: number;
  readonly cause: string;
}

/** What the results of these jobs say of adjustments that were made for them; one that says it already is left out. */
export function raisedResults(adjustments: readonly Adjustment[], jobs: readonly UsedJob[]): RaisedResult[] {
  const results = new Map(jobs.map(({ id, result }) => [id, result]));
  return adjustments.flatMap((adjustment) => {
    const words = raiseWords(adjustment);
    return adjustment.correction.jobs.flatMap(({ id }) => {
      const { id: resultId, cause } = results.get(id) ?? {};
      if (resultId === undefined || cause?.endsWith(words) === true) return [];
      return [{ resultId, cause: cause ? `${cause}; ${words}` : words }];
    });
  });
}

/** As a failure handler says it: `it had 200 MiB; the next attempt has 300 MiB (recovery)`. */
function raiseWords({ correction, before, after }: Adjustment): string {
  const [had, has] = [limitsOf(before), limitsOf(after)];
  const raised = [
    ...(correction.memoryBytes === undefined ? [] : [sizeTexts(had.memoryBytes, has.memoryBytes)]),
    ...(correction.numCpus === undefined ? [] : [[had, has].map(({ numCpus }) => counted(numCpus, 'CPU'))]),
    ...(correction.runtimeSeconds === undefined
      ? []
      : [[had, has].map(({ runtimeSeconds = 0 }) => formatDuration(runtimeSeconds))]),
  ];
  const [then, next] = [0, 1].map((at) => raised.map((texts) => texts[at]).join(', '));
  return `it had ${then}; the next attempt has ${next} (recovery)`;
}
