import * as z from 'zod';
import { id, integer, text } from './shape.ts';

/** Whose jobs a limit counts together. */
const limitScopes = ['workflow', 'user', 'server', 'allocation'] as const;
export type LimitScope = (typeof limitScopes)[number];

/** A limit that keeps ready jobs from being claimed (addition): more than `most` of it would be held. */
export const LimitInUse = z.object({
  /** Whose jobs are counted together. */
  scope: z.enum(limitScopes),
  name: text,
  most: integer,
  /** What runners hold of it now, and what such a job would hold. */
  held: integer,
  needs: integer,
});
export type LimitInUse = z.output<typeof LimitInUse>;

/** The same with those who hold it. */
export const WaitingLimit = LimitInUse.extend({
  /** The first jobs that hold some of it, the number of others that the caller may see, and that of other users. */
  holders: z.array(z.object({ job_id: id, job_name: text, workflow_id: id })),
  others: integer,
  hidden: integer,
});
export type WaitingLimit = z.output<typeof WaitingLimit>;

/** A limit with the number of ready jobs of a workflow that wait for it. */
export const LimitedJobs = WaitingLimit.extend({ jobs: integer });
export type LimitedJobs = z.output<typeof LimitedJobs>;
