import type { RunnerRoom } from '../../core/lifecycle/placement/obstacles.ts';
import { roomOfScheduler } from '../../core/lifecycle/placement/scheduler-room.ts';
import { schedulerOf } from '../records/scheduler/queries.ts';
import type { Store } from '../records/store.ts';
import type { ClaimQueries } from './queries.ts';

/** The runners of allocations that may be submitted or wait, by the id of their Slurm scheduler. */
export type AllocationRooms = (workflowId: number) => ReadonlyMap<number, RunnerRoom>;

export const createAllocationRooms =
  ({ find }: Pick<Store, 'find'>, queries: ClaimQueries): AllocationRooms =>
  (workflowId) => {
    const workflow = find.wholeWorkflow(workflowId);
    const counting = new Set(queries.countingSchedulers.all({ workflowId }).map(({ id }) => id));
    const perNode = new Set(queries.perNodeSchedulers.all({ workflowId }).map(({ id }) => id));
    return new Map(
      queries.schedulers.all({ workflowId }).map((row) => {
        const id = row.id;
        const room = roomOfScheduler(schedulerOf(row), workflow, perNode.has(id));
        return [id, { ...room, countsJobs: counting.has(id) }] as const;
      }),
    );
  };
