import { Refusal } from '../../core/contract/refusals.ts';
import { reportOf, type Conversion } from '../conversion.ts';
import { fileEntries } from '../file-names.ts';
import { compareLines, compareOrder, type JobOrder } from './agreement.ts';
import { commandIn, type RecipeRun } from './command.ts';
import { readDatabase } from './database.ts';
import { deletingOnError } from './delete-on-error.ts';
import { differencesOf, forAll, type RecipeEnvironment } from './environment.ts';
import { madeBy, type MakeReading } from './made.ts';
import { neededBy } from './needs.ts';
import { writtenLines } from './recipe.ts';
import { reportExisting, reportSpecialTargets, reportTexts } from './reports.ts';
import { readSecondLook } from './second-look.ts';
import { readTrace, type RecipeStep } from './trace.ts';

/** What make printed for the targets that were asked for. */
export interface MakeRun extends RecipeRun {
  readonly makefile: string;
  /** The targets that were asked for, or the default one. */
  readonly goals: readonly string[];
  /** The standard output of `make -n -B --trace --debug=v -p`. */
  readonly printed: string;
  /** The standard output of `make -n -B`. */
  readonly plain: string;
  /** The answer to the makefile of `secondLookOf`, if there is one. */
  readonly answer: string | undefined;
  readonly environment: RecipeEnvironment;
  /** The makefiles. */
  readonly texts: readonly string[];
}

/**
 * The recipes that make runs for some targets, as jobs with files: make itself has resolved variables, pattern rules and
 * includes, and every prerequisite is an input or a dependency. What it printed in other ways is compared with the jobs.
 *
 * Throws: `CONVERSION_REFUSED` if make runs nothing.
 */
export function convertMake(run: MakeRun): Conversion {
  const { makefile, goals, printed, plain, environment } = run;
  const report = reportOf(makefile);
  const { steps, walk, others, unread, database } = readTrace(printed);
  if (!/^# Finished Make data base on /m.test(database))
    throw new Refusal('CONVERSION_REFUSED', `${makefile}: what make prints ends before its end`);
  const { targets } = readDatabase(database);
  const ran = targets.has('.ONESHELL') ? steps : steps.map(cutAtLineEnds);
  const made = madeBy(ran, targets);
  if (made.size === 0)
    throw new Refusal(
      'CONVERSION_REFUSED',
      `${makefile}: make runs no recipe for ${goals.join(' ')}, so there are no jobs`,
    );
  const look = readSecondLook(printed, run.answer ?? '', environment.mayExport);
  const reading: MakeReading = { targets, made, walk, look, report };
  const files = fileEntries();
  const order: JobOrder[] = [];
  const jobs = [...new Set(made.values())].map((job) => {
    const { inputs, dependsOn } = neededBy(job, reading);
    order.push({ name: job.name, inputs, dependsOn, outputs: job.outputs });
    const { set, unset } = differencesOf(job, targets, look, environment, report);
    const command = deletingOnError(commandIn(job, run, reading), job, targets);
    return {
      name: job.name,
      command: unset.length === 0 ? command : `unset ${unset.join(' ')}\n${command}`,
      ...(Object.keys(set).length === 0 ? {} : { env: set }),
      ...(dependsOn.length === 0 ? {} : { depends_on: dependsOn }),
      ...(inputs.length === 0 ? {} : { input_files: inputs.map(files.nameOf) }),
      ...(job.outputs.length === 0 ? {} : { output_files: job.outputs.map(files.nameOf) }),
    };
  });
  reportExisting(
    [...made.keys()].filter((name) => !walk.missing.has(name) && targets.get(name)?.isPhony !== true),
    report,
  );
  reportTexts(run.texts, report);
  reportSpecialTargets(targets, made, report);
  for (const target of unread)
    report.leaveOut(`the recipe of ${target}`, 'this version of make prints it in a way that is not known');
  compareOrder(order, new Map([...made].map(([target, { name }]) => [target, name])), walk, report);
  compareLines(steps, others, plain, report);
  report.note(
    'no resources',
    'make knows only how many recipes run at once; add resource_requirements where a job needs more than one CPU',
  );
  const env = forAll(environment, look);
  const temporary = intermediateOf(targets);
  const read = new Set(order.flatMap(({ inputs }) => inputs));
  const entries = files.entries.map((entry) => {
    const path = entry['path'] as string;
    return temporary.has(path) && read.has(path) ? { ...entry, temporary: true } : entry;
  });
  return {
    workflow: {
      name: `make ${goals.join(' ')}`,
      ...(Object.keys(env).length === 0 ? {} : { env }),
      jobs,
      ...(entries.length === 0 ? {} : { files: entries }),
    },
    notes: report.notes,
  };
}

/** The targets that make deletes when what needs them is made: `.SECONDARY` and `.PRECIOUS` keep them. */
function intermediateOf(targets: MakeReading['targets']): ReadonlySet<string> {
  const named = (special: string) => targets.get(special)?.prerequisites ?? [];
  const kept = new Set([...named('.SECONDARY'), ...named('.PRECIOUS')]);
  return new Set(named('.INTERMEDIATE').filter((each) => !kept.has(each)));
}

/** Make cuts recipes at line ends that no backslash continues, so what is more was printed by a line that make runs also now. */
const cutAtLineEnds = (step: RecipeStep): RecipeStep => ({
  ...step,
  lines: step.lines.map((line) => ({ ...line, text: writtenLines(line.text.split('\n'))[0] ?? '' })),
});
