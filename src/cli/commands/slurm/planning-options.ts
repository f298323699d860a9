import { numberOption, optionsOf } from '../../option.ts';

/** Options of commands that plan allocations. */
export const planningOptions = optionsOf([
  {
    flags: '-a, --account <account>',
    says: 'Slurm account (default: that of slurm_defaults, or of the configuration)',
  },
  { flags: '--profile <name>', says: 'HPC profile; slurm is the cluster here (default: the one that is detected)' },
  {
    flags: '--group-by <what>',
    says: 'one scheduler for each partition, or for each entry of resource_requirements',
    choices: ['partition', 'resource-requirements'],
    default: 'partition',
  },
  {
    flags: '--walltime-strategy <what>',
    says: 'walltime from the longest job, or the limit of the partition',
    choices: ['max-job-runtime', 'max-partition-time'],
    default: 'max-job-runtime',
  },
  {
    flags: '--walltime-multiplier <x>',
    says: 'factor between the runtime of the longest job and the walltime',
    default: 1.5,
    read: numberOption('--walltime-multiplier', 0.1),
  },
]);
