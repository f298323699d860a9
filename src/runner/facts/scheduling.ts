import type { SlurmJob } from '../../core/allocation/slurm-job.ts';

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
  /** What an action asks for, which its claim has planned where the server can. */
  schedule(request: NodeRequest, actionId: number): Promise<void>;
  /** Submits what is planned, as far as the limits allow; returns how many. */
  submitPlanned(): Promise<number>;
  /** Cancels queued allocations if no job is left for them; returns their ids in Slurm. */
  cancelUnneeded(): Promise<readonly SlurmJob[]>;
}
