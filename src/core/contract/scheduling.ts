import * as z from 'zod';
import { id, json, maybe, text } from './shape.ts';

/** How to ask Slurm for an allocation. */
export const SlurmScheduler = z.object({
  id: maybe(id),
  workflow_id: id,
  name: maybe(text),
  account: text,
  nodes: z.int(),
  walltime: text,
  gres: maybe(text),
  mem: maybe(text),
  ntasks_per_node: maybe(z.int()),
  partition: maybe(text),
  qos: maybe(text),
  tmp: maybe(text),
  extra: maybe(text),
  serialize_allocations: maybe(z.boolean()),
});
export type SlurmScheduler = z.output<typeof SlurmScheduler>;

/** Rules for jobs that fail. `rules` is JSON text, not an array. */
export const FailureHandler = z.object({
  id: maybe(id),
  workflow_id: id,
  name: text,
  rules: text,
});
export type FailureHandler = z.output<typeof FailureHandler>;

/** What came of an action that a runner claimed; `not_started` arms it again. */
export const actionOutcome = z.enum(['done', 'failed', 'not_started']);
export type ActionOutcome = z.output<typeof actionOutcome>;

/**
 * What the ledger of a lost runner says of the actions that it claimed. Without `begun` (the ledger lacks some) all that did
 * not finish count as begun.
 */
export const LostActions = z.object({ begun: maybe(z.array(id)), finished: maybe(z.array(id)) });
export type LostActions = z.output<typeof LostActions>;

/** Something that a runner does when a workflow or some of its jobs reach a point. */
export const WorkflowAction = z.object({
  id: maybe(id),
  workflow_id: id,
  trigger_type: text,
  action_type: text,
  action_config: json,
  job_ids: maybe(z.array(id)),
  trigger_count: maybe(z.int()),
  required_triggers: maybe(z.int()),
  executed: maybe(z.boolean()),
  executed_at: maybe(text),
  executed_by: maybe(id),
  persistent: maybe(z.boolean()),
  is_recovery: maybe(z.boolean()),
  /**
   * ours: what came of it, where a runner of ours claimed it: `open` until the runner tells; `interrupted` when the runner was
   * lost after the commands began. Absent where nobody told.
   */
  state: maybe(z.enum(['open', 'done', 'failed', 'interrupted'])),
});
export type WorkflowAction = z.output<typeof WorkflowAction>;
