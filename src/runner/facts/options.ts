import type { Allocation } from '../../cluster/batch/allocation.ts';
import type { BatchSystem, Fate, Manner } from '../../cluster/batch/batch-system.ts';
import type { Repeated } from '../../core/attempt/repeated.ts';
import type { ClaimedJob } from '../../core/contract/exchange.ts';
import type { JobStatusCounts } from '../../core/contract/job.ts';
import type { Amounts } from '../../core/job/amounts.ts';
import type { Workflow } from '../../core/contract/workflow.ts';
import type { LogLevel } from '../../core/text/log-line.ts';
import type { Scheduling } from './scheduling.ts';
import type { Connection } from '../../client/node/connect.ts';

export interface RunnerOptions {
  readonly workflowId: number;
  readonly connection: Connection;
  /** The workflow, if it was read just now. */
  readonly workflow?: Workflow | undefined;
  /** The service's URL in the environment of jobs. */
  readonly apiUrl: string;
  readonly outputDir: string;
  /** Runs this many jobs at once and ignores their requirements. */
  readonly maxParallelJobs?: number | undefined;
  readonly numCpus?: number | undefined;
  readonly memoryGb?: number | undefined;
  readonly numGpus?: number | undefined;
  /** A standalone run: it shares this machine with others of this user, who know it by its database. */
  readonly sharesMachine?: { readonly database: string; readonly limits: Amounts } | undefined;
  readonly labels: readonly string[];
  /** Takes only jobs of this choice, and ends when all of them have ended. */
  readonly choice?: number | undefined;
  /** A moment of `steadyNow`: a clock that is set changes nothing. */
  readonly endAtMs?: number | undefined;
  /** The seconds until its end as it is now, if that may move; an allocation is asked for them. */
  readonly secondsLeft?: (() => Promise<number | undefined>) | undefined;
  readonly pollIntervalSeconds: number;
  readonly claimBackoffMaxSeconds: number;
  /** How long it waits for a server that is away, instead of what the workflow says. */
  readonly outageMinutes?: number | undefined;
  /** Stays while jobs are left that its labels cover. */
  readonly persistent: boolean;
  /** May runners start that the server does not know of yet? Not on a server that was started for this runner. */
  readonly othersMayCome?: boolean | undefined;
  /** Its behaviour when the server is away for longer than the waiting time: see drain.ts. */
  readonly offline: {
    /**
     * Running jobs continue. Otherwise they are killed and the runner fails, as in earlier versions without a drain.
     */
    readonly isEnabled: boolean;
    readonly pingIntervalSeconds: number;
  };
  readonly strictSchedulerMatch?: boolean | undefined;
  /** Variables of every job in addition to those of the contract. */
  readonly variables: readonly (readonly [string, string])[];
  readonly logLevel: LogLevel;
  /** The type with which it is registered. */
  readonly computeNodeType: 'local' | 'slurm';
  readonly scheduler?: Readonly<Record<string, string | number>> | undefined;
  /** What its allocation holds of the licenses of the batch system, by the names that jobs may use; absent if nothing. */
  readonly licenses?: Amounts | undefined;
  /** The allocation in which it runs. */
  readonly allocation?: Allocation | undefined;
  /** The record of its allocation, as the script of the allocation names it. */
  readonly recordId?: number | undefined;
  readonly schedulerConfigId?: number | undefined;
  /** Submits allocations for actions that request them; without it such actions are left to other runners. */
  readonly scheduling?: Scheduling | undefined;
  /** Puts the options that reach the server into a command that is suggested to a person. */
  readonly hint?: (command: string) => string;
  /** It is registered and starts to work. */
  readonly onRegistered?: ((as: RegisteredAs) => void) | undefined;
  readonly onProgress?: (progress: Progress) => void;
  /** It waits for other runs on this machine, in words; undefined: no more. */
  readonly onWaits?: ((words: string | undefined) => void) | undefined;
  /** A job ended here and does not run again. */
  readonly onJobEnded?: ((job: NamedAttempt) => void) | undefined;
  /** Temporary files stay. */
  readonly keepTemporary?: boolean | undefined;
  readonly onNotice: (line: string) => void;
  /** The program that starts jobs inside a step of Slurm, with its arguments. */
  readonly launcherProgram?: readonly string[] | undefined;
  /** The batch system of this machine, if it has one. */
  readonly batch?: BatchSystem | undefined;
  readonly ending?: AllocationEnding | undefined;
}

