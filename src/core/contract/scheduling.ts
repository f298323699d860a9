import * as z from 'zod';
import { id, json, maybe } from './shape.ts';

/** How to ask Slurm for an allocation. */
export const SlurmScheduler = z.object({
  id: maybe(id),
  workflow_id: id,
  name: maybe(z.string()),
  account: z.string(),
  nodes: z.int(),
  walltime: z.string(),
  gres: maybe(z.string()),
  mem: maybe(z.string()),
  ntasks_per_node: maybe(z.int()),
  partition: maybe(z.string()),
  qos: maybe(z.string()),
  tmp: maybe(z.string()),
  extra: maybe(z.string()),
  serialize_allocations: maybe(z.boolean()),
});
export type SlurmScheduler = z.output<typeof SlurmScheduler>;

/** Rules for jobs that fail. `rules` is JSON text, not an array. */
export const FailureHandler = z.object({
  id: maybe(id),
  workflow_id: id,
  name: z.string(),
  rules: z.string(),
});
export type FailureHandler = z.output<typeof FailureHandler>;

/** Something that a runner does when a workflow or some of its jobs reach a point. */
export const WorkflowAction = z.object({
  id: maybe(id),
  workflow_id: id,
  trigger_type: z.string(),
  action_type: z.string(),
  action_config: json,
  job_ids: maybe(z.array(id)),
  trigger_count: maybe(z.int()),
  required_triggers: maybe(z.int()),
  executed: maybe(z.boolean()),
  executed_at: maybe(z.string()),
  executed_by: maybe(id),
  persistent: maybe(z.boolean()),
  is_recovery: maybe(z.boolean()),
});
export type WorkflowAction = z.output<typeof WorkflowAction>;
