import type { ClusterLicense } from '../../allocation/cluster-licenses.ts';
import type { StoredEnd } from '../../attempt/cause.ts';
import type { RecordedAttempt } from '../../attempt/history.ts';
import type { ScheduledComputeNode } from '../../contract/allocation.ts';
import type { AttemptOfJob } from '../../contract/view.ts';
import type { HandlerLimit } from '../../contract/cause-code.ts';
import type { Timeout } from '../../attempt/timeout.ts';
import type { SlurmJob } from '../../allocation/slurm-job.ts';
import type { JobStatus } from '../../contract/job.ts';
import type { WaitingLimit } from '../../contract/waiting-limit.ts';
import type { RunPlace } from './next-command.ts';
import type { JobKind, RunnerRoom } from '../placement/obstacles.ts';

/** More of the jobs that a job waits for are not named: people read the first few. */
export const MOST_UPSTREAM = 200;

/** Another job, with the fields that matter for this one. */
export interface OtherJob {
  readonly id: number;
  readonly name: string;
  readonly status: JobStatus;
  readonly returnCode: number | undefined;
}

/** An active runner. */
export interface LiveRunner {
  readonly id: number;
  readonly hostname: string;
  readonly room: RunnerRoom;
  /** The resources that running jobs leave free, of all its nodes together. */
  readonly free: { readonly cpus: number; readonly memoryBytes: number; readonly gpus: number };
}

/** How an attempt ended, and on which host. */
export interface AttemptEnd extends StoredEnd {
  readonly seconds: number;
  readonly attempt: number;
  readonly endedAt: string;
  readonly peakMemoryBytes: number | undefined;
  readonly handlerLimit?: HandlerLimit | undefined;
  readonly hostname: string | undefined;
}

/** What a partition of a site offers to a job. Fields as in the JSON of a profile. */
export interface PartitionRoom {
  readonly name: string;
  readonly cpus_per_node: number;
  readonly memory_mb: number;
  readonly max_walltime_secs: number;
  readonly max_nodes: number | null;
  readonly gpus_per_node: number | null;
}

/** What is known about a job and its dependencies. */
export interface JobFacts extends JobKind {
  readonly id: number;
  readonly name: string;
  readonly status: JobStatus;
  /** The record of its requirements. */
  readonly requirementsId: number;
  /** They are those of jobs that name none, so it asked for nothing. */
  readonly hasDefaultNeed?: boolean;
  /** The longest time that it may run, if it has such a limit. */
  readonly timeout?: Timeout | undefined;
  readonly attempt: number;
  readonly startedAt: string | undefined;
  readonly workflow: {
    readonly id: number;
    readonly run: number;
    readonly isCanceled: boolean;
    readonly isArchived: boolean;
    /** Where its jobs run; known for a job that waits for a runner, or is lost. */
    readonly place?: RunPlace;
  };
  readonly dependencies: readonly OtherJob[];
  /** Dependencies that were not read, because there are too many. */
  readonly dependenciesLeftOut?: number;
  /** For a canceled job: the nearest upstream job that was not canceled itself. */
  readonly cause: OtherJob | undefined;
  readonly runners: readonly LiveRunner[];
  /** Of a ready job: the licenses of the batch system that it holds as it runs, by the names that the job has for them. */
  readonly clusterLicenses?: readonly (ClusterLicense & { readonly needs: number })[];
  /** Of a ready job: the limits that have no room for it. */
  readonly limits?: readonly WaitingLimit[];
  /** If no runner is active: the allocations that wait in Slurm's queue, with the word of squeue where it is known. */
  readonly queued?: readonly {
    readonly slurmJobId: SlurmJob;
    readonly reason: string | undefined;
    /** Slurm says that it has ended. */
    readonly hasEnded?: boolean;
    /** The name of the batch system, if it is not Slurm. */
    readonly system?: string;
  }[];
  /** If no runner is active: the newest allocations, if each of them ended before a runner began, with how and with its last words. */
  readonly unbegun?: readonly {
    readonly slurmJobId: SlurmJob;
    readonly end: string;
    readonly lines: readonly string[];
  }[];
  /** If no runner is active: the allocations that are planned, with what holds them back. */
  readonly unsubmitted?: readonly Pick<ScheduledComputeNode, 'held'>[];
  /** If no runner is active, and torc submits allocations: the runners that they would have. */
  readonly futureRooms?: readonly RunnerRoom[];
  /** If torc submits allocations, and the site is known: its partitions. */
  readonly partitions?: readonly PartitionRoom[] | undefined;
  /** If no runner is active: the last one, as it was. */
  readonly lastRunner: Omit<LiveRunner, 'free'> | undefined;
  /** If a person starts runners: what one would have on this machine. */
  readonly here?: Pick<LiveRunner, 'hostname' | 'room'> | undefined;
  /** Why runners on this machine wait for other runs there. */
  readonly waitsHere?: readonly string[];
  /** The runner that executes the job. */
  readonly runningOn: string | undefined;
  /** That runner is gone, and has not reported its end. */
  readonly isLost?: boolean;
  readonly end: AttemptEnd | undefined;
  /** The disk of its runner had no room for output while it ran. */
  readonly outputCut?: { readonly why: string; readonly folder: string } | undefined;
  /** The run in which it ended, if that is an earlier one: the present run has not run it again. */
  readonly endedInRun?: number | undefined;
  /** The number of attempts with a result before the recorded ones. */
  readonly recordedLeftOut?: number;
  /** Its attempts of all runs that have a result. */
  readonly recorded: readonly RecordedAttempt[];
}

/** One reason why a job waits, or why it ended with its status. */
export interface Reason {
  readonly code: string;
  readonly message: string;
  /** The other job that it names. */
  readonly job_id?: number;
}

export interface Explanation {
  readonly kind: 'waits' | 'runs' | 'ended';
  readonly headline: string;
  readonly reasons: readonly Reason[];
  /** What to do next, the most likely step first. */
  readonly next: readonly string[];
}

/** With the attempts of all runs, in order. */
export interface WholeExplanation extends Explanation {
  readonly attempts: readonly AttemptOfJob[];
}
