import * as z from 'zod';
import { flag, id, integer, json, maybe, text } from './shape.ts';

/**
 * A job that a running job adds. It waits for that job, and for the jobs that it names: new ones of the same request,
 * or existing ones.
 */
export const SpawnJob = z.strictObject({
  name: text,
  command: text,
  resource_requirements: maybe(text),
  depends_on: maybe(z.array(text)),
  cancel_on_blocking_job_failure: maybe(flag),
  priority: maybe(integer),
  labels: maybe(z.array(text)),
});
export type SpawnJob = z.output<typeof SpawnJob>;

/**
 * `lineage` defaults to the caller's name; `state` is stored for the next generation, or as the last one if no jobs are
 * added.
 */
export const SpawnRequest = z.strictObject({
  jobs: z.array(SpawnJob),
  lineage: maybe(text),
  state: json.optional(),
});
export type SpawnRequest = z.output<typeof SpawnRequest>;

/** Ids in the order of the request; `iteration` is the number of generations of the lineage. */
export const SpawnReply = z.object({ spawned_job_ids: z.array(id), iteration: integer });
export type SpawnReply = z.output<typeof SpawnReply>;
