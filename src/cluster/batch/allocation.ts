import type { AllocationRun } from '../../core/allocation/allocation-end.ts';
import { type HostFacts, limited } from '../host/facts.ts';

/** The allocation in which a process runs. A program reads it once, and passes it on as a value. */
export interface Allocation {
  readonly jobId: number;
  /** The job array of which it is a task. */
  readonly arrayJobId?: number | undefined;
  readonly nodeId: number;
  readonly taskPid: number;
  readonly nodes: number;
  /** Their names as the batch system writes them, such as `n[1-2]`. */
  readonly nodeList?: string | undefined;
  /** CPUs of this node that belong to the allocation; undefined if they are not known. */
  readonly cpus: number | undefined;
  /** CPUs of each of its nodes, in their order; undefined if they are not known. */
  readonly cpusPerNode?: readonly number[] | undefined;
  /** Memory and devices of each of its nodes, where they may differ. */
  readonly memoryPerNode?: readonly (number | undefined)[] | undefined;
  readonly gpusPerNode?: readonly number[] | undefined;
  /** CPUs of one of several runners on the node. */
  readonly cpusPerTask?: number | undefined;
  /** Memory of this node that belongs to it; undefined if it is not known. */
  readonly memoryBytes: number | undefined;
  /** Memory is granted for each CPU: a node with more CPUs has more of it. */
  readonly isMemoryPerCpu?: boolean | undefined;
  /** The devices of this node that belong to it, by number; undefined if it names none. */
  readonly gpus?: readonly string[] | undefined;
  /** Whether it has devices. */
  readonly hasGpus?: boolean | undefined;
  /** When it began and ends, in Unix milliseconds by the clock of the batch system, as far as the process was given it. */
  readonly beganAtMs?: number | undefined;
  readonly endsAtMs?: number | undefined;
  /** The run of it in which the process is, as the batch system reports it. */
  readonly run?: AllocationRun | undefined;
  /** How often it was requeued: it runs for the first time at 0. */
  readonly restarts: number;
  /** The step in which the process runs, as the accounting names it; empty outside of steps. */
  readonly step: string;
  /** The process is a step that holds resources: steps that it starts would wait for them. */
  readonly isInStep: boolean;
  /** Whether the program that starts steps is here. */
  readonly canStartSteps: boolean;
}

/** The id of an allocation as records and processes have it; empty outside of an allocation. */
export const jobIdOf = (allocation: Pick<Allocation, 'jobId'> | undefined): string =>
  allocation === undefined ? '' : String(allocation.jobId);

/**
 * The resources of the machine that this process may use, also if the batch system does not enforce the limits of the allocation.
 */
export const withinAllocation = (facts: HostFacts, allocation: Allocation | undefined): HostFacts =>
  allocation === undefined ? facts : limited(facts, allocation, `allocation ${allocation.jobId}`);
