import type { ClaimedJob } from '../../core/contract/exchange.ts';
import type { ExecutionConfig } from '../../core/contract/workflow.ts';

/** The facts that all jobs of one run share. */
export interface RunFacts {
  readonly workflowId: number;
  readonly runId: number;
  readonly apiUrl: string;
  /** As given by the user: it may be relative to the working directory, which jobs share. */
  readonly outputDir: string;
  readonly submissionDirectory: string | undefined;
  readonly execution: ExecutionConfig;
  /**
   * Variables that we set for every job: the mark of the runner, and how to reach a server that requires a credential.
   */
  readonly variables: readonly (readonly [string, string])[];
  /** What this runner limits jobs to; absent if it does not. */
  readonly limitsOf?: ((job: ClaimedJob) => JobLimits) | undefined;
  /** What a job has of a machine that runs share, for runs in it (`core/lifecycle/share/job-share.ts`); absent if none is shared. */
  readonly shareTextOf?: ((job: ClaimedJob) => string) | undefined;
}

/** What a job is limited to; what is absent is unlimited. */
export interface JobLimits {
  readonly memoryBytes?: number | undefined;
  /** CPU time a second of wall time: 1.5 is that of one CPU and a half. */
  readonly cpus?: number | undefined;
}
