import { inheritedInputs } from '../step/slurm/srun.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** What describes the step in which the launcher runs, and not the job: a program would take itself for a task of it. */
const OF_THE_STEP =
  /^SLURM_(PROCID|LOCALID|GTIDS|SRUN_COMM_|LAUNCH_NODE_|TASK_PID|TASKS_PER_NODE|PRIO_PROCESS|UMASK|JOB_NAME|NPROCS)/;
const DEVICES = /^(CUDA|HIP|ROCR)_VISIBLE_DEVICES$/;

/**
 * The environment of jobs that are started inside a step: without the variables of the step. A job that asked for no GPU
 * sees none, as a step without GPUs.
 */
export function environmentOfJobs(environment: Environment): Environment {
  const inherited = new Set(inheritedInputs(environment));
  return Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) => {
      if (DEVICES.test(name)) return [[name, '']];
      return inherited.has(name) || OF_THE_STEP.test(name) ? [] : [[name, value]];
    }),
  );
}
