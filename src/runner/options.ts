import type { ClaimedJob } from '../core/contract/exchange.ts';
import type { JobStatusCounts } from '../core/contract/job.ts';
import type { LogLevel } from '../core/contract/log-line.ts';
import type { Over } from './conversation/state.ts';
import type { Scheduling } from './act/scheduling.ts';
import type { Tally } from './attempt.ts';
import type { Journal } from './journal/journal.ts';
import type { Connection } from './send.ts';

export interface RunnerOptions {
  readonly workflowId: number;
  readonly connection: Connection;
  /** The service's URL, as jobs are told it. */
  readonly apiUrl: string;
  readonly outputDir: string;
  /** Runs so many jobs at once and ignores what they need. */
  readonly maxParallelJobs?: number | undefined;
  readonly numCpus?: number | undefined;
  readonly memoryGb?: number | undefined;
  readonly numGpus?: number | undefined;
  readonly labels: readonly string[];
  /** Unix milliseconds. */
  readonly endAtMs?: number | undefined;
  readonly pollIntervalSeconds: number;
  readonly claimBackoffMaxSeconds: number;
  /** Stays while work is left that its labels cover. */
  readonly persistent: boolean;
  /** What it does when the server is away for longer than its patience: see drain.ts. */
  readonly offline: {
    /** Lets jobs go on. If not, they are killed and the runner fails, as runners did before there was a drain. */
    readonly isEnabled: boolean;
    readonly pingIntervalSeconds: number;
  };
  readonly strictSchedulerMatch?: boolean | undefined;
  /** Variables of every job besides those of the contract. */
  readonly variables: readonly (readonly [string, string])[];
  readonly logLevel: LogLevel;
  /** What it is registered as. */
  readonly computeNodeType: 'local' | 'slurm';
  readonly scheduler?: Readonly<Record<string, string | number>> | undefined;
  readonly schedulerConfigId?: number | undefined;
  /** Submits allocations for actions that ask for some; without it they are left to other runners. */
  readonly scheduling?: Scheduling | undefined;
  /** Puts the options that reach the server into a command that a person is told to run. */
  readonly hint?: (command: string) => string;
  readonly onProgress?: (progress: Progress) => void;
  /** A job ended here and does not run again. */
  readonly onJobEnded?: ((job: EndedJob) => void) | undefined;
  readonly onNotice: (line: string) => void;
}

/** A job with the attempt that ended. */
export type EndedJob = Pick<ClaimedJob, 'id' | 'attempt_id' | 'name'>;

/** How far a run is, for whoever watches it. */
export interface Progress {
  readonly counts: JobStatusCounts;
  readonly runningHere: number;
  readonly endsPerSecond: number;
}

export type Ending = Over['kind'] | 'idle' | 'stuck' | 'stopped' | 'deadline' | 'unable';

export interface RunSummary {
  readonly ending: Ending;
  /** Why it ended, where the kind does not say it all. */
  readonly reason: string | undefined;
  readonly nodeId: number;
  readonly runId: number;
  readonly tally: Tally;
  readonly counts: JobStatusCounts | undefined;
  /** Before this runner did anything. */
  readonly countsAtStart: JobStatusCounts | undefined;
  readonly seconds: number;
  /** Was everything told to the server? If not, the ledger holds it. */
  readonly isTold: boolean;
  /** Results that were not, where they are kept for `reconcile`. */
  readonly journal: Journal['written'];
  readonly launcher: string;
  readonly logPath: string;
}

export interface Runner {
  readonly done: Promise<RunSummary>;
  /** Asks the jobs to end; with `now` kills them. */
  stop(options: { readonly now: boolean }): void;
}
