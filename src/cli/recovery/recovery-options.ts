import { option, optionsOf, positiveOption } from '../command/option.ts';
import { limitOptions } from '../slurm/slurm-options.ts';

const multiplier = <const Name extends string>(name: Name, what: string) =>
  option(`--${name}-multiplier <factor>` as const, `factor by which ${what} is raised for jobs that had too little`, {
    default: 1.5,
    read: positiveOption,
  });

/** What `recover` and `watch` have in common. */
export const recoveryOptions = optionsOf([
  option('-o, --output-dir <folder>', 'output folder of the runners, for journals and submissions', {
    default: 'torc_output',
  }),
  multiplier('memory', 'memory (and CPUs)'),
  multiplier('runtime', 'runtime'),
  option('--retry-unknown', 'also run jobs again that failed for a reason which may come back'),
  option(
    '--recovery-hook <command>',
    'command to run before jobs are reset; the workflow id is added at its end; implies --retry-unknown',
  ),
  option('--ai-recovery', 'let an agent decide about jobs that wait for a decision (pending_failed)'),
  option('--ai-agent <command>', 'the agent; it gets the request on its standard input', { default: 'claude' }),
  option('--partition <name>', 'the only partition for new allocations'),
  option('--walltime <time>', 'walltime of new allocations: 04:00:00'),
  ...limitOptions,
]);
