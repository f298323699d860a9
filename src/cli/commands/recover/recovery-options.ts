import { UsageError } from '../../failure.ts';
import { numberOption, option, optionsOf } from '../../option.ts';
import { limitOptions } from '../../slurm-options.ts';

const multiplier = <const Name extends string>(name: Name, what: string) =>
  option({
    flags: `--${name}-multiplier <factor>` as const,
    says: `factor by which ${what} is raised for jobs that had too little`,
    default: 1.5,
    read(text: string) {
      const value = numberOption(`--${name}-multiplier`)(text);
      if (value <= 0) throw new UsageError(`--${name}-multiplier: expected more than 0, found ${text}`);
      return value;
    },
  });

/** What `recover` and `watch` have in common. */
export const recoveryOptions = optionsOf([
  {
    flags: '-o, --output-dir <folder>',
    says: 'output folder of the runners, for journals and submissions',
    default: 'torc_output',
  },
  multiplier('memory', 'memory (and CPUs)'),
  multiplier('runtime', 'runtime'),
  { flags: '--retry-unknown', says: 'also run jobs again that failed for a reason which may come back' },
  {
    flags: '--recovery-hook <command>',
    says: 'command to run before jobs are reset; the workflow id is added at its end; implies --retry-unknown',
  },
  { flags: '--ai-recovery', says: 'let an agent decide about jobs that wait for a decision (pending_failed)' },
  { flags: '--ai-agent <command>', says: 'the agent; it gets the request on its standard input', default: 'claude' },
  { flags: '--partition <name>', says: 'the only partition for new allocations' },
  { flags: '--walltime <time>', says: 'walltime of new allocations: 04:00:00' },
  ...limitOptions,
]);
