import { Refusal } from '../../core/contract/refusals.ts';
import { shellWord } from '../../core/text/shell-word.ts';
import { shellWords } from '../../core/text/shell-words.ts';
import { reportOf, type Conversion, type Report } from '../conversion.ts';
import { uniqueNames } from '../unique-names.ts';
import { readScript, type Directive, type Script } from './directives.ts';
import { readIndices } from './indices.ts';
import { reportOther } from './other-options.ts';
import { requirementsOfDirectives, RESOURCES, directiveText } from './requirements.ts';
import { environmentOfArrayTask } from './variables.ts';

interface ArrayScript {
  readonly text: string;
  /** As jobs find it from the folder in which they run. */
  readonly path: string;
  /** The `--array` of the command line of sbatch, which wins over that of the script. */
  readonly array?: string | undefined;
  /** The arguments of the script, as behind it on the command line of sbatch. */
  readonly args?: string | undefined;
}

/** The parameter that holds the number of the task. */
const PARAMETER = 'task';

/**
 * A batch script with `#SBATCH --array` as one job with a parameter: each instance runs the script with the environment that
 * a task of the array has.
 *
 * Throws: `CONVERSION_REFUSED` if sbatch would refuse the script, or it is no array.
 */
export function convertSlurmArray({ text, path, array, args }: ArrayScript): Conversion {
  const report = reportOf(path);
  const script = readScript(text);
  if (script === undefined)
    throw new Refusal(
      'CONVERSION_REFUSED',
      `${path}:1: a batch script begins with #! and a program, and sbatch refuses it`,
    );
  const directives = byName(script.directives);
  const given = directives.get('array');
  const tasks = array ?? given?.value;
  if (tasks === undefined)
    throw new Refusal(
      'CONVERSION_REFUSED',
      `${path}: there is no line #SBATCH --array; if it was given to sbatch, give it here as --array 1-10`,
    );
  const indices = readIndices(tasks);
  if (indices.limit !== undefined)
    report.note(
      `--array=${tasks}`,
      `${indices.limit} tasks at a time become an option of the run: torc run --max-parallel-jobs ${indices.limit}`,
      array === undefined ? given?.line : undefined,
    );
  const name = uniqueNames()(directives.get('job-name')?.value ?? path.replace(/^.*\//, '').replace(/\.\w+$/, ''));
  const requirements = requirementsOfDirectives(directives, report);
  const { fixed, assigned } = environmentOfArrayTask(
    { script, directives, indices, name, parameter: PARAMETER, requirements },
    report,
  );
  const { folder, exported } = carried(directives, report);
  reportBody(script, args !== undefined, report);
  const found = folder === undefined || path.startsWith('/') ? shellWord(path) : `"$OLDPWD"/${shellWord(path)}`;
  const command = [...assigned, ...exported, script.interpreter, found, ...argumentsOf(args)].join(' ');
  const requeues = directives.has('requeue') && !directives.has('no-requeue');
  return {
    workflow: {
      name,
      description: `${path}, an array of Slurm`,
      jobs: [
        {
          name: `${name}_{${PARAMETER}}`,
          command: folder === undefined ? command : `cd ${shellWord(folder)} && ${command}`,
          parameters: { [PARAMETER]: indices.values },
          env: fixed,
          ...(requirements === undefined ? {} : { resource_requirements: name }),
          ...(requeues ? { failure_handler: name } : {}),
        },
      ],
      ...(requirements === undefined ? {} : { resource_requirements: [{ name, ...requirements }] }),
      ...(requeues ? { failure_handlers: [{ name, on_node_fail: 'retry' }] } : {}),
    },
    notes: report.notes,
  };
}

function argumentsOf(text: string | undefined): readonly string[] {
  const words = shellWords(text ?? '');
  if (words === undefined)
    throw new Refusal(
      'CONVERSION_REFUSED',
      `--args ${text}: a quote has no end; write it as on the command line of sbatch`,
    );
  return words.map(shellWord);
}

/** The last of each name, as sbatch reads them. */
const byName = (directives: readonly Directive[]): ReadonlyMap<string, Directive> =>
  new Map(directives.map((each) => [each.name, each]));

const CARRIED: ReadonlySet<string> = new Set(['array', 'job-name', 'requeue', 'no-requeue']);

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
function reportBody({ body, unread }: Script, hasArguments: boolean, report: Report): void {
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
  if (!body.some(({ text }) => /SLURM_ARRAY_TASK_ID/.test(text)))
    report.note('no $SLURM_ARRAY_TASK_ID in the script', 'its programs find the variable in their environment');
}
