import { programOn } from '../../cluster/program-on.ts';
import { Refusal } from '../../core/contract/refusals.ts';
import type { ExecutionConfig } from '../../core/contract/workflow.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** How the jobs of a runner are started: as processes, or as steps of its allocation. */
export type Mode = 'direct' | 'slurm';

export interface ResolvedMode {
  readonly mode: Mode;
  readonly warning?: string;
}

/** Whether a process with this environment runs inside an allocation of Slurm. */
export const isInAllocation = (environment: Environment): boolean => (environment['SLURM_JOB_ID'] ?? '') !== '';

/**
 * The mode of a runner in this environment. `auto` means steps inside an allocation, unless the runner is a step; without a mode jobs are processes, as in
 * Torc 1.0.0.
 *
 * Throws `EXECUTION_MODE_UNSUPPORTED` for mode slurm outside of an allocation.
 */
export function resolveMode(
  asked: ExecutionConfig['mode'],
  workflowId: number,
  environment: Environment,
): ResolvedMode {
  if (asked !== 'slurm' && asked !== 'auto') return { mode: 'direct' };
  if (!isInAllocation(environment)) {
    if (asked === 'auto') return { mode: 'direct' };
    throw new Refusal(
      'EXECUTION_MODE_UNSUPPORTED',
      `workflow ${workflowId} asks for execution mode slurm, and this runner is not inside a Slurm allocation (SLURM_JOB_ID is not set)`,
      { found: asked, allowed: ['direct', 'auto'] },
    );
  }
  if (asked === 'auto' && isStep(environment['SLURM_STEP_ID'])) {
    return {
      mode: 'direct',
      warning:
        'This runner is itself a step of its allocation, and its steps would wait for resources that it holds: jobs run as processes of this node',
    };
  }
  if (hasSrun(environment)) return { mode: 'slurm' };
  return {
    mode: 'direct',
    warning:
      'SLURM_JOB_ID is set, but there is no srun on PATH: jobs run as processes of this node, not as steps of Slurm',
  };
}

/** Whether jobs run inside long steps of the runner, instead of a step for each. */
export const isBatched = (mode: Mode, { step_batching: batches }: ExecutionConfig): boolean =>
  mode === 'slurm' && batches === true;

/** Ids from here on are Slurm's own: those of the batch script and of an interactive shell, which share their resources. */
const FIRST_SPECIAL_STEP = 4_294_967_280;

const isStep = (id: string | undefined): boolean =>
  id !== undefined && /^\d+$/.test(id) && Number(id) < FIRST_SPECIAL_STEP;

function hasSrun({ TORC_FAKE_SRUN: standIn, PATH: path }: Environment): boolean {
  if (standIn !== undefined && standIn !== '') return true;
  return programOn(path, 'srun') !== undefined;
}
