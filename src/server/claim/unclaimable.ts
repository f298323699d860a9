import type { Unclaimable } from '../../core/contract/unclaimable.ts';
import { roomOfNode } from '../../core/lifecycle/obstacles.ts';
import { unclaimable } from '../../core/lifecycle/unclaimable.ts';
import { found } from '../store/find.ts';
import { computeNodeOf, type ComputeNodeRow } from '../store/node-row.ts';
import type { Store } from '../store/store.ts';
import { kindOf } from './kind.ts';
import type { ClaimQueries } from './queries.ts';

/**
 * The ready jobs that a runner cannot take; without a runner, those that no active runner can take, or that the last
 * one could not.
 */
export const createUnclaimable =
  ({ find, now }: Store, queries: ClaimQueries) =>
  (workflowId: number, nodeId: number | undefined): Unclaimable => {
    find.run(workflowId);
    const nodes = (nodeId === undefined ? present(queries, workflowId) : [one(queries, workflowId, nodeId)]).map(
      computeNodeOf,
    );
    const kinds = queries.readyClasses.all({ workflowId }).map((row) => ({
      ...kindOf(row),
      jobs: row.jobs,
      exampleId: row.example_id ?? 0,
      exampleName: row.example_name ?? '',
    }));
    const reasons = unclaimable(
      kinds,
      nodes.map((node) => roomOfNode(node, secondsUntil(node.end_time, now()))),
    );
    const sum = (entries: readonly { readonly jobs: number }[]) => entries.reduce((total, { jobs }) => total + jobs, 0);
    return {
      workflow_id: workflowId,
      compute_node_ids: nodes.map(({ id }) => id),
      ready_jobs: sum(kinds),
      unclaimable_jobs: sum(reasons),
      reasons,
    };
  };

const one = (queries: ClaimQueries, workflowId: number, nodeId: number) =>
  found(queries.node.get({ workflowId, nodeId }), 'compute_node', nodeId);

function present(queries: ClaimQueries, workflowId: number): ComputeNodeRow[] {
  const active = queries.activeNodes.all({ workflowId });
  return active.length > 0 ? active : queries.lastNode.all({ workflowId });
}

/** Invalid text, which an old or foreign runner may have sent, counts as no end. */
function secondsUntil(time: string | null | undefined, nowMs: number): number | undefined {
  const atMs = Date.parse(time ?? '');
  return Number.isNaN(atMs) ? undefined : (atMs - nowMs) / 1000;
}
