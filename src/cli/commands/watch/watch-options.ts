import { integerOption, numberOption, option, optionsOf } from '../../command/option.ts';
import { notifyOptions } from '../../notify/receivers.ts';
import { recoveryOptions } from '../../recovery/recovery-options.ts';

export const watchOptions = optionsOf([
  option('-p, --poll-interval <s>', 'seconds between two looks at the workflow', {
    default: 60,
    read: numberOption(0.1),
  }),
  option('-r, --recover', 'recover the workflow when it failed'),
  option('-m, --max-retries <n>', 'maximum number of recoveries (default: no limit)', {
    read: integerOption(0),
  }),
  option('--max-fruitless <n>', 'end after so many allocations in a row in which no job started; 0 for no limit', {
    default: 3,
    read: integerOption(0),
  }),
  option('-s, --show-job-counts', 'print the number of jobs in each status when it changes'),
  option('--persistent', 'watch also while no runner works on the workflow'),
  option(
    '--auto-schedule',
    'submit allocations when jobs wait and none is left, and for jobs that are retried or spawned',
  ),
  option('--auto-schedule-threshold <n>', 'number of retried or spawned jobs that get allocations of their own', {
    default: 5,
    read: integerOption(1),
  }),
  option('--auto-schedule-cooldown <s>', 'seconds between two submissions for such jobs', {
    default: 1800,
    read: numberOption(0),
  }),
  option('--auto-schedule-stranded-timeout <s>', 'seconds after which fewer such jobs get allocations of their own', {
    default: 7200,
    read: numberOption(0),
  }),
  ...notifyOptions,
  ...recoveryOptions,
]);
