import type { Report } from '../conversion.ts';
import type { Target } from './database.ts';

/** What the special targets of make mean for a workflow. */
export function reportSpecialTargets(
  targets: ReadonlyMap<string, Target>,
  made: ReadonlyMap<string, unknown>,
  report: Report,
): void {
  const has = (name: string) => targets.has(name);
  if (has('.NOTPARALLEL'))
    report.leaveOut('.NOTPARALLEL', 'jobs run side by side unless files order them: torc run --max-parallel-jobs 1');
  if ([...targets.values()].some(({ hasWait }) => hasWait))
    report.leaveOut('.WAIT', 'it orders prerequisites that no file orders; add depends_on');
  for (const [name, { recipe, line, file }] of targets) {
    if (has('.ONESHELL') && made.has(name) && recipe.some((each) => /^[\s@-]*\+|\$[({]MAKE[)}]/.test(each)))
      report.leaveOut(
        `.ONESHELL with + or $(MAKE) for ${name}`,
        'make runs it also while it only prints, and what it prints stands in the command',
        line,
        file,
      );
    if (made.has(name) && recipe.some((each) => /\$\?/.test(each)))
      report.note(
        `$? in the recipe of ${name}`,
        'it stands for all prerequisites, not for those that are newer',
        line,
        file,
      );
  }
}

/** Functions in a recipe that look at the machine when make is about to run it: make looked at it now. */
export function reportExpansions(
  name: string,
  target: Target | undefined,
  hasJobBefore: boolean,
  report: Report,
): void {
  const found = new Set((target?.recipe.join('\n') ?? '').match(/\$[({](?:shell|wildcard|file)\b/g));
  const say = (text: string, isLeftOut: boolean, instead: string) =>
    (isLeftOut ? report.leaveOut : report.note)(
      `${text} in the recipe of ${name}`,
      instead,
      target?.line,
      target?.file,
    );
  for (const each of found) {
    if (each.endsWith('file')) say('$(file)', true, 'make read or wrote the file now; the job does not');
    else say(`$(${each.slice(2)})`, hasJobBefore, 'the job has its value of today, before other jobs have run');
  }
}

/** Targets that are files already. */
export function reportExisting(names: readonly string[], report: Report): void {
  if (names.length === 0) return;
  const some = names.slice(0, 3).join(', ');
  report.note(
    names.length > 3 ? `${some} and ${names.length - 3} more files` : some,
    'they are there; the workflow makes them again, as make -B does',
  );
}

/** Make in $(shell …) is not run while make only prints: what it prints would be missing. */
export function reportTexts(texts: readonly string[], report: Report): void {
  if (texts.some((text) => /(?:\$[({]shell\s|!=)[^\n]*\$[({]MAKE[)}]/.test(text)))
    report.leaveOut('$(MAKE) in $(shell)', 'it was not run, so its value is empty; write make in place of $(MAKE)');
}
