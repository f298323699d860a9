import { Refusal } from '../../core/contract/refusals.ts';
import type { ValueMap } from '../../core/workflow-file/text/value.ts';
import { pathTokenIn, reportOf, type Conversion } from '../conversion.ts';
import { foldFamilies, type JobOrigin } from '../fold/fold.ts';
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
  const origins = new Map<ValueMap, JobOrigin>();
  const order: JobOrder[] = [];
  const temporary = intermediateOf(targets);
  const needs = [...new Set(made.values())].map((job) => ({ job, ...neededBy(job, reading) }));
  const read = new Set(needs.flatMap(({ inputs }) => inputs));
  const jobs = needs.map(({ job, inputs, dependsOn }) => {
    order.push({ name: job.name, inputs, dependsOn, outputs: job.outputs });
    const { set, unset } = differencesOf(job, targets, look, environment, report);
    const command = deletingOnError(commandIn(job, run, reading), job, targets);
    const token = pathTokenIn(command);
    if (token !== undefined)
      report.leaveOut(
        `${token} in the recipe of ${job.target}`,
        'in a command it is a path of the job: use another name',
      );
    const outputs = job.outputs.map((path) =>
      temporary.has(path) && read.has(path) ? { path, temporary: true } : path,
    );
    const entry: ValueMap = {
      name: job.name,
      command: unset.length === 0 ? command : `unset ${unset.join(' ')}\n${command}`,
      ...(Object.keys(set).length === 0 ? {} : { env: set }),
      ...(dependsOn.length === 0 ? {} : { depends_on: dependsOn }),
      ...(inputs.length === 0 ? {} : { inputs }),
      ...(outputs.length === 0 ? {} : { outputs }),
    };
    const { file, line, stem } = targets.get(job.target) ?? {};
    if (stem !== undefined) origins.set(entry, { rule: `${file}:${line}`, wildcards: new Map([['stem', stem]]) });
    return entry;
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
  const workflow: ValueMap = {
    name: `make ${goals.join(' ')}`,
    ...(Object.keys(env).length === 0 ? {} : { env }),
    jobs,
  };
  return { workflow: foldFamilies(workflow, (job) => origins.get(job)), notes: report.notes };
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
