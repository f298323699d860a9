import type { ResourceRequirements } from '../../contract/resources.ts';
import { counted } from '../../quantity/count-text.ts';
import { greatest } from '../../quantity/extremes.ts';
import { alikeOf } from '../../text/alike.ts';
import { FEWEST_JOBS, SAVED_RUNTIME_SECONDS } from './correct-resources.ts';
import { busyPercentOf, LEAST_DIFFERENCE, SHORTEST_FOR_CPUS_SECONDS, type Use } from './resource-use.ts';
import { USUAL_MULTIPLIERS } from './family-use.ts';
import { type Adjustment, adjustmentsOf, type UsedJob } from './used-jobs.ts';

/** How much the jobs of a family used of something. */
export interface UseSpread {
  /** The jobs that were measured. */
  readonly jobs: number;
  readonly median: number;
  readonly most: number;
}

interface CoreHours {
  /** The time of the jobs with the CPUs that they asked for. */
  readonly asked: number;
  /** What kept CPUs busy; undefined if nothing was measured. */
  readonly used: number | undefined;
  /** What the advice saves; negative if it costs more. */
  readonly saved: number;
}

/** Jobs that share requirements and whose names differ only in numbers, with what they should ask for. */
export interface FamilyAdvice {
  readonly name: string;
  readonly jobs: number;
  readonly ended: number;
  readonly asked: ResourceRequirements;
  readonly advised: ResourceRequirements;
  readonly seconds: UseSpread | undefined;
  readonly memoryBytes: UseSpread | undefined;
  /** 100 is one core, over the life of a job. */
  readonly cpuPercent: UseSpread | undefined;
  /** On all its cards together. No request names it: it says which cards have room for these jobs. */
  readonly gpuMemoryBytes: UseSpread | undefined;
  /** The memory of the cards of the job that used most of it; undefined if it is not known. */
  readonly gpuBytes: number | undefined;
  readonly coreHours: CoreHours;
  /** Why nothing changes; undefined if something does. */
  readonly unchangedBecause: string | undefined;
}

/** The advice for all jobs of a workflow where no option says otherwise. */
export function usualAdvice(jobs: readonly UsedJob[]) {
  const adjustments = adjustmentsOf(jobs, {
    multipliers: USUAL_MULTIPLIERS,
    downsizes: true,
    purpose: 'advice',
    isChosen: () => true,
  });
  return { adjustments, families: familyAdvice(jobs, adjustments, { downsizes: true }) };
}

/** What each family of jobs used, asked for, and should ask for. */
export function familyAdvice(
  jobs: readonly UsedJob[],
  adjustments: readonly Adjustment[],
  { downsizes }: { readonly downsizes: boolean },
): FamilyAdvice[] {
  const adjustmentOf = new Map(
    adjustments.flatMap((adjustment) => adjustment.correction.sharing.map(({ id }) => [id, adjustment] as const)),
  );
  return [...Map.groupBy(jobs, ({ requirementsId }) => requirementsId).values()].flatMap((sharing) =>
    alikeOf(
      sharing,
      ({ name }) => name,
      () => '',
    ).map(({ name, items }): FamilyAdvice => {
      const [first] = items as readonly [UsedJob];
      const adjustment = adjustmentOf.get(first.id);
      const advised = adjustment?.after ?? first.requirements;
      const uses = items.flatMap(({ use }) => use ?? []);
      return {
        name,
        jobs: items.length,
        ended: uses.length,
        asked: first.requirements,
        advised,
        seconds: spreadOf(uses.map(({ seconds }) => seconds)),
        memoryBytes: spreadOf(uses.map(({ peakMemoryBytes }) => peakMemoryBytes)),
        cpuPercent: spreadOf(uses.map((use) => use.meanCpuPercent || busyPercentOf(use))),
        gpuMemoryBytes: spreadOf(uses.map(({ peakGpuBytes }) => peakGpuBytes ?? undefined)),
        gpuBytes: uses.reduce<Use | undefined>(withMoreGpu, undefined)?.gpuBytes ?? undefined,
        coreHours: coreHoursOf(items, advised),
        unchangedBecause: adjustment === undefined ? reasonOf(items, sharing, downsizes) : undefined,
      };
    }),
  );
}

