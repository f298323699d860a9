import { batchNames } from '../../core/allocation/batch-words.ts';
import { GROUPINGS } from '../../hpc/grouping.ts';
import { numberOption, option, optionsOf } from '../command/option.ts';

/** Options of commands that plan allocations. */
export const planningOptions = optionsOf([
  option(
    '-a, --account <account>',
    'account of the allocations (default: that of slurm_defaults, or of the configuration)',
  ),
  option(
    '--profile <name>',
    `HPC profile; ${batchNames.join(' or ')} is the cluster here (default: the one that is detected)`,
  ),
  option(
    '--group-by <what>',
    'pack jobs by time and size; or give all of a partition, or of an entry of resource_requirements, what the largest needs',
    { choices: GROUPINGS, default: 'packed' },
  ),
  option('--walltime-strategy <what>', 'walltime from the longest job, or the limit of the partition', {
    choices: ['max-job-runtime', 'max-partition-time'],
    default: 'max-job-runtime',
  }),
  option('--walltime-multiplier <x>', 'factor between the runtime of the longest job and the walltime', {
    default: 1.5,
    read: numberOption(0.1),
  }),
]);
