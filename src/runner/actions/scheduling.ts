/** The request of an action that submits allocations. */
export interface NodeRequest {
  /** The Slurm scheduler of the workflow that it uses. */
  readonly schedulerId: number | undefined;
  readonly allocations: number;
  readonly startOneWorkerPerNode: boolean;
  readonly maxParallelJobs: number | undefined;
}

/** Submits allocations for a workflow. A runner that cannot leaves such actions to others. */
export interface Scheduling {
  schedule(request: NodeRequest): Promise<void>;
  /** Cancels queued allocations if no job is left for them; returns their ids in Slurm. */
  cancelUnneeded(): Promise<readonly number[]>;
}
