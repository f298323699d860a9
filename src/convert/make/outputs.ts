import { patternText } from '../../core/text/pattern-text.ts';
import type { Target } from './database.ts';
import type { RecipeStep } from './trace.ts';

/**
 * Is the target a file that its recipe writes? A job that does not write what it declares fails in Torc, so a name without a
 * dot or a slash is one only where the recipe writes to it. A phony target is none, and a folder is none: every file that is
 * written in it makes it newer.
 */
export function isFileTarget(name: string, target: Target | undefined, steps: readonly RecipeStep[]): boolean {
  if (target?.isPhony === true || /\(.*\)$|\/$/.test(name)) return false;
  const lines = steps.flatMap((step) => step.lines.map(({ text }) => text));
  if (lines.every(isFolderMade)) return false;
  return /[./]/.test(name) || lines.some((line) => writes(line, name));
}

/** A line that makes a folder. */
export const isFolderMade = (line: string): boolean => /^\s*(?:mkdir|install -d)\s/.test(line);

/** `> name`, `-o name`, or the last argument of a program that writes to it. */
const writes = (line: string, name: string): boolean =>
  line
    .split(/[;&|\n]/)
    .some(
      (command) =>
        new RegExp(`(?:>\\s*|\\s-o\\s*|\\sof=)['"]?${patternText(name)}(?![\\w./-])`).test(command) ||
        (/^\s*(?:touch|cp|mv|ln|install|tee|ar|tar|zip)\s/.test(command) && wordsIn(command).includes(name)),
    );

const wordsIn = (line: string): string[] => line.split(/[\s'"();=<>|&]+/);
