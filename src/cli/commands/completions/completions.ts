import { command } from '../../command/command.ts';
import { shells } from '../../command/kinds.ts';
import { type Shell, scripts } from './scripts.ts';
import { UsageError } from '../../command/failure.ts';

export const completions = command('completions <shell>', {
  says: `Print the completion script of a shell: ${shells.join(', ')}.`,
  more: 'bash:  source <(torc completions bash)\nzsh:   source <(torc completions zsh)\nfish:  torc completions fish | source',
  offline: true,
  ignoresConfiguration: true,
  async run({ output }, [shell]) {
    if (!shells.includes(shell as Shell)) {
      throw new UsageError(`no completion script for "${String(shell)}"; expected one of ${shells.join(', ')}`);
    }
    output.text(scripts[shell as Shell].trimEnd());
  },
});
