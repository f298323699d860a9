import { workflowLimits } from '../../client/compat/known.ts';
import {
  asksForLicenses,
  type ClusterLicense,
  licenseList,
  licensesToAsk,
} from '../../core/allocation/cluster-licenses.ts';
import { cpusToAsk } from '../../core/allocation/cpu-request.ts';
import type { AllocationRequest } from '../../core/allocation/request.ts';
import type { ResourceRequirements } from '../../core/contract/resources.ts';
import type { SlurmScheduler } from '../../core/contract/scheduling.ts';
import type { Workflow } from '../../core/contract/workflow.ts';
import type { WorkflowLimits } from '../../core/contract/workflow-limits.ts';
import { roomOfScheduler } from '../../core/lifecycle/placement/scheduler-room.ts';
import type { SubmitTools } from './submit-tools.ts';

/** The option of sbatch for the licenses that allocations of a scheduler need; empty if they need none. The batch system is asked once. */
export type LicenseRequests = (
  scheduler: SlurmScheduler,
  request: Pick<AllocationRequest, 'startOneWorkerPerNode'>,
  needs: readonly ResourceRequirements[],
) => Promise<{ readonly licenses?: string }>;

export function openLicenseRequests(
  { client, slurm, onWarning }: Pick<SubmitTools, 'client' | 'slurm' | 'onWarning'>,
  workflow: Workflow,
): LicenseRequests {
  const defaults = workflow.slurm_defaults ?? {};
  let read: Promise<WorkflowLimits & { readonly cluster: readonly ClusterLicense[] }> | undefined;

  const readAll = async () => {
    const limits = await workflowLimits(client, workflow.id as number);
    if (limits.licensed.length === 0) return { ...limits, cluster: [] };
    try {
      return { ...limits, cluster: await slurm.licenses() };
    } catch (error) {
      // A name that Slurm does not know would be refused, so nothing is asked for.
      onWarning(`Allocations ask for no licenses, because ${(error as Error).message}`);
      return { ...limits, cluster: [] };
    }
  };

  return async (scheduler, { startOneWorkerPerNode: isPerNode }, needs) => {
    const { extra } = scheduler;
    if (asksForLicenses(defaults, extra)) return {};
    const { limits, licensed, cluster } = await (read ??= readAll());
    const room = roomOfScheduler(scheduler, workflow);
    const nodes = isPerNode === true ? scheduler.nodes : room.nodes === Infinity ? 1 : room.nodes;
    const cpus = cpusToAsk({ defaults, extra }, needs) ?? room.cpus;
    const wanted = licensesToAsk({
      limits,
      licensed: licensed.filter(({ scheduler_id: id }) => (id ?? scheduler.id) === scheduler.id),
      cluster,
      room: { cpus: cpus * nodes, memoryBytes: room.memoryBytes * nodes, gpus: room.gpus * nodes },
    });
    return Object.keys(wanted).length === 0 ? {} : { licenses: licenseList(wanted) };
  };
}
