import { shellWord } from '../../core/text/shell-word.ts';
import type { RecipeJob } from './made.ts';
import type { Target } from './database.ts';

/**
 * The command of a job with what `.DELETE_ON_ERROR` does: where it fails, files that it changed are removed, so that neither a
 * later attempt nor a later make finds half of one. Make compares the times too, and leaves what is precious.
 */
export function deletingOnError(
  command: string,
  { target, outputs }: RecipeJob,
  targets: ReadonlyMap<string, Target>,
): string {
  if (!targets.has('.DELETE_ON_ERROR') || outputs.length === 0 || isPrecious(target, targets)) return command;
  const files = outputs.map(shellWord);
  return [
    ...files.map((file, at) => `old_${at}=$(${timeOf(file)})`),
    // The command may change the folder or end its shell, and `set -e` has no effect in front of ||.
    '(',
    command,
    ')',
    'code=$?',
    ...files.map((file, at) => `test $code = 0 || test "$(${timeOf(file)})" = "$old_${at}" || rm -f -- ${file}`),
    'exit $code',
  ].join('\n');
}

/** Empty where there is no file, and where stat has no such option: then all files are kept. */
const timeOf = (file: string): string => `stat -c %y -- ${file} 2> /dev/null`;

/** A pattern in `.PRECIOUS` stands for the targets of a rule, which are not known here. */
function isPrecious(target: string, targets: ReadonlyMap<string, Target>): boolean {
  const precious = targets.get('.PRECIOUS')?.prerequisites;
  return precious?.some((each) => each === target || each.includes('%')) === true;
}
