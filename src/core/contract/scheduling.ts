import * as z from 'zod';
import { flag, id, integer, json, maybe, stored, text } from './shape.ts';

/** addition: what a request to PBS has that one to Slurm has not. The queue stands in `partition`, options of qsub in `extra`. */
const PbsRequest = z.object({ project: maybe(text), select: maybe(text), place: maybe(text) });

/** The parameters of an allocation request to Slurm, or with `pbs` to PBS. */
export const NewSlurmScheduler = z.object({
  id: maybe(id),
  workflow_id: id,
  name: maybe(text),
  account: text,
  nodes: integer,
  walltime: text,
  gres: maybe(text),
  mem: maybe(text),
  ntasks_per_node: maybe(integer),
  partition: maybe(text),
  qos: maybe(text),
  tmp: maybe(text),
  extra: maybe(text),
  serialize_allocations: maybe(flag),
  pbs: maybe(PbsRequest),
});
export type NewSlurmScheduler = z.output<typeof NewSlurmScheduler>;
export const SlurmScheduler = stored(NewSlurmScheduler);
export type SlurmScheduler = z.output<typeof SlurmScheduler>;

/** Rules for jobs that fail. `rules` is JSON text, not an array. */
export const NewFailureHandler = z.object({
  id: maybe(id),
  workflow_id: id,
  name: text,
  rules: text,
});
export type NewFailureHandler = z.output<typeof NewFailureHandler>;
export const FailureHandler = stored(NewFailureHandler);
export type FailureHandler = z.output<typeof FailureHandler>;

/** The outcome of an action that a runner claimed; `not_started` makes it available again. */
export const actionOutcome = z.enum(['done', 'failed', 'not_started']);
export type ActionOutcome = z.output<typeof actionOutcome>;

/**
 * The ledger entries of a lost runner about the actions that it claimed. Without `begun` (the ledger is incomplete) all
 * actions that did not finish count as begun.
 */
export const LostActions = z.object({ begun: maybe(z.array(id)), finished: maybe(z.array(id)) });
export type LostActions = z.output<typeof LostActions>;

/** An action that a runner executes when a workflow or some of its jobs reach a state. */
export const NewWorkflowAction = z.object({
  id: maybe(id),
  workflow_id: id,
  trigger_type: text,
  action_type: text,
  action_config: json,
  job_ids: maybe(z.array(id)),
  trigger_count: maybe(integer),
  required_triggers: maybe(integer),
  executed: maybe(flag),
  executed_at: maybe(text),
  executed_by: maybe(id),
  persistent: maybe(flag),
  is_recovery: maybe(flag),
  /**
   * addition: the outcome, if one of our runners claimed it: `open` until the runner reports it; `interrupted` if the
   * runner was lost after the commands began. Absent if no runner reported it.
   */
  state: maybe(z.enum(['open', 'done', 'failed', 'interrupted'])),
});
export type NewWorkflowAction = z.output<typeof NewWorkflowAction>;
export const WorkflowAction = stored(NewWorkflowAction);
export type WorkflowAction = z.output<typeof WorkflowAction>;
