import { integerOption, option, optionsOf } from '../../command/option.ts';

/** Which attempt at a job is meant. */
export const attemptOptions = optionsOf([
  option('--attempt <n>', 'this attempt (default the newest)', { read: integerOption(1) }),
  option('--run <n>', 'in this run of the workflow (default the newest)', { read: integerOption(0) }),
]);

export const outputOfRun = option(
  '-o, --output-dir <folder>',
  'the output folder of the run, where it is not the one that its runner registered',
  { setting: 'client.run.output_dir' },
);
