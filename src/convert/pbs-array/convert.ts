import { type ArrayDialect, environmentWith, type TaskOfScript, type TaskVariables } from '../array/dialect.ts';
import { type Script, wordSet } from '../array/script.ts';
import { assignmentOf } from '../array/task.ts';
import { ATTRIBUTE, qsubText, readQsubOptions, RESOURCE } from './options.ts';
import { isAsked, requirementsOfChunks } from './requirements.ts';

/** Options that change how allocations are made, and nothing in the result of a task. */
const OF_ALLOCATIONS = wordSet('account project queue priority begin hold user');
/** Those with no counterpart, and no effect on the result. */
const WITHOUT_EFFECT = wordSet('mail-user mail-type quiet foreground display checkpoint');
const OUTPUTS = wordSet('output error join keep remove');

/** Scripts of PBS Professional and OpenPBS: qsub(1B). */
export const pbsArrays: ArrayDialect = {
  system: 'PBS',
  program: 'qsub',
  marker: '#PBS',
  readOptions: readQsubOptions,
  indexRules: { option: '-J ', areLists: false, end: 2 ** 31, name: 'PBS' },
  noArray: 'there is no line #PBS -J; if it was given to qsub, give it here as --array 1-10',
  needsInterpreter: false,
  // PBS starts a script there; one that goes to the folder of its submission runs in that of the jobs.
  startsAtHome: (script) => !goesToSubmission(script),
  textOf: qsubText,
  requirementsOf: requirementsOfChunks,
  licensesOf: () => undefined,
  environmentOf: (task, report) => environmentWith(variablesOfPbs(task), task.script, report),
  requeues: (directives) => directives.get('rerunable')?.value === 'y',
  isCarried: (name) => name === 'array' || name === 'job-name' || name === 'rerunable' || isAsked(name),
  otherOption(directive, report) {
    const { name, value = '', line } = directive;
    const text = qsubText(directive);
    if (name === 'export') {
      report.note(text, 'jobs have the environment of the runner, and these', line);
      return {
        exported: value
          .split(',')
          .filter((word) => word.includes('='))
          .map(assignmentOf),
      };
    }
    if (name === 'whole-environment') report.note(text, 'jobs have the environment of the runner', line);
    else if (name === 'shell') report.leaveOut(text, 'write it behind #! in the script', line);
    else if (name === 'dependency')
      report.leaveOut(text, 'it names jobs of PBS; add depends_on if the other job becomes part of the workflow', line);
    else if (name === `${ATTRIBUTE}umask`) report.note(text, 'jobs have the umask of the runner', line);
    else if (name === `${ATTRIBUTE}block`) report.note(text, 'torc run waits for the jobs', line);
    else if (name === `${RESOURCE}place` || name.startsWith(RESOURCE) || OF_ALLOCATIONS.has(name))
      report.note(text, 'jobs do not choose allocations; write it under pbs_schedulers', line);
    else if (OUTPUTS.has(name))
      report.note(text, 'torc writes what jobs print below torc_output/job_stdio; torc jobs output shows it', line);
    else if (WITHOUT_EFFECT.has(name)) report.note(text, 'not carried over; it does not change what the jobs do', line);
    else report.leaveOut(text, 'the converter does not know this option', line);
    return {};
  },
  reportLine(text, line, report) {
    if (/(?:^|[\s;&|(`])(?:pbsdsh|pbs_tmrsh)\s/.test(text))
      report.leaveOut('pbsdsh', 'it starts tasks of an allocation; a job on several nodes (num_nodes) may', line);
    if (/(?:^|[\s;&|(`])(?:qsub|qrerun)\s/.test(text))
      report.leaveOut('qsub', 'it submits to PBS, which is no part of the workflow', line);
  },
  taskVariable: /PBS_ARRAY_INDEX/,
  argumentHint: 'qsub gives a script none, and the job has none',
};

/** Whether a script goes to the folder of its submission, in a shell, Python, Perl or R. Others may only read a file there. */
const goesToSubmission = ({ body }: Script): boolean =>
  body.some(({ text }) => /(?<![\w-])(?:cd|pushd|chdir|setwd)\b[^;&|]*PBS_O_WORKDIR/.test(text));

/** What PBS puts into the environment of a task. */
function variablesOfPbs({ script, indices, name, parameter, requirements }: TaskOfScript): TaskVariables {
  const cpus = JSON.stringify(requirements?.['num_cpus'] ?? 1);
  return {
    names: /\bPBS_[A-Z][A-Z0-9_]*|\bPBS_JOBID/g,
    always: {
      ...(indices === undefined ? {} : { PBS_ARRAY_INDEX: `{${parameter}}` }),
      NCPUS: cpus,
      OMP_NUM_THREADS: cpus,
    },
    known: { PBS_JOBNAME: name, PBS_ENVIRONMENT: 'PBS_BATCH', PBS_NODENUM: '0' },
    late: {
      PBS_ARRAY_ID: '"$TORC_WORKFLOW_ID[]"',
      PBS_JOBID: '"$TORC_JOB_ID"',
      PBS_O_WORKDIR: goesToSubmission(script) ? '"$PWD"' : '"$OLDPWD"',
      PBS_O_HOME: '"$HOME"',
      PBS_O_PATH: '"$PATH"',
      PBS_O_HOST: '"$(hostname)"',
      PBS_O_LOGNAME: '"$(id -un)"',
      PBS_JOBDIR: '"$HOME"',
    },
  };
}
