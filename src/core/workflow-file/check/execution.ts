import { misplacedSettings, uselessSettings } from '../../attempt/execution.ts';
import { monitorsJobs } from '../../lifecycle/resources/job-monitoring.ts';
import type { Draft } from '../link/draft.ts';
import type { Complain } from '../problems/problems.ts';
import type { ExecutionConfigSpec, WorkflowSpec } from '../shape/workflow.ts';

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

  checkMonitor(spec.resource_monitor, complain);

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

/** Without `resource_monitor` jobs are measured; with one that does not say so they are not, as in Torc. */
function checkMonitor(config: WorkflowSpec['resource_monitor'], complain: Complain): void {
  if (config === undefined || Object.keys(config).length === 0 || monitorsJobs(config)) return;
  const isSaid = config.enabled !== undefined || config.jobs?.enabled !== undefined;
  if (isSaid || (config.compute_node?.enabled === true && config.jobs === undefined)) return;
  complain({
    code: 'SETTING_USELESS',
    message:
      'resource_monitor without jobs.enabled: no job is measured, and no memory limit is enforced; write jobs: { enabled: true }, or false if that is meant',
    path: ['resource_monitor'],
    atKey: true,
  });
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
