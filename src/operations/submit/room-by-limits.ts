import { workflowLimits } from '../../client/compat/known.ts';
import { all } from '../../client/every.ts';
import {
  type AllocationAmounts,
  type AllocationRoom,
  allocationRoom,
  limitsOfAllocations,
} from '../../core/lifecycle/placement/allocation-room.ts';
import { cpusToAsk } from '../../core/allocation/cpu-request.ts';
import type { SlurmScheduler } from '../../core/contract/scheduling.ts';
import { roomOfScheduler } from '../../core/lifecycle/placement/scheduler-room.ts';
import type { AllocationRecord, SubmitTools } from './submit-tools.ts';

/** The room that limits of nodes, cores and GPUs leave for allocations of a workflow, as this call knows it. */
export interface RoomByLimits {
  /** Undefined where no limit counts them. */
  of(record: AllocationRecord): Promise<AllocationRoom | undefined>;
  sent(allocations: number): void;
}

const NONE: AllocationAmounts = { nodes: 0, cores: 0, gpus: 0 };

export function openRoomByLimits({ client }: Pick<SubmitTools, 'client'>, workflowId: number): RoomByLimits {
  let used: AllocationAmounts | undefined;
  let last = NONE;
  let read: ReturnType<typeof readAll> | undefined;

  const readAll = async () => {
    const limits = limitsOfAllocations((await workflowLimits(client, workflowId)).limits);
    if (limits.length === 0) return undefined;
    const query = { workflow_id: workflowId };
    const [workflow, schedulers, needs, records] = await Promise.all([
      client.getWorkflow({ params: { id: workflowId } }),
      all((page) => client.listSlurmSchedulers({ query: { ...query, ...page } })),
      all((page) => client.listResourceRequirements({ query: { ...query, ...page } })),
      all((page) => client.listScheduledComputeNodes({ query: { ...query, ...page } })),
    ]);
    const amounts = new Map(
      schedulers.map((each) => {
        const cpus = cpusToAsk({ defaults: workflow.slurm_defaults ?? {}, extra: each.extra }, needs);
        return [each.id, amountsOf(each, cpus ?? roomOfScheduler(each, workflow).cpus, workflow)] as const;
      }),
    );
    const open = records.filter(({ status }) => status === 'pending' || status === 'active');
    return {
      limits,
      amounts,
      open: open.map(({ scheduler_config_id: id }) => amounts.get(id) ?? NONE).reduce(plus, NONE),
    };
  };

  const amountsOf = (
    scheduler: SlurmScheduler,
    cpus: number,
    workflow: Parameters<typeof roomOfScheduler>[1],
  ): AllocationAmounts => {
    const { gpus } = roomOfScheduler(scheduler, workflow);
    // What the site decides on is not known, and counts as nothing.
    const known = (amount: number) => (Number.isFinite(amount) ? amount * scheduler.nodes : 0);
    return { nodes: scheduler.nodes, cores: known(cpus), gpus: known(gpus) };
  };

  return {
    async of({ scheduler_config_id: id }) {
      const found = await (read ??= readAll());
      if (found === undefined) return undefined;
      used ??= found.open;
      last = found.amounts.get(id) ?? NONE;
      return allocationRoom(found.limits, used, last);
    },
    sent(allocations) {
      for (let count = 0; count < allocations; count += 1) used = plus(used ?? NONE, last);
    },
  };
}

const plus = (one: AllocationAmounts, other: AllocationAmounts): AllocationAmounts => ({
  nodes: one.nodes + other.nodes,
  cores: one.cores + other.cores,
  gpus: one.gpus + other.gpus,
});
