import type { UpdatedRecordKind } from '../../../core/contract/plan-update.ts';

/** Ids of the records that the update has added, by kind, in their order. */
export type NewIds = Record<UpdatedRecordKind | 'jobs', number[]>;

export const noIds = (): NewIds => ({
  files: [],
  user_data: [],
  resource_requirements: [],
  slurm_schedulers: [],
  failure_handlers: [],
  jobs: [],
});

/** An update as it is applied. */
export interface Applying {
  readonly workflowId: number;
  readonly runId: number;
  /** Whether its jobs have a status: then changed ones get one, too. */
  readonly isInitialized: boolean;
  readonly ids: NewIds;
}
