import type { Report } from '../conversion.ts';
import type { Target } from './database.ts';
import { prefixOf, writtenLines } from './recipe.ts';
import type { RecipeStep } from './trace.ts';

/**
 * The steps without what `$(info …)` in the next recipe printed: make expands a recipe before it names its target, so these
 * lines stand behind the commands of the step before.
 *
 * A recipe runs as many lines as were written, unless a line is nothing but a variable, which may hold several.
 */
export function withoutMessages(
  steps: readonly RecipeStep[],
  targets: ReadonlyMap<string, Target>,
  report: Report,
): RecipeStep[] {
  return steps.map((step, at) => {
    const written = writtenLines(targets.get(step.target)?.recipe ?? []).filter((line) => line.trim() !== '');
    if (written.length === 0 || step.lines.length <= written.length) return step;
    if (!written.some(isVariable)) return { ...step, lines: step.lines.slice(0, written.length) };
    const next = targets.get(steps[at + 1]?.target ?? '');
    if (next?.recipe.some((line) => /\$[({](?:info|call)\s/.test(line)) === true)
      report.leaveOut(
        `the recipe of ${step.target}`,
        'the job may also run lines that $(info) prints for the next target; look at its command',
        step.line,
        step.file,
      );
    return step;
  });
}

const isVariable = (line: string): boolean =>
  /^\$(?:\(.*\)|\{.*\}|\w)$/s.test(line.slice(prefixOf(line).length).trim());
