import type { Client } from '../../client/client.ts';
import { Refusal } from '../../core/contract/refusals.ts';
import type { Multipliers } from '../../core/lifecycle/resources/family-use.ts';
import { type FamilyAdvice, familyAdvice } from '../../core/lifecycle/resources/family-advice.ts';
import { type Adjustment, adjustmentsOf } from '../../core/lifecycle/resources/used-jobs.ts';
import { usedJobs } from './resource-use.ts';

interface CorrectOptions {
  readonly multipliers: Multipliers;
  /** Requirements may also be lowered. */
  readonly downsizes: boolean;
  /** Only what these jobs used counts; undefined for all. */
  readonly jobIds: readonly number[] | undefined;
  /** Nothing is changed on the server. */
  readonly isDryRun: boolean;
}

export interface CorrectedResources {
  readonly adjustments: readonly Adjustment[];
  /** The number of jobs whose use was looked at. */
  readonly analyzed: number;
  /** Of these, those that were ended at a timeout, which nothing but a person raises. */
  readonly atTimeout: number;
  readonly families: readonly FamilyAdvice[];
}

/** Changes the resource requirements of a workflow to what its jobs used. */
export async function correctWorkflow(
  client: Client,
  workflowId: number,
  { multipliers, downsizes, jobIds, isDryRun }: CorrectOptions,
): Promise<CorrectedResources> {
  const jobs = await usedJobs(client, workflowId);
  const known = new Set(jobs.map(({ id }) => id));
  const foreign = jobIds?.find((jobId) => !known.has(jobId));
  if (foreign !== undefined) throw new Refusal('JOB_ELSEWHERE', `workflow ${workflowId} has no job ${foreign}`);
  const chosen = jobIds && new Set(jobIds);
  const isChosen = (job: { readonly id: number }) => chosen === undefined || chosen.has(job.id);
  const adjustments = adjustmentsOf(jobs, { multipliers, downsizes, purpose: 'advice', isChosen });
  if (!isDryRun) await storeAdjustments(client, adjustments);
  const analyzed = jobs.filter((job) => isChosen(job) && job.use !== undefined);
  return {
    adjustments,
    families: familyAdvice(jobs.filter(isChosen), adjustments, { downsizes }),
    analyzed: analyzed.length,
    atTimeout: analyzed.filter(({ use }) => use?.isAtTimeout === true).length,
  };
}

/** Jobs that are moved to other requirements at the same time. */
const TOGETHER = 32;

export async function storeAdjustments(client: Client, adjustments: readonly Adjustment[]): Promise<void> {
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
