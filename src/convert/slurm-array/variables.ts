import type { ValueMap } from '../../core/workflow-file/text/value.ts';
import type { Report } from '../conversion.ts';
import type { Directive, Script } from './directives.ts';
import type { Indices } from './indices.ts';

/** The environment of a task that the script reads. */
export interface TaskEnvironment {
  /** Known before the workflow is created; `{task}` is the number of the task. */
  readonly fixed: Readonly<Record<string, string>>;
  /** Shell assignments, whose values are known when the job starts. */
  readonly assigned: readonly string[];
}

interface Task {
  readonly script: Script;
  readonly directives: ReadonlyMap<string, Directive>;
  readonly indices: Indices | undefined;
  readonly name: string;
  readonly parameter: string;
  readonly requirements: ValueMap | undefined;
}

/**
 * What Slurm puts into the environment of a task: always what the programs of the script may read too, the rest where the
 * script names it.
 */
export function environmentOfTask(task: Task, report: Report): TaskEnvironment {
  const { script, directives, indices, name, parameter, requirements } = task;
  const cpus = directives.get('cpus-per-task')?.value;
  const always: Record<string, string> = {
    ...(indices === undefined
      ? {}
      : {
          SLURM_ARRAY_TASK_ID: `{${parameter}}`,
          SLURM_ARRAY_TASK_COUNT: String(indices.count),
          SLURM_ARRAY_TASK_MIN: String(indices.least),
          SLURM_ARRAY_TASK_MAX: String(indices.most),
          SLURM_ARRAY_TASK_STEP: String(indices.step),
        }),
    ...(cpus === undefined ? {} : { SLURM_CPUS_PER_TASK: cpus }),
  };
  const amount = (name: string) => JSON.stringify(requirements?.[name] ?? 1);
  const perNode = amount('num_cpus');
  const known: Record<string, string> = {
    SLURM_JOB_NAME: name,
    SLURM_CPUS_ON_NODE: perNode,
    SLURM_JOB_CPUS_PER_NODE: perNode,
    SLURM_NTASKS: directives.get('ntasks')?.value ?? '1',
    SLURM_NPROCS: directives.get('ntasks')?.value ?? '1',
    SLURM_NNODES: amount('num_nodes'),
    SLURM_JOB_NUM_NODES: amount('num_nodes'),
    SLURM_PROCID: '0',
    SLURM_LOCALID: '0',
    SLURM_NODEID: '0',
  };
  const fixed = { ...always };
  const assigned: string[] = [];
  for (const [variable, line] of readVariables(script)) {
    if (variable in fixed) continue;
    const value = known[variable];
    const late = LATE[variable];
    if (value !== undefined) fixed[variable] = value;
    else if (late !== undefined) {
      assigned.push(`${variable}=${late}`);
      report.note(`$${variable}`, `${late} stands for it`, line);
    } else report.leaveOut(`$${variable}`, 'it has no counterpart; outside of an allocation it is empty', line);
  }
  return { fixed, assigned };
}

/** Values that exist when the job starts. */
const LATE: Readonly<Record<string, string>> = {
  SLURM_ARRAY_JOB_ID: '"$TORC_WORKFLOW_ID"',
  SLURM_JOB_ID: '"$TORC_JOB_ID"',
  SLURM_JOBID: '"$TORC_JOB_ID"',
  SLURM_SUBMIT_DIR: '"$PWD"',
  SLURM_SUBMIT_HOST: '"$(hostname)"',
  SLURM_JOB_NODELIST: '"$(hostname)"',
  SLURM_NODELIST: '"$(hostname)"',
  SLURMD_NODENAME: '"$(hostname)"',
  SLURM_JOB_USER: '"$(id -un)"',
};

/** The variables of Slurm that a script names, with the line of the first place. */
function readVariables({ body }: Script): Map<string, number> {
  const found = new Map<string, number>();
  for (const { text, line } of body)
    for (const [name] of text.matchAll(/\bSLURM[A-Z]*_[A-Z][A-Z0-9_]*|\bSLURM_JOBID/g))
      if (!found.has(name)) found.set(name, line);
  return found;
}
