import type { Unclaimable } from '../../core/contract/unclaimable.ts';
import { roomOfNode } from '../../core/lifecycle/placement/obstacles.ts';
import { unclaimable } from '../../core/lifecycle/placement/unclaimable.ts';
import { hasWorkFor } from '../../core/lifecycle/placement/work-left.ts';
import { foundRow } from '../records/find.ts';
import { computeNodeOf, type ComputeNodeRow } from '../records/node/queries.ts';
import type { Store } from '../records/store.ts';
import type { AllocationRooms } from './allocation-rooms.ts';
import { jobKindOf } from './kind.ts';
import type { ClaimQueries } from './queries.ts';
import type { Unneeded } from './unneeded/unneeded.ts';
import type { FindWorkLeft } from './work-left.ts';

/** Whom the ready jobs are compared with: a runner, those that there are, or runners of allocations that may be submitted. */
export interface Compared {
  readonly nodeId: number | undefined;
  readonly inAllocations: boolean;
}

interface Parts {
  readonly workLeft: FindWorkLeft;
  readonly unneeded: Unneeded;
  readonly allocationRooms: AllocationRooms;
}

/**
 * The ready jobs that a runner cannot take; without a runner, those that no active runner can take, or that the last
 * one could not. Or those that no allocation of the workflow's Slurm schedulers could run, however long they wait.
 */
export const createUnclaimable =
  ({ find, now, limitCounts }: Store, queries: ClaimQueries, { workLeft, unneeded, allocationRooms }: Parts) =>
  (workflowId: number, { nodeId, inAllocations }: Compared): Unclaimable => {
    const { execution_config: execution } = find.wholeWorkflow(workflowId);
    const nodes = inAllocations
      ? []
      : (nodeId === undefined ? present(queries, workflowId) : [one(queries, workflowId, nodeId)]).map(computeNodeOf);
    const limits = limitCounts.limitsOfWorkflow(workflowId);
    const given = inAllocations
      ? [...allocationRooms(workflowId).values()]
      : nodes.map((node) => roomOfNode(node, { execution, nowMs: now() }));
    const rooms = limits.length === 0 ? given : given.map((room) => ({ ...room, limits }));
    const kinds = queries.readyClasses
      .all({ workflowId })
      .map((row) => ({
        ...jobKindOf(row),
        jobs: row.jobs,
        exampleId: row.example_id ?? 0,
        exampleName: row.example_name ?? '',
      }))
      // Labels are for runners that people start.
      .filter(({ labels }) => !inAllocations || labels.length === 0);
    const reasons = unclaimable(kinds, rooms);
    const sum = (entries: readonly { readonly jobs: number }[]) => entries.reduce((total, { jobs }) => total + jobs, 0);
    return {
      workflow_id: workflowId,
      compute_node_ids: nodes.map(({ id }) => id),
      ready_jobs: sum(kinds),
      unclaimable_jobs: sum(reasons),
      reasons,
      may_take: hasWorkFor(workLeft(workflowId, nodeId), rooms),
      unneeded_allocations: unneeded.find(workflowId),
    };
  };

const one = (queries: ClaimQueries, workflowId: number, nodeId: number) =>
  foundRow(queries.node.get({ workflowId, nodeId }), 'compute_node', nodeId);

function present(queries: ClaimQueries, workflowId: number): ComputeNodeRow[] {
  const active = queries.activeNodes.all({ workflowId });
  return active.length > 0 ? active : queries.lastNode.all({ workflowId });
}
