import type { Client } from '../../client/client.ts';
import { isUnknownRoute } from '../../client/compat/unknown-route.ts';
import { usedJobs } from '../../client/used-jobs.ts';
import type { PlanUpdate } from '../../core/contract/plan-update.ts';
import { Refusal } from '../../core/contract/refusals.ts';
import type { Multipliers } from '../../core/lifecycle/resources/family-use.ts';
import { type FamilyAdvice, familyAdvice } from '../../core/lifecycle/resources/family-advice.ts';
import { type Adjustment, adjustmentsOf, type UsedJob } from '../../core/lifecycle/resources/used-jobs.ts';

interface CorrectOptions {
  readonly multipliers: Multipliers;
  /** Requirements may also be lowered. */
  readonly downsizes: boolean;
  /** Only what these jobs used counts; undefined for all. */
  readonly jobIds: readonly number[] | undefined;
}

export interface CorrectedResources {
  readonly adjustments: readonly Adjustment[];
  /** The number of jobs whose use was looked at. */
  readonly analyzed: number;
  /** Of these, those that were ended at a timeout, which nothing but a person raises. */
  readonly atTimeout: number;
  readonly families: readonly FamilyAdvice[];
  /** All jobs of the workflow. */
  readonly jobs: readonly UsedJob[];
}

/** What the resource requirements of a workflow should be, by what its jobs used. Changes nothing. */
export async function correctionsOf(
  client: Client,
  workflowId: number,
  { multipliers, downsizes, jobIds }: CorrectOptions,
): Promise<CorrectedResources> {
  const jobs = await usedJobs(client, workflowId);
  const known = new Set(jobs.map(({ id }) => id));
  const foreign = jobIds?.find((jobId) => !known.has(jobId));
  if (foreign !== undefined) throw new Refusal('JOB_ELSEWHERE', `workflow ${workflowId} has no job ${foreign}`);
  const chosen = jobIds && new Set(jobIds);
  const isChosen = (job: { readonly id: number }) => chosen === undefined || chosen.has(job.id);
  const adjustments = adjustmentsOf(jobs, { multipliers, downsizes, purpose: 'advice', isChosen });
  const analyzed = jobs.filter((job) => isChosen(job) && job.use !== undefined);
  return {
    adjustments,
    jobs,
    families: familyAdvice(jobs.filter(isChosen), adjustments, { downsizes }),
    analyzed: analyzed.length,
    atTimeout: analyzed.filter(({ use }) => use?.isAtTimeout === true).length,
  };
}

/**
 * Changes the requirements of a workflow. Where jobs get records of their own, all of it is one update, or none. A server without the route for that
 * gets them one after another, which `onSteps` hears before the first: after an interruption some jobs are moved and others not.
 */
export async function storeAdjustments(
  client: Client,
  workflowId: number,
  adjustments: readonly Adjustment[],
  onSteps: () => void = () => {},
): Promise<void> {
  // Each record is one change otherwise. A recovery that is killed between two of them has noted both.
  if (!adjustments.some(({ correction }) => correction.isSplit)) return storeSingly(client, adjustments);
  await client
    .updatePlan({ params: { id: workflowId }, query: {}, body: updateOf(adjustments) })
    .catch(async (error: unknown) => {
      // Torc's own server has no such route, nor have earlier versions of ours.
      if (!isUnknownRoute(error)) throw error;
      onSteps();
      await storeSingly(client, adjustments);
    });
}

/** A record that is new is named by its position, from -1 down. */
function updateOf(adjustments: readonly Adjustment[]): PlanUpdate {
  const [add, change]: [Body[], { id: number; record: Body }[]] = [[], []];
  const moved: NonNullable<NonNullable<PlanUpdate['jobs']>['change']> = [];
  for (const { correction, after } of adjustments) {
    const { id: _, workflow_id: __, ...record } = after;
    if (!correction.isSplit) {
      change.push({ id: correction.requirementsId, record });
      continue;
    }
    add.push(record);
    for (const { id } of correction.sharing)
      moved.push({ id, runs_again: false, resource_requirements_id: -add.length });
  }
  return { resource_requirements: { add, change }, ...(moved.length === 0 ? {} : { jobs: { change: moved } }) };
}

type Body = Omit<Adjustment['after'], 'id' | 'workflow_id'>;

/** Jobs that are moved to other requirements at the same time. */
const TOGETHER = 32;

async function storeSingly(client: Client, adjustments: readonly Adjustment[]): Promise<void> {
  for (const { correction, after } of adjustments) {
    const { requirementsId, isSplit, sharing } = correction;
    if (!isSplit) {
      await client.updateResourceRequirements({ params: { id: requirementsId }, body: after });
      continue;
    }
    const { id: _, ...body } = after;
    const { id: own } = await client.createResourceRequirements({ body });
    for (let at = 0; at < sharing.length; at += TOGETHER)
      await Promise.all(sharing.slice(at, at + TOGETHER).map(({ id }) => moveJob(client, id, own)));
  }
}

async function moveJob(client: Client, id: number, requirementsId: number): Promise<void> {
  const { name, command, workflow_id } = await client.getJob({ params: { id } });
  // Torc's own server requires these three in every update.
  await client.updateJob({
    params: { id },
    body: { name, command, workflow_id, resource_requirements_id: requirementsId },
  });
}
