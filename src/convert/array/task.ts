import { shellWord } from '../../core/text/shell-word.ts';
import type { ValueMap } from '../../core/workflow-file/text/value.ts';
import type { Report } from '../conversion.ts';
import type { ArrayDialect, Directives } from './dialect.ts';
import type { Indices } from './indices.ts';
import type { Script } from './script.ts';

/** A script as its batch system runs it. */
export interface Submitted {
  readonly script: Script;
  /** As jobs find it from the folder in which they run. */
  readonly path: string;
  /** Those of the script, and those of the command line in their place. */
  readonly directives: Directives;
  /** Undefined where it is no array. */
  readonly indices: Indices | undefined;
  /** The words behind the script; undefined where they are not known. */
  readonly args: readonly string[] | undefined;
  /** Of the job, and of the requirements and the failure handler that belong to it. */
  readonly name: string;
}

export interface ConvertedTask {
  readonly job: ValueMap;
  readonly requirements: ValueMap | undefined;
  readonly handler: ValueMap | undefined;
}

/** The parameter that holds the number of the task. */
const PARAMETER = 'task';

/** The name of the jobs of an array, or of the one job. */
export const jobNameOf = ({ name, indices }: Pick<Submitted, 'name' | 'indices'>): string =>
  indices === undefined ? name : `${name}_{${PARAMETER}}`;

/** One job, with a parameter if it is an array: each instance runs the script with the environment that a task of the array has. */
export function convertTask(task: Submitted, dialect: ArrayDialect, report: Report): ConvertedTask {
  const { script, path, directives, indices, args, name } = task;
  const requirements = dialect.requirementsOf(directives, report);
  const licenses = dialect.licensesOf(directives, report);
  const { fixed, assigned } = dialect.environmentOf(
    { script, directives, indices, name, parameter: PARAMETER, requirements },
    report,
  );
  const { folder = dialect.startsAtHome(script) ? '' : undefined, exported } = carried(directives, dialect, report);
  reportBody(task, dialect, report);
  const found = folder === undefined || path.startsWith('/') ? shellWord(path) : `"$OLDPWD"/${shellWord(path)}`;
  const words = (args ?? []).map(shellWord);
  const command = [...assigned, ...exported, script.interpreter ?? '/bin/bash', found, ...words].join(' ');
  const requeues = dialect.requeues(directives);
  return {
    job: {
      name: jobNameOf(task),
      command: folder === undefined ? command : `cd${folder === '' ? '' : ` ${shellWord(folder)}`} && ${command}`,
      ...(indices === undefined ? {} : { parameters: { [PARAMETER]: indices.values } }),
      ...(indices?.limit === undefined ? {} : { max_running: indices.limit }),
      ...(Object.keys(fixed).length === 0 ? {} : { env: fixed }),
      ...(licenses === undefined ? {} : { licenses }),
      ...(requirements === undefined ? {} : { resource_requirements: name }),
      ...(requeues ? { failure_handler: name } : {}),
    },
    requirements: requirements === undefined ? undefined : { name, ...requirements },
    handler: requeues ? { name, on_node_fail: 'retry' } : undefined,
  };
}

/** The folder of the tasks, and the variables that they are given; the other options go to the report. */
function carried(directives: Directives, dialect: ArrayDialect, report: Report) {
  let folder: string | undefined;
  const exported: string[] = [];
  for (const [name, directive] of directives) {
    if (dialect.isCarried(name)) continue;
    const change = dialect.otherOption(directive, report);
    folder = change.folder ?? folder;
    for (const each of change.exported ?? []) exported.push(each);
  }
  return { folder, exported };
}

/** `NAME=value` as a shell assigns it. */
export const assignmentOf = (word: string): string =>
  word.replace(/=(.*)$/s, (_, value: string) => `=${shellWord(value)}`);

const ARGUMENT = /(?:^|[\s;&|("'=/])\$(?:[1-9@*]|\{[1-9@*]\}|#(?![\w{]))/;

/** What in the program of the script is different in a job. */
function reportBody(
  { script: { body, unread }, args, indices }: Submitted,
  dialect: ArrayDialect,
  report: Report,
): void {
  const { marker, program, taskVariable, argumentHint } = dialect;
  for (const line of unread)
    report.note(`${marker} behind the first command`, `${program} does not read it either`, line);
  for (const { text, line } of body) {
    dialect.reportLine(text, line, report);
    if (args === undefined && ARGUMENT.test(text) && !/awk|perl|sed|function|\(\)\s*\{/.test(text))
      report.leaveOut('an argument of the script ($1, $@)', argumentHint, line);
  }
  if (indices !== undefined && !body.some(({ text }) => taskVariable.test(text)))
    report.note(`no $${taskVariable.source} in the script`, 'its programs find the variable in their environment');
}
