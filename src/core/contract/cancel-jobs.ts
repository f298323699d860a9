import * as z from 'zod';
import { MOST_CANCELED_AT_ONCE } from '../job/job-statuses.ts';
import { id, text } from './shape.ts';

/** Cancels these jobs of a workflow (an addition to Torc 1.0.0). */
export const CancelJobs = z.object({ job_ids: z.array(id).min(1).max(MOST_CANCELED_AT_ONCE) });

/**
 * What became of the jobs. `ending_job_ids` are those of the canceled ones whose processes a runner still has to end.
 * `dependent_job_ids` were canceled with them; where there are very many, the rest of them follows.
 */
export const CanceledJobs = z.object({
  canceled_job_ids: z.array(id),
  ending_job_ids: z.array(id),
  dependent_job_ids: z.array(id),
  refused: z.array(z.object({ job_id: id, message: text })),
});
export type CanceledJobs = z.output<typeof CanceledJobs>;
