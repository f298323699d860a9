/** What people type about allocations in a batch system, and its name in sentences. */
export interface BatchWords {
  readonly name: string;
  /** With jobs behind it: ends them, lets them start, and shows why they wait. */
  readonly cancel: string;
  readonly release: string;
  readonly whyTheyWait: (jobs: readonly string[]) => string;
  /** The programs that take a script, and that list jobs: those that wait and run, and those that ended. */
  readonly submit: string;
  readonly list: string;
  readonly account: string;
  /** Where allocations wait, and what names that place to the program that takes scripts, with a name behind it. */
  readonly place: string;
  readonly placeTitle: string;
  readonly placeOption: string;
  /** Its allocations name an account. */
  readonly wantsAccount: boolean;
  /** Sites choose the place of what names none by its needs. Otherwise it is the default one. */
  readonly mayRoute: boolean;
  /** A runner starts jobs on all nodes of its allocation in every mode, not as steps alone. */
  readonly reachesAllNodes: boolean;
}

const SLURM: BatchWords = {
  name: 'Slurm',
  cancel: 'scancel',
  release: 'scontrol release',
  whyTheyWait: (jobs) => `squeue --start -j ${jobs.join(',')}`,
  submit: 'sbatch',
  list: 'squeue',
  account: 'sacct',
  place: 'partition',
  placeTitle: 'Partition',
  placeOption: '--partition=',
  wantsAccount: true,
  mayRoute: true,
  reachesAllNodes: false,
};
const KNOWN: Readonly<Record<string, BatchWords>> = {
  pbs: {
    name: 'PBS',
    cancel: 'qdel',
    release: 'qrls',
    whyTheyWait: (jobs) => `qstat -s ${jobs.join(' ')}`,
    submit: 'qsub',
    list: 'qstat',
    account: 'qstat -x',
    place: 'queue',
    placeTitle: 'Queue',
    placeOption: '-q ',
    // Many sites charge a project, or the group of the user.
    wantsAccount: false,
    mayRoute: false,
    reachesAllNodes: true,
  },
};

/** The words of a batch system by its name; those of Slurm where none is said. */
export const batchWords = (system: string | undefined): BatchWords => KNOWN[(system ?? '').toLowerCase()] ?? SLURM;

/** The batch systems that a configuration can name. */
export const batchNames: readonly string[] = ['slurm', ...Object.keys(KNOWN)];
