import { readdirSync, readFileSync } from 'node:fs';
import { isScriptOf } from '../../core/allocation/names.ts';

/**
 * The processes of this machine that give a script with one of these tokens to a batch system at this moment: such a program outlives a
 * command that was killed, and its job may not be in the queue yet. `submits` says whether a command line is one of that program.
 */
export const processesThatSubmit = (
  tokens: readonly string[],
  submits: (words: readonly string[]) => boolean,
  root = '/proc',
): number[] =>
  readdirSync(root)
    .filter((entry) => /^\d+$/.test(entry))
    .filter((entry) => {
      const words = commandLine(`${root}/${entry}/cmdline`);
      return submits(words) && words.some((word) => tokens.some((token) => isScriptOf(word, token)));
    })
    .map(Number);

/** Empty if the process has ended. */
function commandLine(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').split('\0');
  } catch {
    return [];
  }
}