/** What the batch system says of the end of an allocation while its runner works. */
export interface AllocationEnding extends Manner {
  /** The memory of the allocation on this node, if this runner has all of it. */
  readonly memoryBytes: number | undefined;
  /** Whether it is one of several runners that share the node. */
  readonly isShared: boolean;
  /** Why the allocation is being ended. */
  fate(): Promise<Fate>;
  /** The seconds until the end of the allocation as it is now. May reject. */
  secondsLeft(): Promise<number | undefined>;
}

/** The record of a runner on the server, with what it offers. */
export interface RegisteredAs {
  readonly nodeId: number;
  readonly cpus: number;
  readonly memoryGb: number;
  readonly gpus: number;
}

export type NamedAttempt = Pick<ClaimedJob, 'id' | 'attempt_id' | 'name'>;

/** The progress of a run. */
export interface Progress {
  readonly counts: JobStatusCounts;
  readonly runningHere: number;
  readonly endsPerSecond: number;
}

/** Why the conversation of a runner with its server ended. */
export type Over =
  | { readonly kind: 'complete' }
  /** Every job of its choice has ended; others are left. */
  | { readonly kind: 'chosen' }
  | { readonly kind: 'canceled' }
  | { readonly kind: 'superseded'; readonly reason: string }
  /** The server is away, and no job runs any more. */
  | { readonly kind: 'unreachable'; readonly reason: string }
  /** It answers from an older database, and no job runs any more. */
  | { readonly kind: 'behind'; readonly reason: string };

export type RunEnding = Over['kind'] | 'idle' | 'stuck' | 'stopped' | 'deadline' | 'unable';

/** The number of jobs that ended here, by status. */
export interface Tally {
  completed: number;
  failed: number;
  terminated: number;
}

/** Jobs that used more memory than they asked for, and were not ended for it. */
export interface OverRequest {
  readonly jobs: number;
  /** The first of them. */
  readonly named: readonly {
    readonly id: number;
    readonly name: string;
    readonly peakBytes: number;
    readonly askedBytes: number;
  }[];
}

/** A file with results that were not reported to the server. */
export interface WrittenJournal {
  readonly path: string;
  readonly completions: number;
}

/** Why jobs were left, and one of them. */
export interface Left {
  readonly words: string;
  readonly jobId: number | undefined;
}

/** Temporary files that a runner deleted, and those that it kept. */
export interface Swept {
  readonly files: number;
  readonly bytes: number;
  /** Not there, changed since a job made them, or not deleted by the system. */
  readonly kept: number;
}

export interface RunSummary {
  readonly ending: RunEnding;
  /** The reason of the end, if the kind does not explain it. */
  readonly reason: string | undefined;
  /** The ready jobs that this runner could not take. */
  readonly left: Left | undefined;
  readonly nodeId: number;
  readonly runId: number;
  readonly tally: Tally;
  readonly overMemory: OverRequest;
  readonly swept: Swept;
  /** Attempts that it repeated by the rules of failure handlers. */
  readonly repeated: Repeated;
  readonly counts: JobStatusCounts | undefined;
  /** Before this runner did anything. */
  readonly countsAtStart: JobStatusCounts | undefined;
  readonly seconds: number;
  /** Whether everything was reported to the server. If not, the ledger contains it. */
  readonly isReported: boolean;
  /** Unreported results, if they are stored for `reconcile`. */
  readonly journal: WrittenJournal | undefined;
  readonly launcher: string;
  readonly logPath: string;
}

export interface Runner {
  readonly done: Promise<RunSummary>;
  /** Signals the jobs to end; with `now` it kills them. */
  stop(options: { readonly now: boolean }): void;
}
