import { isFolderMade } from './outputs.ts';
import type { RecipeJob, MakeReading } from './made.ts';
import { ignoredLines } from './prefixes.ts';
import { commandOf } from './recipe.ts';
import { reportExpansions } from './reports.ts';
import type { MakeWalk } from './walk.ts';

/** What stands for `$(MAKE)` while make only prints: it would run a second make with all of its output. */
export const SUBMAKE = ': torc-make';

/** How the makefile lets make run recipes. */
export interface RecipeRun {
  /** The single letters of MAKEFLAGS that the makefile itself sets. */
  readonly flags: string;
  /** A line whose failure is ignored gets -c where others get -ec. */
  readonly isIgnoredWithoutE: boolean;
}

/** The command of a job, with notes on what is not the same. */
export function commandIn(
  { target, name, steps, outputs }: RecipeJob,
  { flags, isIgnoredWithoutE }: RecipeRun,
  reading: MakeReading,
): string {
  const { targets, walk, look, made, report } = reading;
  const lines = steps.flatMap((step) => step.lines);
  const texts = lines.map(({ text }) => text);
  const [{ line, file } = { line: undefined, file: undefined }] = steps;
  if (texts.some((each) => each.includes(SUBMAKE)))
    report.note(
      `$(MAKE) for ${target}`,
      `job ${name} runs make itself; convert the other makefile for jobs of its own`,
      line,
      file,
    );
  if (outputs.length === 0 && targets.get(target)?.isPhony !== true && !texts.every(isFolderMade))
    report.note(
      `${target} is not phony`,
      `its recipe does not write a file of this name: job ${name} declares no output`,
      line,
      file,
    );
  reportExpansions(target, targets.get(target), hasJobBefore(target, made, walk), report);
  const ignored = flags.includes('i')
    ? new Set(lines.keys())
    : ignoredLines({ target, lines: texts, line, file }, targets, look.expanded.get(target), report);
  const submake = flags === '' ? 'make' : `make -${flags}`;
  return commandOf(
    lines.map((each, at) => ({
      ...each,
      // A backslash keeps the blank behind it.
      text: each.text
        .replaceAll(SUBMAKE, submake)
        .trimStart()
        .replace(/(?<!\\)\s+$/, ''),
      flags: each.areFlagsOfMake && isIgnoredWithoutE && ignored.has(at) ? '-c' : each.flags,
    })),
    ignored,
    targets.has('.ONESHELL'),
  );
}

const hasJobBefore = (target: string, made: ReadonlyMap<string, unknown>, { before }: MakeWalk): boolean =>
  [...(before.get(target) ?? [])].some((each) => made.has(each));
