import { Refusal } from '../contract/refusals.ts';
import type { ExecutionConfig } from '../contract/workflow.ts';

/** How the jobs of a runner are started: as processes, or as steps of its allocation. */
export type StartMode = 'direct' | 'slurm';

export interface ResolvedMode {
  readonly mode: StartMode;
  readonly warning?: string;
}

/** The allocation of a runner, as far as the mode depends on it. */
interface OwnAllocation {
  /** The runner is itself a step that holds resources. */
  readonly isInStep: boolean;
  readonly canStartSteps: boolean;
}

/**
 * The mode of a runner in this allocation. `auto` means steps inside an allocation, unless the runner is a step; without a mode jobs are processes, as in
 * Torc 1.0.0.
 *
 * Throws `EXECUTION_MODE_UNSUPPORTED` for mode slurm outside of an allocation.
 */
export function resolveMode(
  asked: ExecutionConfig['mode'],
  workflowId: number,
  allocation: OwnAllocation | undefined,
): ResolvedMode {
  if (!mayHaveSteps({ mode: asked }, allocation !== undefined)) return { mode: 'direct' };
  if (allocation === undefined)
    throw new Refusal(
      'EXECUTION_MODE_UNSUPPORTED',
      `workflow ${workflowId} asks for execution mode slurm, and this runner is not inside a Slurm allocation (SLURM_JOB_ID is not set)`,
      { found: asked, allowed: ['direct', 'auto'] },
    );
  if (asked === 'auto' && allocation.isInStep)
    return {
      mode: 'direct',
      warning:
        'This runner is itself a step of its allocation, and its steps would wait for resources that it holds: jobs run as processes of this node',
    };
  if (allocation.canStartSteps) return { mode: 'slurm' };
  return {
    mode: 'direct',
    warning:
      'SLURM_JOB_ID is set, but there is no srun on PATH: jobs run as processes of this node, not as steps of Slurm',
  };
}

/** Whether a mode means steps of an allocation, as far as the runner does not find that it can start none. */
export const mayHaveSteps = ({ mode }: Pick<ExecutionConfig, 'mode'>, isInAllocation: boolean): boolean =>
  mode === 'slurm' || (mode === 'auto' && isInAllocation);

/** Whether jobs run inside long steps of the runner, instead of a step for each. */
export const isBatched = (mode: StartMode, { step_batching: batches }: ExecutionConfig): boolean =>
  mode === 'slurm' && batches === true;
