import * as z from 'zod';
import { Need } from './exchange.ts';
import { id, integer, maybe } from './shape.ts';
import { LimitInUse } from './waiting-limit.ts';

/** What bounds the jobs of a workflow, and what those that wait would hold (addition). */
export const WorkflowLimits = z.object({
  /** Of the workflow, of each user, and of the server. */
  limits: z.array(LimitInUse.omit({ needs: true })),
  /** Jobs that wait and hold licenses, by what they need and the scheduler that they are bound to. */
  licensed: z.array(z.object({ scheduler_id: maybe(id), jobs: integer, need: Need })),
});
export type WorkflowLimits = z.output<typeof WorkflowLimits>;
