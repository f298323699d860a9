import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { isScriptOf } from '../../core/allocation/names.ts';

/**
 * The processes of this machine that give a script with one of these tokens to Slurm at this moment: sbatch outlives a
 * command that was killed, and its job may not be in the queue yet.
 */
export const submissionsUnderWay = (tokens: readonly string[], root = '/proc'): number[] =>
  readdirSync(root)
    .filter((entry) => /^\d+$/.test(entry))
    .filter((entry) => {
      const words = commandLine(`${root}/${entry}/cmdline`);
      return (
        words.some((word) => basename(word).startsWith('sbatch')) &&
        words.some((word) => tokens.some((token) => isScriptOf(word, token)))
      );
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
