import { number, optionsOf } from './option.ts';

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
    read: number('--poll-interval', 0.001),
  },
  {
    flags: '--claim-backoff-max-secs <s>',
    says: 'maximum polling interval of the runners while jobs run',
    read: number('--claim-backoff-max-secs', 0),
  },
]);
