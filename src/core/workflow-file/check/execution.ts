import { misplacedSettings, uselessSettings } from '../../attempt/execution.ts';
import type { Draft } from '../link/draft.ts';
import type { Complain } from '../problems/problems.ts';
import type { ExecutionConfigSpec } from '../shape/workflow.ts';

type Setting = keyof ExecutionConfigSpec;

/**
 * Settings of the other mode are refused, not ignored, because the user relies on them.
 *
 * Torc reports this only when it creates the workflow; here the dry run reports it too.
 */
export function checkExecution({ spec }: Draft, complain: Complain): void {
  const config = spec.execution_config ?? {};
  const mode = config.mode ?? 'direct';
  const hasSchedulers = (spec.slurm_schedulers?.length ?? 0) > 0;
  const isSlurm = mode === 'slurm' || (mode === 'auto' && hasSchedulers);
  const refuse = (setting: Setting, message: string): void =>
    complain({ code: 'EXECUTION_REFUSED', message, path: ['execution_config', setting] });

  for (const { setting, message } of misplacedSettings(config, isSlurm ? 'slurm' : 'direct')) refuse(setting, message);
  for (const { setting, message } of uselessSettings(config))
    complain({ code: 'SETTING_USELESS', message, path: ['execution_config', setting] });

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
