import { valueIn } from '../host/environment-of.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Ids that Slurm gives to steps that no srun started, as the releases print them. Source: slurm/slurm.h, `SLURM_BATCH_SCRIPT` and others.
 */
const SPECIAL: Readonly<Record<string, string>> = {
  '4294967290': 'interactive',
  '4294967291': 'batch',
  '4294967292': 'extern',
  '-6': 'interactive',
  '-5': 'batch',
  '-4': 'extern',
};

/**
 * The step of a process of Slurm with these variables, as sacct names it: a number, `batch` or `interactive`; empty for a process
 * outside of steps, such as a shell of `salloc` on a login node.
 *
 * Most releases set no SLURM_STEP_ID in a batch script; the id of its task is set in steps only.
 */
export function stepNameOf({ SLURM_STEP_ID: id, SLURM_TASK_PID: task }: Environment): string {
  if (id === undefined || id === '') return task === undefined ? '' : 'batch';
  return SPECIAL[id] ?? id;
}

/** Ids from here on are Slurm's own: those of the batch script and of an interactive shell, which share their resources. */
const FIRST_SPECIAL_STEP = 4_294_967_280;

/** Whether the process is in a step that srun started. */
export const isOrdinaryStep = ({ SLURM_STEP_ID: id }: Environment): boolean =>
  id !== undefined && /^\d+$/.test(id) && Number(id) < FIRST_SPECIAL_STEP;

/** The step of another process, from its variables (`NAME=value`); undefined if it is in none. */
export function stepNameIn(variables: readonly string[]): string | undefined {
  const id = valueIn(variables, 'SLURM_STEP_ID');
  return id === undefined ? undefined : stepNameOf({ SLURM_STEP_ID: id });
}
