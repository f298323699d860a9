import { Refusal } from '../../contract/refusals.ts';
import { reportOf, type Conversion, type Report } from '../conversion.ts';
import { fileEntries } from '../file-names.ts';
import { uniqueNames } from '../unique-names.ts';
import { readDatabase, type Target } from './database.ts';
import { commandOf, type RecipeShell } from './recipe.ts';
import { withoutMessages } from './messages.ts';
import { isFileTarget, isFolderMade } from './outputs.ts';
import { ignoredLines, reportSpecialTargets } from './reports.ts';
import { readTrace, type RecipeStep } from './trace.ts';

/** What make printed for the targets that were asked for. */
export interface MakeRun {
  readonly makefile: string;
  /** The targets that were asked for, or the default one. */
  readonly goals: readonly string[];
  /** The standard output of `make -n -B --trace -p`. */
  readonly printed: string;
  readonly shell: Omit<RecipeShell, 'isOneShell'>;
  /** The variables that the makefile exports to its recipes. */
  readonly environment: Readonly<Record<string, string>>;
}

/** What stands for `$(MAKE)` while make only prints: it would run a second make with all of its output. */
export const SUBMAKE = ': torc-make';

/** A recipe that becomes a job. */
interface Made {
  readonly target: string;
  readonly name: string;
  readonly steps: RecipeStep[];
  /** The targets that it makes and that are files. */
  readonly outputs: string[];
}

/**
 * The recipes that make runs for some targets, as jobs with files: make itself has resolved variables, pattern rules and
 * includes, and every prerequisite is an input or a dependency.
 *
 * Throws: `CONVERSION_REFUSED` if make runs nothing.
 */
export function convertMake({ makefile, goals, printed, shell, environment }: MakeRun): Conversion {
  const report = reportOf(makefile);
  const { steps: traced, database } = readTrace(printed);
  const targets = readDatabase(database);
  const steps = withoutMessages(traced, targets, report);
  const made = jobsOf(steps, targets);
  if (made.size === 0)
    throw new Refusal(
      'CONVERSION_REFUSED',
      `${makefile}: make runs no recipe for ${goals.join(' ')}, so there are no jobs`,
    );
  const files = fileEntries();
  const whole: RecipeShell = { ...shell, isOneShell: targets.has('.ONESHELL') };
  const jobs = [...new Set(made.values())].map((job) => {
    const { inputs, dependsOn } = needsOf(job, made, targets, report);
    return {
      name: job.name,
      command: commandIn(job, targets, whole, report),
      ...(dependsOn.length === 0 ? {} : { depends_on: dependsOn }),
      ...(inputs.length === 0 ? {} : { input_files: inputs.map(files.nameOf) }),
      ...(job.outputs.length === 0 ? {} : { output_files: job.outputs.map(files.nameOf) }),
    };
  });
  reportSpecialTargets(targets, made, report);
  report.note(
    'no resources',
    'make knows only how many recipes run at once; add resource_requirements where a job needs more than one CPU',
  );
  return {
    workflow: {
      name: `make ${goals.join(' ')}`,
      ...(Object.keys(environment).length === 0 ? {} : { env: environment }),
      jobs,
      ...(files.entries.length === 0 ? {} : { files: files.entries }),
    },
    notes: report.notes,
  };
}

/** The jobs by target; targets that one recipe makes together have the same job. */
function jobsOf(steps: readonly RecipeStep[], targets: ReadonlyMap<string, Target>): ReadonlyMap<string, Made> {
  const unique = uniqueNames();
  const made = new Map<string, Made>();
  for (const step of steps) {
    if (step.lines.length === 0) continue;
    const target = targets.get(step.target);
    const job = made.get(step.target) ?? { target: step.target, name: unique(step.target), steps: [], outputs: [] };
    job.steps.push(step);
    for (const each of [step.target, ...(target?.alsoMakes ?? [])]) {
      made.set(each, job);
      if (isFileTarget(each, targets.get(each) ?? target, job.steps) && !job.outputs.includes(each))
        job.outputs.push(each);
    }
  }
  return made;
}

function commandIn(
  { target, name, steps, outputs }: Made,
  targets: ReadonlyMap<string, Target>,
  shell: RecipeShell,
  report: Report,
): string {
  const lines = steps.flatMap((step) => step.lines);
  const [{ line, file } = { line: undefined, file: undefined }] = steps;
  if (lines.some((each) => each.includes(SUBMAKE)))
    report.note(
      `$(MAKE) for ${target}`,
      `job ${name} runs make itself; convert the other makefile for jobs of its own`,
      line,
      file,
    );
  if (outputs.length === 0 && targets.get(target)?.isPhony !== true && !lines.every(isFolderMade))
    report.note(
      `${target} is not phony`,
      `its recipe does not write a file of this name: job ${name} declares no output`,
      line,
      file,
    );
  const ignored = ignoredLines(target, lines, targets, { line, file }, report);
  return commandOf(
    lines.map((each) => each.replaceAll(SUBMAKE, 'make').trim()),
    ignored,
    shell,
  );
}

interface Needs {
  readonly inputs: readonly string[];
  readonly dependsOn: readonly string[];
}

/** The files that a job reads, and the jobs that come before without a file. */
function needsOf(
  job: Made,
  made: ReadonlyMap<string, Made>,
  targets: ReadonlyMap<string, Target>,
  report: Report,
): Needs {
  const inputs = new Set<string>();
  const dependsOn = new Set<string>();
  const seen = new Set<string>();
  const visit = (name: string, isOrderOnly: boolean): void => {
    if (seen.has(name)) return;
    seen.add(name);
    const other = made.get(name);
    const target = targets.get(name);
    if (other === job) return;
    if (other !== undefined && (isOrderOnly || !other.outputs.includes(name))) dependsOn.add(other.name);
    else if (other !== undefined) inputs.add(name);
    else {
      // A target without a recipe stands for its own prerequisites.
      for (const each of target?.prerequisites ?? []) visit(each, isOrderOnly);
      for (const each of target?.orderOnly ?? []) visit(each, true);
      if (target?.exists === true && !target.isPhony && !isOrderOnly) inputs.add(name);
      else if (target?.prerequisites.length === 0 && !target.exists && !isOrderOnly)
        report.note(
          `${name}, which no rule makes`,
          `make runs ${job.target} each time; torc runs it again only when its files change`,
          job.steps[0]?.line,
          job.steps[0]?.file,
        );
    }
  };
  for (const each of [job.target, ...job.outputs]) {
    for (const name of targets.get(each)?.prerequisites ?? []) visit(name, false);
    for (const name of targets.get(each)?.orderOnly ?? []) visit(name, true);
  }
  return { inputs: [...inputs], dependsOn: [...dependsOn] };
}
