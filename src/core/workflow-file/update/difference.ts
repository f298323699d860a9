import type { PlanUpdate, UpdatedRecordKind } from '../../contract/plan-update.ts';

/** One reason why a job is changed; the texts are shown to people. */
export interface FieldChange {
  /** A field of the job, in the word for people. */
  readonly field: string;
  readonly before?: string;
  readonly after?: string;
  /** Names that a list gained and lost. */
  readonly added?: readonly string[];
  readonly removed?: readonly string[];
}

export interface JobDifference {
  readonly kind: 'added' | 'removed' | 'changed';
  /** Absent if it is added. */
  readonly id?: number;
  readonly name: string;
  readonly reruns: boolean;
  readonly changes: readonly FieldChange[];
}

/** A record, an action or a setting that is added, removed or changed. */
export interface RecordDifference {
  readonly kind: JobDifference['kind'];
  readonly of: UpdatedRecordKind | 'workflow_actions' | 'settings';
  readonly name: string;
}

export interface PlanDifference {
  readonly update: PlanUpdate;
  readonly jobs: readonly JobDifference[];
  readonly records: readonly RecordDifference[];
  /** Names of Slurm schedulers that the file does not have, and that stay while allocations name them. */
  readonly keptSchedulers: readonly string[];
  /** The number of jobs that stay as they are. */
  readonly unchanged: number;
}
