import type { TaskOfScript, TaskVariables } from '../array/dialect.ts';

/** What Slurm puts into the environment of a task. */
export function variablesOfSlurm({ directives, indices, name, parameter, requirements }: TaskOfScript): TaskVariables {
  const cpus = directives.get('cpus-per-task')?.value;
  const amount = (field: string) => JSON.stringify(requirements?.[field] ?? 1);
  const perNode = amount('num_cpus');
  return {
    names: /\bSLURM[A-Z]*_[A-Z][A-Z0-9_]*|\bSLURM_JOBID/g,
    always: {
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
    },
    known: {
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
    },
    late: {
      SLURM_ARRAY_JOB_ID: '"$TORC_WORKFLOW_ID"',
      SLURM_JOB_ID: '"$TORC_JOB_ID"',
      SLURM_JOBID: '"$TORC_JOB_ID"',
      SLURM_SUBMIT_DIR: directives.has('chdir') ? '"$OLDPWD"' : '"$PWD"',
      SLURM_SUBMIT_HOST: '"$(hostname)"',
      SLURM_JOB_NODELIST: '"$(hostname)"',
      SLURM_NODELIST: '"$(hostname)"',
      SLURMD_NODENAME: '"$(hostname)"',
      SLURM_JOB_USER: '"$(id -un)"',
    },
  };
}
