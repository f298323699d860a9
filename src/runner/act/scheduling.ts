/** What an action asks for that submits allocations. */
export interface NodeRequest {
  /** The Slurm scheduler of the workflow by which it is done. */
  readonly schedulerId: number | undefined;
  readonly allocations: number;
  readonly startOneWorkerPerNode: boolean;
  readonly maxParallelJobs: number | undefined;
}

/** Submits allocations for a workflow. A runner that has none leaves such actions to one that does. */
export interface Scheduling {
  schedule(request: NodeRequest): Promise<void>;
}
