import { shellWord } from '../../core/text/shell-word.ts';
import type { ValueMap } from '../../core/workflow-file/text/value.ts';
import type { Report } from '../conversion.ts';
import type { Directive, Script } from './directives.ts';
import type { Indices } from './indices.ts';
import { licensesOf } from './licenses.ts';
import { reportOther } from './other-options.ts';
import { requirementsOfDirectives, RESOURCES, directiveText } from './requirements.ts';
import { environmentOfTask } from './variables.ts';

/** A script as sbatch runs it. */
export interface Submitted {
  readonly script: Script;
  /** As jobs find it from the folder in which they run. */
  readonly path: string;
  /** Those of the script, and those of the command line in their place. */
  readonly directives: ReadonlyMap<string, Directive>;
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
export function convertTask(task: Submitted, report: Report): ConvertedTask {
  const { script, path, directives, indices, args, name } = task;
  const requirements = requirementsOfDirectives(directives, report);
  const licenses = licensesOf(directives.get('licenses'), report);
  const { fixed, assigned } = environmentOfTask(
    { script, directives, indices, name, parameter: PARAMETER, requirements },
    report,
  );
  const { folder, exported } = carried(directives, report);
  reportBody(script, { hasArguments: args !== undefined, isArray: indices !== undefined }, report);
  const found = folder === undefined || path.startsWith('/') ? shellWord(path) : `"$OLDPWD"/${shellWord(path)}`;
  const words = (args ?? []).map(shellWord);
  const command = [...assigned, ...exported, script.interpreter, found, ...words].join(' ');
  const requeues = directives.has('requeue') && !directives.has('no-requeue');
  return {
    job: {
      name: jobNameOf(task),
      command: folder === undefined ? command : `cd ${shellWord(folder)} && ${command}`,
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

const CARRIED: ReadonlySet<string> = new Set(['array', 'job-name', 'licenses', 'requeue', 'no-requeue']);

/** The folder of the tasks, and the variables that sbatch gives them; the other options go to the report. */
function carried(directives: ReadonlyMap<string, Directive>, report: Report): { folder?: string; exported: string[] } {
  let folder: string | undefined;
  const exported: string[] = [];
  for (const [name, directive] of directives) {
    if (CARRIED.has(name) || RESOURCES.has(name)) continue;
    const { value = '', line } = directive;
    if (name === 'chdir') folder = value;
    else if (name === 'export') {
      const words = value.split(',');
      for (const word of words)
        if (word.includes('=')) exported.push(word.replace(/=(.*)$/s, (_, it: string) => `=${shellWord(it)}`));
      if (!words.includes('ALL'))
        report.note(directiveText(directive), 'jobs have the environment of the runner', line);
    } else if (name === 'input')
      report.leaveOut(directiveText(directive), 'jobs read nothing; write < FILE behind the command', line);
    else reportOther(directive, report);
  }
  return folder === undefined ? { exported } : { folder, exported };
}

const ARGUMENT = /(?:^|[\s;&|("'=/])\$(?:[1-9@*]|\{[1-9@*]\}|#(?![\w{]))/;

/** What in the program of the script is different in a job. */
function reportBody(
  { body, unread }: Script,
  { hasArguments, isArray }: { readonly hasArguments: boolean; readonly isArray: boolean },
  report: Report,
): void {
  for (const line of unread) report.note('#SBATCH behind the first command', 'sbatch does not read it either', line);
  for (const { text, line } of body) {
    if (/(?:^|[\s;&|(`])srun\s/.test(text))
      report.leaveOut(
        'srun',
        'it starts tasks of an allocation, and a job is one process: write the program alone',
        line,
      );
    if (!hasArguments && ARGUMENT.test(text) && !/awk|perl|sed|function|\(\)\s*\{/.test(text))
      report.leaveOut(
        'an argument of the script ($1, $@)',
        'the job has none; give what was given to sbatch behind the script as --args "…"',
        line,
      );
    if (/\bscontrol\s+requeue|\bsbatch\s/.test(text))
      report.leaveOut('sbatch', 'it submits to Slurm, which is no part of the workflow', line);
  }
  if (isArray && !body.some(({ text }) => /SLURM_ARRAY_TASK_ID/.test(text)))
    report.note('no $SLURM_ARRAY_TASK_ID in the script', 'its programs find the variable in their environment');
}
