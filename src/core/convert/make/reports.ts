import type { Report } from '../conversion.ts';
import type { Target } from './database.ts';
import { prefixOf, writtenLines } from './recipe.ts';

/**
 * The lines of a recipe whose failure make ignores: those with `-` before them, or all with `.IGNORE`. Make prints lines without
 * the `-`, so this reads the recipe as it was written. It must have as many lines.
 */
export function ignoredLines(
  target: string,
  lines: readonly string[],
  targets: ReadonlyMap<string, Target>,
  { line, file }: { readonly line: number | undefined; readonly file: string | undefined },
  report: Report,
): ReadonlySet<number> {
  const all = new Set(lines.keys());
  const ignore = targets.get('.IGNORE');
  if (ignore !== undefined && (ignore.prerequisites.length === 0 || ignore.prerequisites.includes(target))) return all;
  const written = writtenLines(targets.get(target)?.recipe ?? []).filter((each) => each.trim() !== '');
  const prefixes = written.map(prefixOf);
  if (prefixes.some((prefix) => prefix.includes('+')))
    report.note(`+ before a line of ${target}`, 'make ran this line also while it only printed the others', line, file);
  const isIgnored = prefixes.map((prefix) => prefix.includes('-'));
  if (!isIgnored.includes(true)) return new Set();
  if (!isIgnored.includes(false)) return all;
  if (written.length === lines.length) return new Set([...lines.keys()].filter((at) => isIgnored[at] === true));
  report.leaveOut(
    `- before some lines of ${target}`,
    'which of the printed lines they are cannot be seen; write || true behind those that may fail',
    line,
    file,
  );
  return new Set();
}

/** What the special targets of make mean for a workflow. */
export function reportSpecialTargets(
  targets: ReadonlyMap<string, Target>,
  made: ReadonlyMap<string, unknown>,
  report: Report,
): void {
  const has = (name: string) => targets.has(name);
  if (has('.NOTPARALLEL'))
    report.leaveOut('.NOTPARALLEL', 'jobs run side by side unless files order them: torc run --max-parallel-jobs 1');
  if ([...targets.values()].some(({ prerequisites }) => prerequisites.includes('.WAIT')))
    report.leaveOut('.WAIT', 'it orders prerequisites that no file orders; add depends_on');
  if ((targets.get('.INTERMEDIATE')?.prerequisites.length ?? 0) > 0)
    report.note('.INTERMEDIATE', 'torc keeps all files');
  if (has('.DELETE_ON_ERROR'))
    report.note('.DELETE_ON_ERROR', 'torc keeps what a failed job wrote, and runs the job again from its beginning');
  for (const [name, { recipe, line, file }] of targets)
    if (made.has(name) && recipe.some((each) => /\$\?/.test(each)))
      report.note(
        `$? in the recipe of ${name}`,
        'it stands for all prerequisites, not for those that are newer',
        line,
        file,
      );
}
