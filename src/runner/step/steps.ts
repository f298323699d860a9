import type { StepId } from '../../core/contract/files/job.ts';
import type { SlurmFigures } from '../../core/contract/allocation.ts';
import type { ClaimedJob } from '../../core/contract/exchange.ts';
import type { Shortage } from '../../core/attempt/full-disk.ts';
import type { EndedBy } from '../../core/attempt/evidence.ts';
import type { AskedToEnd } from '../../core/attempt/asked-to-end.ts';
import type { Lease } from '../claim/capacity.ts';

/**
 * How steps run. A step is one started attempt of a job.
 *
 * Everything that depends on where a step runs is behind this interface: processes of this machine (`direct.ts`), or steps of
 * an allocation. The rest of the runner knows a step by its id alone.
 *
 * Each answer may come later, as a promise that never rejects. An implementation that knows the answer returns it at once:
 * the next job of a chain then starts within the call that reported the end of the previous one.
 */
export interface Steps {
  /** How jobs are started: for the log and the summary of a run. */
  readonly name: string;
  /** Names the receiver of ends. To be called once, before the first start. */
  listen(onEnded: (ended: readonly StepEnd[]) => void): void;
  /**
   * Starts an attempt on the nodes and with the devices of its lease. Throws `LaunchError` if it cannot be started.
   *
   * From then on the step has an end, also when it is refused later.
   *
   * With `after` it is sent ahead: it starts in the place of that step, which runs or was sent ahead itself, as soon as that has
   * ended with a success. In all other cases its account says that it was taken back.
   */
  start(job: ClaimedJob, lease: Lease, after?: StepId): StartedStep;
  /** Whether a job may be sent ahead to start in the place of this step. Absent: a step starts with a lease of its own only. */
  mayFollow?(id: StepId): boolean;
  /** Takes back a step that was sent ahead. One that has begun goes on; otherwise it ends, and its account says so. */
  takeBack?(id: StepId): void;
  /** Sends a signal to the processes of a step; one that has ended is ignored. */
  signal(id: StepId, signal: NodeJS.Signals): void;
  /**
   * The batch system signals all processes of the allocation, this one among them. Steps that share the node with this process look which
   * jobs handle that; others know it by themselves.
   */
  allocationSignaled(signal: NodeJS.Signals): void;
  /**
   * Passes a signal on that the batch system sent to this process alone: to the first processes of the steps that this process started.
   * Others get theirs by themselves.
   */
  passOn(signal: NodeJS.Signals): void;
  /** Kills every process of a step, also those that left its process group. */
  kill(id: StepId): void;
  /** The present use of steps; those of which nothing is known are absent. */
  observe(ids: ReadonlySet<StepId>): Uses | Promise<Uses>;
  /** What the end of a step means; its resources are free already. */
  account(end: StepEnd): StepAccount | Promise<StepAccount>;
  /** Waits for what follows the ends, such as figures of an accounting. The server knows all results by then. */
  finish(): void | Promise<void>;
  /** Stops reporting ends. */
  close(): void;
}

export interface StartedStep {
  readonly id: StepId;
  /** What a person finds it by, for the log: its process id, for instance. */
  readonly about: Readonly<Record<string, string | number>>;
  /**
   * Resolves when the step is seen to have begun, with the milliseconds since then, for one that may have to wait after its
   * start, or be refused. One that ends before need not resolve it. Absent: it has begun.
   */
  readonly begun?: Promise<number> | undefined;
  /** Its own time limit, counted from its begin; absent if it has none. */
  readonly limitSeconds?: number | undefined;
}

/** The end of a step, as far as it is known at once. */
export interface StepEnd {
  readonly id: StepId;
  readonly exitCode: number | undefined;
  readonly signal: number | undefined;
  /** User and system time of the step. Undefined if it is not measured. */
  readonly cpuSeconds: number | undefined;
  /** Largest resident size of one of its processes. Undefined if it is not known. */
  readonly peakBytes: number | undefined;
  /** The most memory that it had on GPUs at once, and that of the cards on which it was. Absent if it is not known. */
  readonly peakGpuBytes?: number | undefined;
  readonly gpuBytes?: number | undefined;
  /** What these cards drew on average, its part of those that others used, too. */
  readonly gpuWatts?: number | undefined;
  /** How long it ran, where that was measured in the process that started it, and another one reports the end. */
  readonly seconds?: number | undefined;
}

export interface StepAccount extends Omit<StepEnd, 'id'> {
  readonly endedBy?: EndedBy | undefined;
  /** It was asked to end before it ended. */
  readonly asked?: AskedToEnd | undefined;
  /** Its CPU time where that is known better than `cpuSeconds`, which an accounting may have as the mean of the last poll. */
  readonly totalCpuSeconds?: number | undefined;
  /** Why it ended, in words, where its code does not say it. */
  readonly cause?: string | undefined;
  /** Its output had no room: it may be why the job failed by itself. */
  readonly shortage?: Shortage | undefined;
  /** Its statistics of the batch system, if they are known; for one that ran inside another step, those that name this step. */
  readonly stats?: SlurmFigures | undefined;
  /** The step never began, for this reason: its job is given back, and the runner pauses before its next start. */
  readonly refused?: string | undefined;
  /** The step was sent ahead and did not begin: its job may start again at once. */
  readonly isTakenBack?: boolean | undefined;
}

/** The use of a step at one moment. */
export interface StepUse {
  /** Its CPU time so far. */
  readonly cpuSeconds: number;
  /** Its memory; memory that its processes share may be counted several times. */
  readonly memoryBytes: number;
  /** When it was measured, on the monotonic clock of the process that did; absent if that is this one. */
  readonly measuredAtMs?: number | undefined;
  /** The highest memory so far, if that is known. */
  readonly peakBytes?: number | undefined;
  readonly processes: number;
  /** The kernel killed one of its processes at its memory limit; the others are still there. */
  readonly isOutOfMemory?: boolean | undefined;
  /** Only something to compare the next one with: where figures come late, the first ones say nothing about the present. */
  readonly isBaseline?: boolean | undefined;
  /** Measures the memory again, with shared memory counted once. No job is killed before that. */
  readonly exactly?: (() => Promise<number>) | undefined;
}

export type Uses = ReadonlyMap<StepId, StepUse>;
