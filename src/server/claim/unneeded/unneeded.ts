import type { ScheduledComputeNode } from '../../../core/contract/allocation.ts';
import { UNLIMITED } from '../../../core/lifecycle/placement/scheduler-room.ts';
import { hasWorkFor } from '../../../core/lifecycle/placement/work-left.ts';
import { allocationRecordOf } from '../../records/allocation/row.ts';
import type { Store } from '../../records/store.ts';
import { unneededQueries } from './queries.ts';
import type { AllocationRooms } from '../allocation-rooms.ts';
import type { FindWorkLeft } from '../work-left.ts';

/** Planned and queued allocations of a workflow for which no work is left or to come. */
export interface Unneeded {
  find(workflowId: number): ScheduledComputeNode[];
  /** Marks those of these records as canceled that are still planned or queued and not needed, and returns them. */
  cancel(workflowId: number, ids: readonly number[]): ScheduledComputeNode[];
  /** Whether this runner is to cancel some: one runner is asked, and another one only after a while. */
  isReported(workflowId: number): boolean;
}

/**
 * Time between two checks of a workflow. Shorter, and the server of a thousand runners spends its time on it; longer, and
 * allocations may start for nothing.
 */
const CHECK_MS = 2_000;
/**
 * Time for the runner that was asked. Its calls of squeue and scancel take a second, or 20 if the controller is away. Longer,
 * and allocations that are submitted meanwhile start for nothing.
 */
const REPORTED_MS = 20_000;

export function createUnneeded(
  { db, find: { workflow }, now }: Pick<Store, 'db' | 'find' | 'now'>,
  { workLeft, allocationRooms }: { workLeft: FindWorkLeft; allocationRooms: AllocationRooms },
): Unneeded {
  const queries = unneededQueries(db);
  /** When a workflow is checked again. */
  const nextAtMs = new Map<number, number>();

  const find = (workflowId: number): ScheduledComputeNode[] => {
    const queued = queries.queued.all({ workflowId }).map(allocationRecordOf);
    if (queued.length === 0) return [];
    const left = workLeft(workflowId);
    const rooms = allocationRooms(workflowId);
    // By scheduler: thousands of allocations may wait, and thousands of kinds of jobs be left.
    const schedulers = new Set(queued.map(({ scheduler_config_id: id }) => id));
    const needed = new Set([...schedulers].filter((id) => hasWorkFor(left, [rooms.get(id) ?? UNLIMITED])));
    const unneeded = queued.filter(({ scheduler_config_id: id }) => !needed.has(id));
    if (unneeded.length === 0) return [];
    // It was requeued, and its runner left the jobs to the next one in it.
    const holding = new Set(queries.holdingAllocations.all({ workflowId }).map(({ slurm_job: job }) => Number(job)));
    return unneeded.filter(({ scheduler_id: job }) => !holding.has(job));
  };

  return {
    find,
    cancel(workflowId, ids) {
      workflow(workflowId);
      const asked = new Set(ids);
      const canceled = find(workflowId).filter(({ id }) => asked.has(id));
      for (const { id } of canceled) queries.markCanceled.run({ id: id });
      return canceled.map((each) => ({ ...each, status: 'canceled' }));
    },
    isReported(workflowId) {
      const nowMs = now();
      if (nowMs < (nextAtMs.get(workflowId) ?? 0)) return false;
      if (nextAtMs.size >= MOST_REMEMBERED) nextAtMs.clear();
      const isReported = find(workflowId).length > 0;
      nextAtMs.set(workflowId, nowMs + (isReported ? REPORTED_MS : CHECK_MS));
      return isReported;
    },
  };
}

/** Entries of workflows that ended are not worth separate handling. */
const MOST_REMEMBERED = 1_000;
