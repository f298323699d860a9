import type { FileRemoval } from '../../contract/artifact.ts';
import type { JobColumns, UserDataColumns } from '../../contract/plan-columns.ts';
import type { ResourceRequirements } from '../../contract/resources.ts';
import type { FailureHandler, SlurmScheduler, WorkflowAction } from '../../contract/scheduling.ts';
import type { Workflow } from '../../contract/workflow.ts';
import { isOneOf, NOT_BEGUN } from '../../job/statuses.ts';

/** A job as far as a file defines it, with its relationships. */
export type StoredJob = { readonly [Field in keyof JobColumns]: JobColumns[Field][number] };
export interface StoredFile {
  readonly id: number;
  readonly name: string;
  readonly path: string;
  readonly st_mtime?: number | null | undefined;
  readonly temporary?: boolean | null | undefined;
  readonly protected?: boolean | null | undefined;
  readonly removal?: FileRemoval | null | undefined;
}
export type StoredUserData = { readonly [Field in keyof UserDataColumns]: UserDataColumns[Field][number] };

/** A workflow as the service has it, with the relationships of its jobs. */
export interface StoredPlan {
  readonly workflow: Workflow;
  readonly jobs: readonly StoredJob[];
  readonly files: readonly StoredFile[];
  readonly userData: readonly StoredUserData[];
  readonly requirements: readonly ResourceRequirements[];
  readonly schedulers: readonly SlurmScheduler[];
  /** Those of which allocations exist, past ones included. */
  readonly allocatedSchedulers: ReadonlySet<number>;
  readonly handlers: readonly FailureHandler[];
  readonly actions: readonly WorkflowAction[];
}

/** Whether jobs have a status. From then on what jobs read and write is among their dependencies. */
export const isBegun = (jobs: readonly StoredJob[]): boolean => jobs.some(({ status }) => !isOneOf(NOT_BEGUN, status));

/** A job that another one has added is in no file. */
export const isSpawned = ({ origin }: StoredJob): boolean => origin === 'spawn';

/** A job that an earlier update removed from the plan. */
export const isRemoved = ({ removed_at_ms: removedAt }: StoredJob): boolean => removedAt !== null;
