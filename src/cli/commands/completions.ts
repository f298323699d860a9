import type { Command } from '../command.ts';
import { UsageError } from '../failure.ts';

const shells = ['bash', 'elvish', 'fish', 'powershell', 'zsh'] as const;

export const completions: Command = {
  words: 'completions <shell>',
  says: `Print the completion script of a shell: ${shells.join(', ')}.`,
  more: 'bash:  source <(torc completions bash)\nzsh:   source <(torc completions zsh)\nfish:  torc completions fish | source',
  offline: true,
  ignoresConfiguration: true,
  async run({ output }, [shell]) {
    if (shell === 'elvish') {
      output.text(ELVISH);
      return;
    }
    if (!shells.includes(shell as (typeof shells)[number])) {
      throw new UsageError(`no completion script for "${String(shell)}"; expected one of ${shells.join(', ')}`);
    }
    const { script } = await import('@bomb.sh/tab');
    script(shell as string, 'torc', 'torc');
  },
};

// The library that generates the other scripts does not support this shell; the program answers it in the same way.
const ELVISH = `use str
set edit:completion:arg-completer[torc] = {|@words|
  torc complete -- (all $words[1..]) | each {|line|
    if (not (str:has-prefix $line ':')) {
      put (str:split "\\t" $line | take 1)
    }
  }
}`;
