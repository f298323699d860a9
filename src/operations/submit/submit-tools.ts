import type { Client } from '../../client/client.ts';
import type { BatchQueue, BatchScripts, BatchSystem } from '../../cluster/batch/batch-system.ts';
import type { SlurmJob } from '../../core/allocation/slurm-job.ts';
import type { ScheduledComputeNode } from '../../core/contract/allocation.ts';

/** What all submissions of a program have in common. */
export interface SubmitSettings {
  readonly url: string;
  readonly outputDir: string;
  readonly pollIntervalSeconds: number;
  readonly claimBackoffMaxSeconds: number | undefined;
  /** Of the files of runners, if it is not the default. */
  readonly umask?: string | undefined;
  /** Runners delete no temporary files. */
  readonly keepsTemporary?: boolean | undefined;
  readonly tlsCaCert: string | undefined;
  readonly tlsInsecure: boolean;
  readonly keepsScripts: boolean;
  /** The most allocations of a workflow that wait in the queue; the others stay planned. It goes into their plans. */
  readonly maxQueued?: number | undefined;
  /** The same where neither this call nor a plan says it. */
  readonly usualMaxQueued?: number | undefined;
  /** The most calls of sbatch in a minute. */
  readonly submitRate?: number | undefined;
}

export interface SubmitTools {
  readonly client: Client;
  readonly slurm: BatchQueue & BatchScripts & Pick<BatchSystem, 'name'>;
  readonly settings: SubmitSettings;
  /** Called for each allocation that the batch system accepted. `jobId` is that of the array for a task, which is named by `job`. */
  readonly onSubmitted: (allocation: { jobName: string; jobId: number; job: SlurmJob }) => void;
  readonly onWarning: (words: string) => void;
  /** Called where allocations stay planned because of a limit. */
  readonly onHeld?: ((held: { readonly allocations: number; readonly why: string }) => void) | undefined;
  /** The most tasks of a job array here; 1 where job arrays are not to be used. Without it there are none. */
  readonly mostTasks?: (() => Promise<number>) | undefined;
  /** Names the command to others that wait for it: `submit`. */
  readonly command?: string | undefined;
  /** Pauses between attempts at a controller that is away; shorter in tests. */
  readonly retryMs?: number;
}

/** An allocation could not be submitted; `submitted` were before it. */
export class AllocationsFailed extends Error {
  readonly submitted: number;

  constructor(message: string, submitted: number) {
    super(message);
    this.name = 'AllocationsFailed';
    this.submitted = submitted;
  }
}

export type AllocationRecord = ScheduledComputeNode & { readonly id: number };
