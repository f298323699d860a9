import type { Amounts } from '../../core/job/amounts.ts';
import type { ValueMap } from '../../core/workflow-file/text/value.ts';
import type { Report } from '../conversion.ts';
import type { SubmitCall } from './driver.ts';
import type { Indices, IndexRules } from './indices.ts';
import type { Directive, Script } from './script.ts';

/** A batch system whose scripts are converted: its options and what it gives to a task. */
export interface ArrayDialect extends SubmitCall {
  /** For people: `Slurm`. */
  readonly system: string;
  readonly indexRules: IndexRules;
  /** What says that there is no array, and how one is given. */
  readonly noArray: string;
  /** A script without `#!` is refused; otherwise bash runs it. */
  readonly needsInterpreter: boolean;
  /** Where a script begins that does not say it: the folder of the jobs, or the home of the user. */
  startsAtHome(script: Script): boolean;
  /** The words of an option, for the report. */
  textOf(directive: Directive): string;
  requirementsOf(directives: Directives, report: Report): ValueMap | undefined;
  licensesOf(directives: Directives, report: Report): Amounts | undefined;
  environmentOf(task: TaskOfScript, report: Report): TaskEnvironment;
  /** A job that is lost with its node runs again. */
  requeues(directives: Directives): boolean;
  /** Options that were carried over by now. */
  isCarried(name: string): boolean;
  /** What another option changes in the command; it goes to the report otherwise. */
  otherOption(
    directive: Directive,
    report: Report,
  ): { readonly folder?: string; readonly exported?: readonly string[] };
  /** What in a line of the script is different in a job. */
  reportLine(text: string, line: number, report: Report): void;
  /** The variable with the number of a task. */
  readonly taskVariable: RegExp;
  /** What a script with arguments is said. */
  readonly argumentHint: string;
}

export type Directives = ReadonlyMap<string, Directive>;

export interface TaskOfScript {
  readonly script: Script;
  readonly directives: Directives;
  readonly indices: Indices | undefined;
  readonly name: string;
  /** That holds the number of the task. */
  readonly parameter: string;
  readonly requirements: ValueMap | undefined;
}

/** The environment of a task that the script reads. */
export interface TaskEnvironment {
  /** Known before the workflow is created; `{task}` is the number of the task. */
  readonly fixed: Readonly<Record<string, string>>;
  /** Shell assignments, whose values are known when the job starts. */
  readonly assigned: readonly string[];
}

/** What a batch system puts into the environment of a task. */
export interface TaskVariables {
  /** The names of its variables in a text. */
  readonly names: RegExp;
  /** What the programs of the script may read too. */
  readonly always: Readonly<Record<string, string>>;
  /** What is added where the script names it. */
  readonly known: Readonly<Record<string, string>>;
  /** Shell words for what exists when the job starts. */
  readonly late: Readonly<Record<string, string>>;
}

/** The variables that a script gets, and the report on those that it names. */
export function environmentWith(
  { names, always, known, late }: TaskVariables,
  { body }: Script,
  report: Report,
): TaskEnvironment {
  const fixed = { ...always };
  const assigned: string[] = [];
  const found = new Map<string, number>();
  for (const { text, line } of body)
    for (const [name] of text.matchAll(names)) if (!found.has(name)) found.set(name, line);
  for (const [variable, line] of found) {
    if (variable in fixed) continue;
    const value = known[variable];
    const words = late[variable];
    if (value !== undefined) fixed[variable] = value;
    else if (words !== undefined) {
      assigned.push(`${variable}=${words}`);
      report.note(`$${variable}`, `${words} stands for it`, line);
    } else report.leaveOut(`$${variable}`, 'it has no counterpart; outside of an allocation it is empty', line);
  }
  return { fixed, assigned };
}
