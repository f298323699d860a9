import { noPrompts } from '../../choose/agree.ts';
import { command } from '../../command/command.ts';
import { recoveryOptions } from '../../recovery/recovery-options.ts';
import { option } from '../../command/option.ts';

export const recover = command('recover <workflow>', {
  says: 'Recover a workflow after failures: find out why jobs failed, raise what they lacked, and run them again.',
  more:
    'Corrects the records of what ended without a report, names the cause of each failure, raises memory, CPUs and runtime of jobs that had too ' +
    'little, resets the jobs that may succeed now, and submits allocations for all that waits. Jobs whose command failed stay as they ' +
    'are unless --retry-unknown is given. On a terminal it asks before it changes something.',
  options: [...recoveryOptions, option('--dry-run', 'only show the whole plan'), noPrompts],
  load: async () => (await import('./recover-as-asked.ts')).recoverAsAsked,
});
