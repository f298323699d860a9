import { patternText } from '../../core/text/pattern-text.ts';
import { type Conversion, reportOf, type Report } from '../conversion.ts';
import { uniqueNames } from '../unique-names.ts';
import { nameOfScript, batchScriptOf } from './convert.ts';
import type { ArrayDialect } from './dialect.ts';
import { readDriver, type Submission } from './driver.ts';
import { type Indices, readIndices } from './indices.ts';
import { directivesByName } from './script.ts';
import { convertTask, jobNameOf, type Submitted } from './task.ts';

export interface DriverScript {
  readonly text: string;
  readonly path: string;
  /** The text of a script that it submits. */
  readonly readFile: (path: string) => string;
}

/**
 * A script that submits several batch scripts, as one workflow: dependencies become `depends_on`.
 *
 * Throws: `CONVERSION_REFUSED` if one of the scripts would be refused.
 */
export function convertDriver({ text, path, readFile }: DriverScript, dialect: ArrayDialect): Conversion {
  const report = reportOf(path);
  const nameFor = uniqueNames();
  const submissions = readDriver(text, dialect, report);
  const steps = submissions.map((each) => stepOf(each, { readFile, nameFor, driver: path }, dialect));
  const converted = steps.map((step, place) => {
    const { job, requirements, handler } = convertTask(step, dialect, step.report);
    const needs = dependenciesOf({ steps, submissions }, place, report);
    return { job: { ...job, ...needs }, requirements, handler, notes: step.report.notes };
  });
  const all = converted.flatMap(({ requirements }) => requirements ?? []);
  const handlers = converted.flatMap(({ handler }) => handler ?? []);
  return {
    workflow: {
      name: uniqueNames()(nameOfScript(path, undefined)),
      description: `${path}, which submits to ${dialect.system}`,
      jobs: converted.map(({ job }) => job),
      ...(all.length === 0 ? {} : { resource_requirements: all }),
      ...(handlers.length === 0 ? {} : { failure_handlers: handlers }),
    },
    notes: [...report.notes, ...converted.flatMap(({ notes }) => notes)],
  };
}

interface Step extends Submitted {
  /** The name of its jobs in the batch system. */
  readonly jobName: string;
  readonly report: Report;
}

function stepOf(
  { script: path, options, args }: Submission,
  {
    readFile,
    nameFor,
    driver,
  }: Pick<DriverScript, 'readFile'> & { readonly nameFor: (text: string) => string; readonly driver: string },
  dialect: ArrayDialect,
): Step {
  const report = reportWithOptions(reportOf(path), new Set(options.map(dialect.textOf)), driver);
  const script = batchScriptOf(readFile(path), path, dialect);
  const directives = directivesByName([...script.directives, ...options]);
  const array = directives.get('array')?.value;
  const indices = array === undefined ? undefined : readIndices(array, dialect.indexRules);
  const jobName = nameOfScript(path, directives.get('job-name')?.value);
  // Its place in the workflow says what it waits for.
  const others = new Map([...directives].filter(([name]) => name !== 'dependency' || !isSingleton(directives)));
  return { script, path, directives: others, indices, args, name: nameFor(jobName), jobName, report };
}

/** The report of a script, in which options of the command line stand at their place in the script that submits it. */
function reportWithOptions(report: Report, given: ReadonlySet<string>, driver: string): Report {
  const placed =
    (remark: Report['note']): Report['note'] =>
    (found, instead, line, at) =>
      remark(found, instead, line, given.has(found) ? driver : at);
  return {
    note: placed(report.note),
    leaveOut: placed(report.leaveOut),
    get notes() {
      return report.notes;
    },
  };
}

const isSingleton = (directives: Submitted['directives']): boolean =>
  directives.get('dependency')?.value === 'singleton';

interface Chain {
  readonly steps: readonly Step[];
  readonly submissions: readonly Submission[];
}

/** `depends_on` and `depends_on_regexes` of a step. */
function dependenciesOf({ steps, submissions }: Chain, place: number, report: Report) {
  const step = steps[place] as Step;
  const { dependencies, line } = submissions[place] as Submission;
  const names = new Set<string>();
  const patterns = new Set<string>();
  const waitFor = (other: Step) => {
    if (other.indices === undefined) names.add(other.name);
    else patterns.add(`^${patternText(other.name)}_\\d+$`);
  };
  const own = readsSingleton(step) ? [{ type: 'singleton', on: [] }] : [];
  for (const { type, on } of [...dependencies, ...own]) {
    const others = on.map((each) => steps[each] as Step);
    if (type === 'afterok') for (const other of others) waitFor(other);
    else if (type === 'singleton') {
      for (const other of steps.slice(0, place)) if (other.jobName === step.jobName) waitFor(other);
    } else if (type === 'aftercorr') {
      for (const other of others)
        if (hasSameTasks(step.indices, other.indices)) names.add(jobNameOf(other));
        else {
          report.note('aftercorr', `the tasks of ${other.name} are others, so each task waits for all of them`, line);
          waitFor(other);
        }
    } else
      report.leaveOut(
        type,
        'a job of a workflow starts when those before it succeeded; an action or a failure handler acts on a failure',
        line,
      );
  }
  return {
    ...(names.size === 0 ? {} : { depends_on: [...names] }),
    ...(patterns.size === 0 ? {} : { depends_on_regexes: [...patterns] }),
  };
}

const readsSingleton = ({ script }: Step): boolean =>
  script.directives.some(({ name, value }) => name === 'dependency' && value === 'singleton');

const hasSameTasks = (one: Indices | undefined, other: Indices | undefined): boolean =>
  one !== undefined && JSON.stringify(one.values) === JSON.stringify(other?.values);
