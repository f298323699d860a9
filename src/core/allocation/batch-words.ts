/** What people type about allocations in a batch system, and its name in sentences. */
export interface BatchWords {
  readonly name: string;
  /** With jobs behind it: ends them, lets them start, and shows why they wait. */
  readonly cancel: string;
  readonly release: string;
  readonly whyTheyWait: (jobs: readonly string[]) => string;
}

const SLURM: BatchWords = {
  name: 'Slurm',
  cancel: 'scancel',
  release: 'scontrol release',
  whyTheyWait: (jobs) => `squeue --start -j ${jobs.join(',')}`,
};
const KNOWN: Readonly<Record<string, BatchWords>> = {
  PBS: { name: 'PBS', cancel: 'qdel', release: 'qrls', whyTheyWait: (jobs) => `qstat -s ${jobs.join(' ')}` },
};

/** The words of a batch system by its name; those of Slurm where none is said. */
export const batchWords = (system: string | undefined): BatchWords => KNOWN[system ?? ''] ?? SLURM;
