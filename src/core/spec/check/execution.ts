import type { Draft } from '../draft.ts';
import type { Complain } from '../problems.ts';
import type { ExecutionConfigSpec } from '../shape/workflow.ts';

type Setting = keyof ExecutionConfigSpec;

/**
 * Settings of the other mode are refused, not ignored: somebody counts on them.
 *
 * Torc says so only when it creates the workflow; here the dry run says it too.
 */
export function checkExecution({ spec }: Draft, complain: Complain): void {
  const config = spec.execution_config ?? {};
  const mode = config.mode ?? 'direct';
  const hasSchedulers = (spec.slurm_schedulers?.length ?? 0) > 0;
  const isSlurm = mode === 'slurm' || (mode === 'auto' && hasSchedulers);
  const refuse = (setting: Setting, message: string): void =>
    complain({ code: 'EXECUTION_REFUSED', message, path: ['execution_config', setting] });

  for (const [setting, instead] of isSlurm ? DIRECT_ONLY : SLURM_ONLY) {
    const value = config[setting];
    // What only repeats how the mode works anyway does no harm.
    const isHarmless =
      setting === 'limit_resources' ? value !== false : setting === 'enable_cpu_bind' && value !== true;
    if (value === undefined || isHarmless) continue;
    refuse(setting, `${setting} is only supported in ${isSlurm ? 'direct' : 'slurm'} mode. ${instead}`);
  }

  const workerPerNode = (spec.actions ?? []).findIndex((action) => action.start_one_worker_per_node === true);
  checkMpi(config, workerPerNode >= 0 && !isSlurm, refuse);
  if (workerPerNode >= 0 && mode !== 'direct') {
    complain({
      code: 'EXECUTION_REFUSED',
      message: "start_one_worker_per_node requires execution_config.mode to be 'direct'",
      path: ['actions', workerPerNode, 'start_one_worker_per_node'],
      found: mode,
      allowed: ['direct'],
    });
  }
}

const DIRECT_ONLY: readonly (readonly [Setting, string])[] = [
  ['limit_resources', 'Slurm mode requires resource limits for correct srun behavior.'],
  ['termination_signal', 'In slurm mode, use srun_termination_signal instead.'],
  ['sigterm_lead_seconds', 'In slurm mode, termination timing is controlled by srun_termination_signal.'],
  ['oom_exit_code', 'In slurm mode, Slurm manages OOM detection.'],
];

const SLURM_ONLY: readonly (readonly [Setting, string])[] = [
  ['srun_termination_signal', 'In direct mode, use termination_signal instead.'],
  ['enable_cpu_bind', 'It has no effect in direct mode.'],
];

function checkMpi(
  { srun_mpi: mpi }: ExecutionConfigSpec,
  hasWorkers: boolean,
  refuse: (setting: Setting, message: string) => void,
): void {
  if (mpi === undefined) return;
  if (mpi.trim() === '') refuse('srun_mpi', 'srun_mpi must not be empty when provided; leave it out instead');
  else if (!/^[A-Za-z0-9+_.-]+$/.test(mpi)) {
    refuse('srun_mpi', `srun_mpi '${mpi}' must be a single safe token of letters, digits and + _ . -`);
  }
  if (!hasWorkers) {
    refuse('srun_mpi', 'srun_mpi requires schedule_nodes.start_one_worker_per_node = true in direct mode');
  }
}
