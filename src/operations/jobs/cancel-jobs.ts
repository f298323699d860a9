import type { Client } from '../../client/client.ts';
import { isUnknownRoute } from '../../client/compat/unknown-route.ts';
import type { CanceledJobs } from '../../core/contract/cancel-jobs.ts';
import type { Job } from '../../core/contract/job.ts';
import { MOST_CANCELED_AT_ONCE } from '../../core/job/job-statuses.ts';
import { Refusal } from '../../core/contract/refusals.ts';
import { CANCELABLE, isOneOf } from '../../core/job/statuses.ts';
import type { SelectedJobs } from './reset-jobs.ts';

/** Cancels these jobs of a workflow, in requests of a thousand; a job that is refused keeps no other from being canceled. */
export async function cancelJobs(
  client: Client,
  { workflowId, jobs }: { readonly workflowId: number; readonly jobs: readonly Pick<Job, 'id'>[] },
): Promise<CanceledJobs> {
  const all: CanceledJobs = { canceled_job_ids: [], ending_job_ids: [], dependent_job_ids: [], refused: [] };
  const ids = jobs.map(({ id }) => id);
  for (let at = 0; at < ids.length; at += MOST_CANCELED_AT_ONCE) {
    const body = { job_ids: ids.slice(at, at + MOST_CANCELED_AT_ONCE) };
    const reply = await client.cancelJobs({ params: { id: workflowId }, body }).catch(notThere);
    for (const key of ['canceled_job_ids', 'ending_job_ids', 'dependent_job_ids'] as const)
      for (const id of reply[key]) all[key].push(id);
    for (const each of reply.refused) all.refused.push(each);
  }
  // A job may be selected and depend on another that is: it was canceled with that one.
  const canceledBefore = new Set(all.dependent_job_ids);
  return { ...all, refused: all.refused.filter(({ job_id: id }) => !canceledBefore.has(id)) };
}

function notThere(error: unknown): never {
  if (!isUnknownRoute(error)) throw error;
  const message = 'this server cannot cancel single jobs, as Torc 1.0.0; torc cancel cancels a whole workflow';
  throw new Refusal('ROUTE_UNKNOWN', message, {}, { cause: error });
}

/** Of jobs that were selected by a rule, those that have not ended. */
export const notEnded = ({ workflowId, jobs }: SelectedJobs, match: RegExp | undefined): SelectedJobs => ({
  workflowId,
  jobs: jobs.filter((job: Job) => !isOver(job) && (match === undefined || match.test(job.name))),
});

const isOver = ({ status }: Job): boolean => !isOneOf(CANCELABLE, status);
