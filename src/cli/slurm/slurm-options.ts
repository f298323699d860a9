import { integerOption, numberOption, option, optionsOf } from '../command/option.ts';

/** Of every command that runs jobs or submits runners. */
export const keepTemporary = option(
  '--keep-temporary',
  'delete no temporary files; a later run without this deletes them, or torc workflows clean',
  { setting: 'client.run.keep_temporary' },
);

/** Limits of submissions, for every command that submits. */
export const limitOptions = optionsOf([
  option(
    '--max-queued <n>',
    'most allocations of the workflow that wait in the queue; the others follow as these start, with the same limit (default: that of the plan, or client.slurm.max_queued)',
    { read: integerOption(1) },
  ),
  option('--submit-rate <n>', 'most calls of sbatch in a minute', {
    setting: 'client.slurm.submit_rate',
    read: numberOption(0.01),
  }),
  option('--no-job-arrays', 'submit equal allocations one by one, not as a job array'),
]);

/** Options of commands that submit allocations: they go to the runners. */
export const submitOptions = optionsOf([
  option('-o, --output-dir <folder>', 'folder for scripts, job output and logs', { default: 'torc_output' }),
  option('-p, --poll-interval <s>', 'polling interval of the runners in seconds', {
    setting: 'client.slurm.poll_interval',
    read: numberOption(0.001),
  }),
  option('--claim-backoff-max-secs <s>', 'maximum polling interval of the runners while jobs run', {
    read: numberOption(0),
  }),
  keepTemporary,
  ...limitOptions,
]);
