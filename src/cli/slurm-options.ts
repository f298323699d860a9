import { integerOption, numberOption, optionsOf } from './option.ts';

/** Limits of submissions, for every command that submits. */
export const limitOptions = optionsOf([
  {
    flags: '--max-queued <n>',
    says: 'most allocations of the workflow that wait in the queue; the others follow as these start',
    setting: 'client.slurm.max_queued',
    read: integerOption('--max-queued', 1),
  },
  {
    flags: '--submit-rate <n>',
    says: 'most calls of sbatch in a minute',
    setting: 'client.slurm.submit_rate',
    read: numberOption('--submit-rate', 0.01),
  },
  { flags: '--no-job-arrays', says: 'submit equal allocations one by one, not as a job array' },
]);

/** Options of commands that submit allocations: they go to the runners. */
export const submitOptions = optionsOf([
  {
    flags: '-o, --output-dir <folder>',
    says: 'folder for scripts, job output and logs',
    default: 'torc_output',
  },
  {
    flags: '-p, --poll-interval <s>',
    says: 'polling interval of the runners in seconds',
    setting: 'client.slurm.poll_interval',
    read: numberOption('--poll-interval', 0.001),
  },
  {
    flags: '--claim-backoff-max-secs <s>',
    says: 'maximum polling interval of the runners while jobs run',
    read: numberOption('--claim-backoff-max-secs', 0),
  },
  ...limitOptions,
]);
