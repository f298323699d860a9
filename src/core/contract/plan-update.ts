import * as z from 'zod';
import { NewFile, NewUserData } from './artifact.ts';
import { plannedNames, relationNames } from '../job/fields.ts';
import { NewJob } from './job.ts';
import { NewResourceRequirements } from './resources.ts';
import { NewFailureHandler, NewSlurmScheduler, NewWorkflowAction } from './scheduling.ts';
import { flag, id, integer, maybe, text } from './shape.ts';
import { NewWorkflow } from './workflow.ts';

/**
 * A change of the plan of a workflow (an addition to Torc 1.0.0): what is added, changed and removed, applied as a whole.
 *
 * Records that the workflow has are named by their ids. Those that the same request adds are named by their position:
 * -1 is the first one that it adds of their kind, -2 the second. Once a workflow was initialized, the dependencies of a job that
 * files and user data imply are named too.
 */

/** The settings of a workflow that can change after its creation; null removes one. */
const PlanSettings = NewWorkflow.pick({
  description: true,
  project: true,
  metadata: true,
  env: true,
  compute_node_wait_for_new_jobs_seconds: true,
  compute_node_ignore_workflow_completion: true,
  compute_node_wait_for_healthy_database_minutes: true,
  resource_monitor_config: true,
  execution_config: true,
  slurm_defaults: true,
  use_pending_failed: true,
  enable_ro_crate: true,
  dynamic_jobs: true,
  limits: true,
  spec_file: true,
}).extend({ name: text.optional() });
export type PlanSettings = z.output<typeof PlanSettings>;

const removed = maybe(z.array(id));

/** Records of one kind: those that are added, those that get other values, and the ids of those that are removed. */
const changes = <Shape extends z.core.$ZodShape>(shape: z.ZodObject<Shape>) =>
  maybe(
    z.object({
      add: maybe(z.array(shape)),
      change: maybe(z.array(z.object({ id, record: shape }))),
      remove: removed,
    }),
  );

const file = NewFile.omit({ id: true, workflow_id: true, removal: true, removed_bytes: true });
const userData = NewUserData.omit({ id: true, workflow_id: true });
const requirements = NewResourceRequirements.omit({ id: true, workflow_id: true });
const scheduler = NewSlurmScheduler.omit({ id: true, workflow_id: true });
const handler = NewFailureHandler.omit({ id: true, workflow_id: true });

/** A record of each kind that jobs refer to, as an update gives it. */
export interface PlanRecords {
  readonly files: z.output<typeof file>;
  readonly user_data: z.output<typeof userData>;
  readonly resource_requirements: z.output<typeof requirements>;
  readonly slurm_schedulers: z.output<typeof scheduler>;
  readonly failure_handlers: z.output<typeof handler>;
}

export const updatedRecordKinds = [
  'files',
  'user_data',
  'resource_requirements',
  'slurm_schedulers',
  'failure_handlers',
] as const satisfies readonly (keyof PlanRecords)[];
export type UpdatedRecordKind = (typeof updatedRecordKinds)[number];

const only = <Name extends string>(names: readonly Name[]) =>
  Object.fromEntries(names.map((name) => [name, true])) as { [Each in Name]: true };

/** A job with everything that it has from now on. */
export const AddedJob = NewJob.pick(only(plannedNames));
export type AddedJob = z.output<typeof AddedJob>;

const Relations = NewJob.pick(only(relationNames));

/**
 * A job that the workflow has. Fields that are left out keep their value; null sets the default. `runs_again` makes it run
 * again even if it has ended, with everything that depends on it.
 */
export const ChangedJob = AddedJob.omit(only(relationNames))
  .partial()
  .extend({ id, runs_again: flag, add: maybe(Relations), remove: maybe(Relations) });
export type ChangedJob = z.output<typeof ChangedJob>;

export const PlanUpdate = z.object({
  settings: maybe(PlanSettings),
  files: changes(file),
  user_data: changes(userData),
  resource_requirements: changes(requirements),
  slurm_schedulers: changes(scheduler),
  failure_handlers: changes(handler),
  jobs: maybe(z.object({ add: maybe(z.array(AddedJob)), change: maybe(z.array(ChangedJob)), remove: removed })),
  workflow_actions: maybe(
    z.object({
      add: maybe(
        z.array(
          NewWorkflowAction.pick({
            trigger_type: true,
            action_type: true,
            action_config: true,
            job_ids: true,
            persistent: true,
          }),
        ),
      ),
      remove: removed,
    }),
  ),
  /**
   * Jobs for runners that take no others (`choice` of an exchange), under a number that their client picks. A job belongs to the last
   * choice that names it. With a choice, jobs that have ended stay as they are unless they run again by name, whatever they depend on.
   */
  choice: maybe(z.object({ number: integer, job_ids: z.array(z.int()) })),
});
export type PlanUpdate = z.output<typeof PlanUpdate>;

/** Why a job stays as it is: a runner has it, or has a job that depends on it. */
const heldReasons = ['running', 'dependent_running'] as const;
export type HeldReason = (typeof heldReasons)[number];

/** What came of the update. `held` lists jobs that were left as they are: the same update applies to them later. */
export const PlanUpdated = z.object({
  added_jobs: integer,
  changed_jobs: integer,
  removed_jobs: integer,
  /** Jobs that run again or for the first time, those downstream of added and changed ones included. */
  rerun_jobs: integer,
  /** How many jobs the choice names; absent without one. Servers that know no choices never send it. */
  chosen_jobs: integer.optional(),
  held: z.array(z.object({ job_id: id, job_name: text, reason: z.enum(heldReasons), running_job_name: text })),
});
export type PlanUpdated = z.output<typeof PlanUpdated>;
