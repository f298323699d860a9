import type { Report } from '../conversion.ts';
import type { Target } from './database.ts';
import { prefixOf, writtenLines } from './recipe.ts';

interface Recipe {
  readonly target: string;
  /** The lines that make printed. */
  readonly lines: readonly string[];
  readonly file: string | undefined;
  readonly line: number | undefined;
}

/**
 * The lines of a recipe whose failure make ignores: those with `-` before them, or all with `.IGNORE`.
 *
 * Make prints lines without the `-`, so this reads the recipe as it was written; and with its variables replaced (`expanded`) if a
 * line begins with one. It must have as many lines.
 */
export function ignoredLines(
  { target, lines, file, line }: Recipe,
  targets: ReadonlyMap<string, Target>,
  expanded: readonly (readonly string[])[] | undefined,
  report: Report,
): ReadonlySet<number> {
  const all = new Set(lines.keys());
  const ignore = targets.get('.IGNORE');
  if (ignore !== undefined && (ignore.prerequisites.length === 0 || ignore.prerequisites.includes(target))) return all;
  const isOneShell = targets.has('.ONESHELL');
  const written = writtenLines(targets.get(target)?.recipe ?? []);
  const each = expanded ?? written.filter((one) => one.trim() !== '').map((one) => [one]);
  const prefixes = each
    // A prefix as it was written is one of all lines of its variable.
    .flatMap((some, at) =>
      some.map((one) => prefixOf(one) + prefixOf(expanded === undefined ? '' : (written[at] ?? ''))),
    )
    .slice(0, isOneShell ? 1 : undefined);
  if (prefixes.some((prefix) => prefix.includes('+')))
    report.note(`+ before a line of ${target}`, 'make ran this line also while it only printed the others', line, file);
  const isUnknown =
    (expanded === undefined || prefixes.length !== lines.length) && !isOneShell && hidesPrefixes(written, lines.length);
  const isIgnored = prefixes.map((prefix) => prefix.includes('-'));
  if (!isIgnored.includes(true) && !isUnknown) return new Set();
  if (!isIgnored.includes(false)) return all;
  if (!isUnknown) return new Set([...lines.keys()].filter((at) => isIgnored[at] === true));
  report.leaveOut(
    `the lines of ${target}`,
    'a value may hide a - before one of them, which make does not print; write || true behind those that may fail, and no - before any',
    line,
    file,
  );
  return new Set();
}

/** Can a value hide a prefix? A line begins with a variable, or a variable has several lines. */
export const hidesPrefixes = (written: readonly string[], printed: number): boolean =>
  written.filter((line) => line.trim() !== '').length !== printed ||
  written.some((line) => line.slice(prefixOf(line).length).startsWith('$'));
