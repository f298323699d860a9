import { outlookOf, type WorkLeft } from '../../core/lifecycle/placement/work-left.ts';
import type { createCounts } from '../records/job/counts.ts';
import type { Store } from '../records/store.ts';
import { jobKindOf } from './kind.ts';
import type { ClaimQueries } from './queries.ts';

/** What is left to run in a workflow, and what may come. `nodeId` is the runner that asks, if one does. */
export type FindWorkLeft = (workflowId: number, nodeId?: number) => WorkLeft;

export const createWorkLeft =
  (
    { find, releases }: Pick<Store, 'find' | 'releases'>,
    queries: ClaimQueries,
    counts: ReturnType<typeof createCounts>,
  ): FindWorkLeft =>
  (workflowId, nodeId) => {
    const workflow = find.workflow(workflowId);
    const sources = queries.sources.get({ workflowId, nodeId: nodeId ?? null });
    const outlook = outlookOf({
      counts: counts(workflowId),
      isCanceled: workflow.is_canceled === 1,
      staysWhenComplete: workflow.compute_node_ignore_workflow_completion === 1,
      isReleasing: releases.isAtWork(workflowId),
      addsJobs: workflow.dynamic_jobs !== null || sources?.was_added === 1,
      executesAction: sources?.executes_action === 1,
      awaitsAction: sources?.awaits_action === 1,
    });
    if (outlook === 'kinds') return queries.kindsLeft.all({ workflowId }).map(jobKindOf);
    return outlook === 'anything' ? 'anything' : [];
  };
