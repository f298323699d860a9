import * as z from 'zod';
import { id, integer, maybe } from './shape.ts';

export const taskStatus = z.enum(['queued', 'running', 'succeeded', 'failed']);

/** Work that continues after the reply to its request. */
export const Task = z.object({
  id,
  workflow_id: id,
  operation: z.string(),
  status: taskStatus,
  created_at_ms: integer,
  started_at_ms: maybe(integer),
  finished_at_ms: maybe(integer),
  error: maybe(z.string()),
});
export type Task = z.output<typeof Task>;
