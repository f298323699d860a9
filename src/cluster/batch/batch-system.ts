import type { ClusterLicense } from '../../core/allocation/cluster-licenses.ts';
import type { Amounts } from '../../core/job/amounts.ts';
import type { SlurmJob } from '../../core/allocation/slurm-job.ts';
import type { AllocationRun, AllocationState } from '../../core/allocation/allocation-end.ts';
import type { ScriptEnd } from '../../core/allocation/end-words.ts';
import type { Availability, QueueDepth } from '../../hpc/live-profile.ts';
import type { HpcProfile } from '../../hpc/profile.ts';
import type { Allocation } from './allocation.ts';
import type { PlannedRequest, SchedulerRequest, SiteForms } from './scheduler-request.ts';
import type { AllocationScript, Tested } from './allocation-script.ts';

/**
 * A batch system: what submits allocations, knows how they stand, and ends them.
 *
 * The parts of the program that submit, run and recover know it by this interface alone. `cluster/slurm/` implements it; what
 * another one has to give is in `docs/explanation/batch-systems.md`.
 */
export interface BatchSystem extends BatchPlanning, BatchScripts, BatchQueue, BatchRecords, InsideAllocation {
  /** Its name, for people: `Slurm`. */
  readonly name: string;
  /** Whether it records what ran inside of an allocation, for people and for decisions. */
  readonly recordsSteps: boolean;
  /** For people: how the script of a job ended; undefined if it has not, or if nothing is known of it. Never rejects. */
  endOf(job: SlurmJob): Promise<EndedScript | undefined>;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** A batch system as the door has it (`cluster/open-batch.ts`). */
export interface KnownBatch {
  /** By which a configuration chooses it: `[client.batch] system`. */
  readonly name?: string;
  /** Whether these variables name it: those of a process inside one of its allocations. */
  isMeant?(environment: Environment): boolean;
  /** Whether a process with these variables can submit allocations to it. */
  isHere(environment: Environment): boolean;
  open(environment: Environment, options: BatchOptions): BatchSystem;
  /** What a planned allocation is as a record of a scheduler for it. Without it the words of the plan are its own. */
  request?(planned: PlannedRequest, site: SiteForms): SchedulerRequest;
}

export interface BatchOptions {
  /** The longest time for each call. */
  readonly atMostMs?: number | undefined;
  /** A program has not answered for some seconds: says what is waited for, and for how long. */
  readonly onSlow?: ((words: string) => void) | undefined;
}

/** What allocations can be planned by. */
interface BatchPlanning {
  /** The profile of the cluster of this machine. Rejects where it cannot be asked. */
  profile(names?: ProfileNames): Promise<HpcProfile>;
  /** Nodes and jobs of each partition at this moment. Rejects where it cannot be asked. */
  load(): Promise<ClusterLoad>;
}

export interface ProfileNames {
  readonly name?: string | undefined;
  readonly displayName?: string | undefined;
  /** Without the partitions whose jobs give way to others. */
  readonly skipsStandby?: boolean;
}

export interface ClusterLoad {
  readonly nodes: ReadonlyMap<string, Availability>;
  readonly queue: ReadonlyMap<string, QueueDepth>;
}

/** The scripts of allocations, and what decides what they ask for. */
export interface BatchScripts {
  /** What options of this shell, for its own programs, mean for submissions. Never rejects. */
  shellOptions(): Promise<ShellOptions>;
  /** The text of a script. Throws `SUBMISSION_REFUSED` for what it cannot ask for. */
  scriptOf(script: AllocationScript): string;
  /** The name of the job in the text of a script; undefined if there is none. */
  jobNameIn(text: string): string | undefined;
  /** Whether allocations of a scheduler may be tasks of a job array. */
  takesArray(scheduler: AllocationScript['scheduler'], defaults: AllocationScript['defaults']): boolean;
  /** The licenses that it counts for all its jobs; empty where it has none. Rejects where it cannot be asked. */
  licenses(): Promise<readonly ClusterLicense[]>;
  /** What it would say to the text of a script; undefined where nothing may be asked. Never rejects. */
  testScript(text: string): Promise<Tested | undefined>;
}

/** The queue of allocations. */
export interface BatchQueue {
  /** The id of the job that it made of a script, or of a job array with these tasks, such as `0-3,7`. Throws `SubmissionFailed`. */
  submit(script: string, tasks?: string): Promise<number>;
  /** The most tasks of a job array; 1 where there are no job arrays. Never rejects. */
  mostTasks(): Promise<number>;
  /** The scripts of the user's jobs, those that ended within minutes included. */
  scripts(): Promise<readonly SubmittedScript[]>;
  /** The processes of this machine that submit a script with one of these tokens at this moment: they outlive a command that was killed. */
  submissionsUnderWay(tokens: readonly string[]): Promise<readonly number[]>;
  /** Cancels a job or a task; one that has ended is no error. */
  cancel(job: SlurmJob): Promise<void>;
  /** Cancels those of these jobs that wait in the queue, and these tasks. */
  cancelQueued(jobs: readonly SlurmJob[]): Promise<void>;
  /** Lets a job or a task start that is held. */
  release(job: SlurmJob): Promise<void>;
  /** Why jobs that wait have not started, in its own words; those that do not wait are left out. */
  waitingReasons(jobs: readonly SlurmJob[]): Promise<ReadonlyMap<SlurmJob, string>>;
  /**
   * How these jobs stand, of any user: by the queue, or else by the accounting. A job that neither knows is left
   * out, and so is every job that cannot be asked for: silence proves nothing.
   */
  statesOf(jobs: readonly SlurmJob[]): Promise<ReadonlyMap<SlurmJob, JobState>>;
}

/** What it has on record about jobs, for a decision that must not be wrong: a failure to ask is thrown. */
export interface BatchRecords {
  /** The jobs that the queue knows, in one call. A job that is left out is known to it no more. */
  queue(jobs: readonly SlurmJob[]): Promise<ReadonlyMap<SlurmJob, AllocationState>>;
  /** The jobs and their steps in the accounting, in one call; undefined where there is no accounting. */
  account(jobs: readonly SlurmJob[]): Promise<RecordedJobs | undefined>;
  /** How long the queue has been answering, by its own clock: it may have forgotten earlier jobs. Never rejects. */
  queueAgeSeconds(): Promise<number | undefined>;
}

/** What a process inside an allocation asks about it. */
interface InsideAllocation {
  /** The variable that names the allocation in the environment of its processes. */
  readonly jobVariable: string;
  /** The allocation of a process with these variables; undefined outside of one. */
  allocationOf(environment: Environment): Allocation | undefined;
  /** The names of its nodes, in their order. */
  nodesOf(allocation: Allocation): Promise<readonly string[]>;
  /** The memory of this node that belongs to it, in bytes; undefined where nothing says it. */
  memoryOf(allocation: Allocation): Promise<number | undefined>;
  /** What else belongs to it on this node where no variable says so: the others keep their values. Without an answer it is empty. */
  moreOf?(allocation: Allocation): Promise<Partial<Allocation>>;
  /** How jobs use its other nodes where no step of the batch system starts them; undefined where it has one node. */
  partsOf?(allocation: Allocation): AllocationParts | undefined;
  /** What it holds of the licenses of the batch system, by name. Without an answer it is empty. Never rejects. */
  licensesOf(allocation: Pick<Allocation, 'jobId'>): Promise<Amounts>;
  /** The run of it in which this process is, as the batch system reports it to others; without an answer, how often it was requeued. Never rejects. */
  runOf(allocation: Pick<Allocation, 'jobId' | 'restarts'>): Promise<AllocationRun>;
  /**
   * Seconds until its end as it is now: administrators change time limits. By the clock of the batch system where it gives the time,
   * because that of a node may be minutes behind or ahead. Undefined if it has no end.
   */
  secondsLeft(allocation: Pick<Allocation, 'jobId' | 'endsAtMs'>): Promise<number | undefined>;
  /** How it ends the processes of allocations. Never rejects. */
  manner(): Promise<Manner>;
  /** Whether and why the allocation is being ended. Without an answer in this time it is `unknown`. Never rejects. */
  fateOf(allocation: Pick<Allocation, 'jobId' | 'restarts'>, atMostMs: number): Promise<Fate>;
}

/** The nodes of an allocation. A job gets some of them. */
export interface AllocationParts {
  /** The name of the node of this process. */
  readonly ownNode: string;
  /** The words that start a program on one of its nodes, with the variables and the folder of the script; absent where nothing can. */
  readonly wordsOn?: ((node: string, program: readonly string[]) => readonly string[]) | undefined;
  /** The variable that names a file of nodes to the programs of a job, and its text for a part of them. */
  fileOf(nodes: readonly string[]): { readonly variable: string; readonly text: string };
}

export interface ShellOptions {
  /** They are not used. */
  readonly warning: string | undefined;
  /** Why nothing can be submitted with them. */
  readonly refusal?: string;
}

/** How a job stands, as the queue or the accounting says. */
export interface JobState extends AllocationState {
  readonly jobId: SlurmJob;
  /** How long its last run took so far; 0 if it never started. */
  readonly seconds?: number | undefined;
  /** The number in the names of its output files. */
  readonly rawId?: number | undefined;
}

export interface EndedScript extends ScriptEnd {
  /** The number in the names of its output files. */
  readonly rawId: number;
  /** Its output files as they were named to the batch system, errors first; empty where it has forgotten them. */
  readonly files: readonly string[];
}

export interface SubmittedScript {
  /** That of the array, if it is one. */
  readonly jobId: number;
  readonly state: AllocationState['state'];
  readonly script: string;
}

export interface RecordedJobs {
  readonly jobs: ReadonlyMap<SlurmJob, AllocationState>;
  /** By the name of the step; the last one of a name. */
  readonly steps: ReadonlyMap<string, EndedStep>;
  /** When the script of a job ended, in which its runner was, in Unix milliseconds. */
  readonly batchEnds: ReadonlyMap<number, number>;
}

/** A step that ended, as the accounting knows it. */
export interface EndedStep {
  readonly slurmJobId: number;
  readonly state: string;
  readonly exitCode: number;
  readonly signal: number;
  readonly seconds: number;
  readonly endedAtMs: number | undefined;
  readonly maxRssBytes: number | undefined;
}

/** How the processes of an allocation are ended. */
export interface Manner {
  /** From SIGTERM to SIGKILL; undefined if it is not known. */
  readonly killWaitSeconds: number | undefined;
  /** It looks for the processes in the process table, and kills one after another, children first: 10 ms may lie between two. */
  readonly isOneByOne: boolean;
  /**
   * A signal to an allocation or a step reaches each of its processes. Otherwise, and where it is not known, it reaches those alone that
   * the batch system started itself, and what they started only with SIGKILL.
   */
  readonly reachesAll: boolean;
}

/**
 * How an allocation stands. `requeued`: it is ended, and starts again. `preempted`: it does not, and made room for others, or lost
 * its node. `limit`: its time was up. `over`: any other end. `alive`: nothing ends it. `unknown`: the batch system did not answer.
 */
export type Fate = 'requeued' | 'preempted' | 'limit' | 'over' | 'alive' | 'unknown';

export class SubmissionFailed extends Error {
  /**
   * `refused`: it will be again. `full`: a limit on the jobs of the user or the account is reached. `away`: the batch system
   * could not be asked. `unclear`: the job may exist.
   */
  readonly kind: 'refused' | 'full' | 'away' | 'unclear';

  constructor(message: string, kind: SubmissionFailed['kind']) {
    super(message);
    this.name = 'SubmissionFailed';
    this.kind = kind;
  }
}
