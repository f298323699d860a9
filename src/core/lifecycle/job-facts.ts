import type { JobStatus } from '../contract/job.ts';
import type { JobKind, RunnerRoom } from './obstacles.ts';

/** Another job, as far as it has to do with this one. */
export interface OtherJob {
  readonly id: number;
  readonly name: string;
  readonly status: JobStatus;
  readonly returnCode: number | undefined;
}

/** A runner that is there. */
export interface LiveRunner {
  readonly id: number;
  readonly hostname: string;
  readonly room: RunnerRoom;
  /** What is not taken by jobs that run there, of all its nodes together. */
  readonly free: { readonly cpus: number; readonly memoryBytes: number; readonly gpus: number };
}

/** How an attempt ended, and on what. */
export interface AttemptEnd {
  readonly status: JobStatus;
  readonly returnCode: number;
  readonly seconds: number;
  readonly attempt: number;
  readonly endedAt: string;
  readonly peakMemoryBytes: number | undefined;
  readonly hostname: string | undefined;
  /** Until the end of its runner, counted from the end of the attempt; undefined when the runner had none. */
  readonly secondsToRunnersEnd: number | undefined;
}

/** What is known of a job and of what it waits for. */
export interface JobFacts extends JobKind {
  readonly id: number;
  readonly name: string;
  readonly status: JobStatus;
  /** The record of what it needs. */
  readonly requirementsId: number;
  readonly attempt: number;
  readonly startedAt: string | undefined;
  readonly workflow: {
    readonly id: number;
    readonly isCanceled: boolean;
    readonly isArchived: boolean;
    readonly timeoutExitCode: number;
    readonly oomExitCode: number;
    /** Seconds before its end at which a runner begins to end jobs. */
    readonly endingSeconds: number;
  };
  readonly dependencies: readonly OtherJob[];
  /** For a job that was canceled: the first job on the way up that was not canceled itself. */
  readonly cause: OtherJob | undefined;
  readonly runners: readonly LiveRunner[];
  /** Where no runner is there: the one that was there last, as it was. */
  readonly lastRunner: Omit<LiveRunner, 'free'> | undefined;
  /** The runner that has the job now. */
  readonly runningOn: string | undefined;
  readonly end: AttemptEnd | undefined;
  /** Earlier attempts of this run without a result. */
  readonly attemptsWithoutResult: readonly number[];
  /** Declared outputs that were not there at the end. */
  readonly missingOutputs: readonly string[];
}

/** One thing that keeps a job waiting, or made it end as it did. */
export interface Reason {
  readonly code: string;
  readonly message: string;
}

export interface Explanation {
  readonly kind: 'waits' | 'runs' | 'ended';
  readonly headline: string;
  readonly reasons: readonly Reason[];
  /** What to do about it, the most likely first. */
  readonly next: readonly string[];
}
