import { type ArrayDialect, environmentWith } from '../array/dialect.ts';
import { assignmentOf } from '../array/task.ts';
import { licensesOf } from './licenses.ts';
import { readSbatchOptions } from './options.ts';
import { reportOther } from './other-options.ts';
import { directiveText, requirementsOfDirectives, RESOURCES } from './requirements.ts';
import { variablesOfSlurm } from './variables.ts';

const CARRIED: ReadonlySet<string> = new Set(['array', 'job-name', 'licenses', 'requeue', 'no-requeue']);

/** Scripts of Slurm: sbatch(1). */
export const slurmArrays: ArrayDialect = {
  system: 'Slurm',
  program: 'sbatch',
  marker: '#SBATCH',
  readOptions: readSbatchOptions,
  // Slurm's own limit, MaxArraySize, is 4,000,001 at most.
  indexRules: { option: '--array=', areLists: true, end: 4_000_001, name: 'Slurm' },
  noArray: 'there is no line #SBATCH --array; if it was given to sbatch, give it here as --array 1-10',
  needsInterpreter: true,
  startsAtHome: () => false,
  textOf: directiveText,
  requirementsOf: requirementsOfDirectives,
  licensesOf: (directives, report) => licensesOf(directives.get('licenses'), report),
  environmentOf: (task, report) => environmentWith(variablesOfSlurm(task), task.script, report),
  requeues: (directives) => directives.has('requeue') && !directives.has('no-requeue'),
  isCarried: (name) => CARRIED.has(name) || RESOURCES.has(name),
  otherOption(directive, report) {
    const { name, value = '', line } = directive;
    if (name === 'chdir') return { folder: value };
    if (name === 'export') {
      const words = value.split(',');
      if (!words.includes('ALL'))
        report.note(directiveText(directive), 'jobs have the environment of the runner', line);
      return { exported: words.filter((word) => word.includes('=')).map(assignmentOf) };
    }
    if (name === 'input')
      report.leaveOut(directiveText(directive), 'jobs read nothing; write < FILE behind the command', line);
    else reportOther(directive, report);
    return {};
  },
  reportLine(text, line, report) {
    if (/(?:^|[\s;&|(`])srun\s/.test(text))
      report.leaveOut(
        'srun',
        'it starts tasks of an allocation, and a job is one process: write the program alone',
        line,
      );
    if (/\bscontrol\s+requeue|\bsbatch\s/.test(text))
      report.leaveOut('sbatch', 'it submits to Slurm, which is no part of the workflow', line);
  },
  taskVariable: /SLURM_ARRAY_TASK_ID/,
  argumentHint: 'the job has none; give what was given to sbatch behind the script as --args "…"',
};
