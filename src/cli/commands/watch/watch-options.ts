import { integerOption, numberOption, optionsOf } from '../../option.ts';
import { recoveryOptions } from '../recover/recovery-options.ts';

export const watchOptions = optionsOf([
  {
    flags: '-p, --poll-interval <s>',
    says: 'seconds between two looks at the workflow',
    default: 60,
    read: numberOption('--poll-interval', 0.1),
  },
  { flags: '-r, --recover', says: 'recover the workflow when it failed' },
  {
    flags: '-m, --max-retries <n>',
    says: 'maximum number of recoveries (default: no limit)',
    read: integerOption('--max-retries', 0),
  },
  {
    flags: '--max-fruitless <n>',
    says: 'end after so many allocations in a row in which no job started; 0 for no limit',
    default: 3,
    read: integerOption('--max-fruitless', 0),
  },
  { flags: '-s, --show-job-counts', says: 'print the number of jobs in each status when it changes' },
  { flags: '--persistent', says: 'watch also while no runner works on the workflow' },
  {
    flags: '--auto-schedule',
    says: 'submit allocations when jobs wait and none is left, and for jobs that are retried or spawned',
  },
  {
    flags: '--auto-schedule-threshold <n>',
    says: 'number of retried or spawned jobs that get allocations of their own',
    default: 5,
    read: integerOption('--auto-schedule-threshold', 1),
  },
  {
    flags: '--auto-schedule-cooldown <s>',
    says: 'seconds between two submissions for such jobs',
    default: 1800,
    read: numberOption('--auto-schedule-cooldown', 0),
  },
  {
    flags: '--auto-schedule-stranded-timeout <s>',
    says: 'seconds after which fewer such jobs get allocations of their own',
    default: 7200,
    read: numberOption('--auto-schedule-stranded-timeout', 0),
  },
  ...recoveryOptions,
]);
