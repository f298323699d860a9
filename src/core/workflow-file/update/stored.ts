import type { File, UserData } from '../../contract/artifact.ts';
import type { Job } from '../../contract/job.ts';
import type { ResourceRequirements } from '../../contract/resources.ts';
import type { FailureHandler, SlurmScheduler, WorkflowAction } from '../../contract/scheduling.ts';
import type { Workflow } from '../../contract/workflow.ts';

/** A workflow as the service has it, with the relationships of its jobs. */
export interface StoredPlan {
  readonly workflow: Workflow;
  readonly jobs: readonly Job[];
  readonly files: readonly File[];
  readonly userData: readonly UserData[];
  readonly requirements: readonly ResourceRequirements[];
  readonly schedulers: readonly SlurmScheduler[];
  readonly handlers: readonly FailureHandler[];
  readonly actions: readonly WorkflowAction[];
}

/** A job that another one has added is in no file. */
export const isSpawned = ({ origin }: Job): boolean => origin === 'spawn';

/** A job that an earlier update removed from the plan. */
export const isRemoved = ({ removed_at_ms: removedAt }: Job): boolean => removedAt !== undefined && removedAt !== null;
