import * as z from 'zod';
import { ScheduledComputeNode } from './allocation.ts';
import { obstacleReasons } from './obstacle-reasons.ts';
import { flag, id, integer, maybe, text } from './shape.ts';

export type { ObstacleReason } from './obstacle-reasons.ts';

/** Ready jobs that no runner can take, for one reason, with an example: its requirements and the runner's resources. */
export const UnclaimableJobs = z.object({
  reason: z.enum(obstacleReasons),
  jobs: integer,
  job_id: id,
  job_name: text,
  needs: text,
  has: text,
  /** The Slurm scheduler whose allocations were compared. */
  scheduler: maybe(text),
});
export type UnclaimableJobs = z.output<typeof UnclaimableJobs>;

/** Ready jobs that none of these runners can ever take (addition). */
export const Unclaimable = z.object({
  workflow_id: id,
  compute_node_ids: z.array(id),
  ready_jobs: integer,
  unclaimable_jobs: integer,
  reasons: z.array(UnclaimableJobs),
  /** Could one of the runners take a job of this workflow, now or later? True where that is not certain. */
  may_take: flag,
  /** Planned and queued allocations for which no work is left or to come. */
  unneeded_allocations: z.array(ScheduledComputeNode),
});
export type Unclaimable = z.output<typeof Unclaimable>;
