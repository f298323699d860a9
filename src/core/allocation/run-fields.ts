import type { AllocationRun } from './allocation-end.ts';

/**
 * The run of its allocation in which a runner registered, as Slurm reported it; empty if its record does not say it. Times are in
 * Unix seconds there, by Slurm's clock.
 */
export function slurmRunOf(scheduler: unknown): AllocationRun {
  if (typeof scheduler !== 'object' || scheduler === null) return {};
  const facts = scheduler as Readonly<Record<string, unknown>>;
  const number = (name: keyof SlurmRunFields, factor: number) => {
    const value = facts[name];
    return typeof value === 'number' && Number.isFinite(value) ? value * factor : undefined;
  };
  return {
    startedAtMs: number('slurm_start_time', 1000),
    submittedAtMs: number('slurm_submit_time', 1000),
    restarts: number('slurm_restarts', 1),
  };
}

/** How a record of a runner says the run of its allocation. */
interface SlurmRunFields {
  readonly slurm_start_time?: number;
  readonly slurm_submit_time?: number;
  readonly slurm_restarts?: number;
}

/** These fields, as far as the run is known. */
export const slurmRunFields = ({ startedAtMs, submittedAtMs, restarts }: AllocationRun): SlurmRunFields => ({
  ...(startedAtMs === undefined ? {} : { slurm_start_time: startedAtMs / 1000 }),
  ...(submittedAtMs === undefined ? {} : { slurm_submit_time: submittedAtMs / 1000 }),
  ...(restarts === undefined ? {} : { slurm_restarts: restarts }),
});
