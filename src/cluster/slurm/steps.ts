import { askSlurm } from './programs.ts';
import { accountedSteps, type AccountedStep } from './sacct.ts';
import { signalSteps } from './scancel.ts';
import { openSqueue } from './squeue.ts';
import { type StepFigures, stepUsesOf } from './sstat.ts';

/** The steps of one allocation, as Slurm's programs show them. Every call throws `HelperFailed`. */
export interface AllocationSteps {
  /** The running steps: their names with their ids, such as `12.3`. */
  ids(): Promise<ReadonlyMap<string, string>>;
  /** The present use of the running steps, by id. */
  uses(): Promise<ReadonlyMap<string, StepFigures>>;
  /** What the accounting has of the steps so far, by name. A step may be missing for some time. */
  accounted(): Promise<ReadonlyMap<string, AccountedStep>>;
  /** Sends a signal to steps, by their ids. Those that have ended are no error. */
  signal(ids: readonly string[], signal: string): Promise<void>;
}

export function stepsOfAllocation(
  jobId: number,
  environment: Readonly<Record<string, string | undefined>>,
): AllocationSteps {
  const ask = askSlurm(environment);
  return {
    ids: () => openSqueue(ask).steps(jobId),
    uses: () => stepUsesOf(ask, jobId),
    accounted: () => accountedSteps(ask, jobId),
    signal: (ids, signal) => signalSteps(ask, ids, signal),
  };
}
