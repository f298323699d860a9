import type { ClaimedJob, Want } from '../../core/contract/exchange.ts';
import type { Job } from '../../core/contract/job.ts';
import { labelsOfQuery, refuseBadLabels } from '../../core/lifecycle/placement/labels.ts';
import type { Handlers } from '../handlers.ts';
import { createCounts } from '../records/job/counts.ts';
import { Sliced } from '../store/sliced.ts';
import type { Store } from '../records/store.ts';
import { createClaim } from './claim.ts';
import { openClaimQueries } from './open/queries.ts';
import { claimQueries } from './queries.ts';
import { createUnclaimable } from './unclaimable.ts';
import { createAllocationRooms } from './allocation-rooms.ts';
import { createUnneeded } from './unneeded/unneeded.ts';
import { createWorkLeft } from './work-left.ts';

/** The default of claim_next_jobs; a negative limit means all. */
const NEXT_LIMIT = 10;
const ALL = Number.MAX_SAFE_INTEGER;
/** Jobs claimed in one transaction, 25 µs each. Fewer, and many jobs need many commits. */
const AT_ONCE = 250;

export const claimHandlers = (store: Store) => {
  const queries = claimQueries(store.db);
  const open = openClaimQueries(store.db);
  const { claim, inParts } = createClaim(store, queries);

  /** The jobs as Torc 1.0.0 returns them, without the additional fields of `exchange`. */
  const plain = (workflowId: number, claimedJobs: readonly ClaimedJob[]): Job[] => {
    const hasUserData = claimedJobs.length > 0 && queries.hasUserData.get({ workflowId }) !== undefined;
    return claimedJobs.map(({ need: _need, output_files: files, input_files: _inputs, ...job }) => {
      const userData = hasUserData ? queries.outputUserData.all({ jobId: job.id }) : [];
      return {
        ...job,
        ...(files ? { output_file_ids: files.map(({ id }) => id) } : {}),
        ...(userData.length === 0 ? {} : { output_user_data_ids: userData.map(({ id }) => id) }),
      };
    });
  };
  const { find } = store;

  /** A claim of many jobs, part by part. The jobs taken so far are in `open_claim` until the claim is complete. */
  function* many(workflowId: number, want: Want): Generator<undefined, { jobs: Job[] }> {
    const part = inParts({ workflowId, nodeId: null }, want);
    const claimId = open.begin.get({})?.id ?? 1;
    const jobs: Job[] = [];
    while (jobs.length < want.limit && find.run(workflowId).is_canceled === 0) {
      const limit = Math.min(AT_ONCE, want.limit - jobs.length);
      const some = part(limit, 0);
      for (const job of plain(workflowId, some)) jobs.push(job);
      if (some.length < limit) break;
      open.add.run({ claimId, workflowId, jobIds: JSON.stringify(some.map(({ id }) => id)) });
      yield;
    }
    open.remove.run({ claimId });
    return { jobs };
  }
  const claimed = (workflowId: number, want: Want) =>
    want.limit > AT_ONCE
      ? new Sliced(many(workflowId, want))
      : { jobs: plain(workflowId, claim({ workflowId, nodeId: null }, want)) };

  const workLeft = createWorkLeft(store, queries, createCounts(store.db));
  const allocationRooms = createAllocationRooms(store, queries);
  const unneeded = createUnneeded(store, { workLeft, allocationRooms });
  const unclaimable = createUnclaimable(store, queries, { workLeft, unneeded, allocationRooms });

  return {
    cancelUnneededAllocations: ({ params, body }) => ({ items: unneeded.cancel(params.id, body.ids) }),
    getUnclaimableJobs: ({ params, query }) =>
      unclaimable(params.id, {
        nodeId: query.compute_node_id,
        inAllocations: query.in_allocations === true,
      }),
    claimJobsBasedOnResources({ params: { id, limit }, query, body }) {
      const { is_canceled: isCanceled } = find.run(id);
      refuseBadLabels(body.labels);
      if (isCanceled === 1) return { jobs: [], reason: 'Workflow is canceled' };
      if (limit <= 0) return { jobs: [] };
      const want = {
        limit,
        prefetch: 0,
        offer: body,
        strict_scheduler_match: query.strict_scheduler_match,
      };
      return claimed(id, want);
    },
    claimNextJobs({ params: { id }, query: { limit = NEXT_LIMIT, labels } }) {
      if (find.run(id).is_canceled === 1) return { jobs: [] };
      const want = { limit: limit < 0 ? ALL : limit, prefetch: 0, labels: labelsOfQuery(labels) };
      return claimed(id, want);
    },
  } satisfies Partial<Handlers>;
};