function spreadOf(values: readonly (number | undefined)[]): UseSpread | undefined {
  const sorted = values.filter((value) => value !== undefined && value > 0).toSorted((a, b) => (a ?? 0) - (b ?? 0));
  const [low, high] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  if (low === undefined || high === undefined) return undefined;
  return { jobs: sorted.length, median: (low + high) / 2, most: sorted.at(-1) as number };
}

/** Of two jobs the one that had more memory on GPUs. */
export const withMoreGpu = <Job extends Pick<Use, 'peakGpuBytes'>>(one: Job | undefined, other: Job): Job | undefined =>
  (other.peakGpuBytes ?? 0) > (one?.peakGpuBytes ?? 0) ? other : one;

const HOUR = 3_600;

function coreHoursOf(jobs: readonly UsedJob[], advised: ResourceRequirements): CoreHours {
  const hours = (of: (job: UsedJob) => number) => jobs.reduce((sum, job) => sum + of(job), 0) / HOUR;
  const seconds = hours(({ use }) => use?.seconds ?? 0);
  const asked = hours(({ use, requirements }) => (use?.seconds ?? 0) * (requirements.num_cpus ?? 1));
  const used = hours(({ use }) => ((use?.seconds ?? 0) * (use?.meanCpuPercent ?? 0)) / 100);
  return { asked, used: used > 0 ? used : undefined, saved: asked - seconds * (advised.num_cpus ?? 1) };
}

/** Why requirements stay as they are for a family. */
function reasonOf(jobs: readonly UsedJob[], sharing: readonly UsedJob[], downsizes: boolean): string {
  const uses = jobs.flatMap(({ use }) => use ?? []);
  const isFew = sharing.length < FEWEST_JOBS;
  if (jobs[0]?.requirements.name === 'default') return 'they asked for nothing, and nothing limits them';
  if (uses.length === 0) return 'none of them has ended';
  if (!sharing.every(({ isCompleted, use }) => isCompleted && use?.isSuccess === true))
    return 'not all jobs with these requirements completed';
  if (isFew) return `${counted(sharing.length, 'job says', 'jobs say')} too little: ${FEWEST_JOBS} are needed`;
  if (!uses.some(({ peakMemoryBytes }) => peakMemoryBytes)) return 'what they used was not measured';
  const difference = downsizes
    ? `no difference is large enough: ${LEAST_DIFFERENCE * 100} %, ${SAVED_RUNTIME_SECONDS / 60} min of time, ${FEWEST_JOBS} jobs for more CPUs`
    : 'no job lacked memory or time, and --no-downsize lowers nothing';
  return greatest(uses.map(({ seconds }) => seconds)) < SHORTEST_FOR_CPUS_SECONDS
    ? `${difference}; jobs shorter than ${SHORTEST_FOR_CPUS_SECONDS} s say nothing of CPUs`
    : difference;
}

/** Why no requirements of a workflow change, as one sentence; undefined if some do. */
export function nothingBecause(families: readonly FamilyAdvice[]): string | undefined {
  if (families.length === 0) return 'it has no jobs';
  if (families.some(({ unchangedBecause }) => unchangedBecause === undefined)) return undefined;
  const byReason = Map.groupBy(families, ({ unchangedBecause }) => unchangedBecause as string);
  const reasons = [...byReason].toSorted(([, a], [, b]) => jobsIn(b) - jobsIn(a)).map(([reason]) => reason);
  return reasons.slice(0, MOST_REASONS).join('; and ');
}

const MOST_REASONS = 3;
const jobsIn = (families: readonly FamilyAdvice[]) => families.reduce((sum, { jobs }) => sum + jobs, 0);
