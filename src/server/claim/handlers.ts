import type { ClaimedJob } from '../../core/contract/exchange.ts';
import type { Job } from '../../core/contract/job.ts';
import { labelsOfQuery, refuseBadLabels } from '../../core/contract/labels.ts';
import type { Handlers } from '../store/handlers.ts';
import type { Store } from '../store/store.ts';
import { createClaim } from './claim.ts';
import { claimQueries } from './queries.ts';
import { createUnclaimable } from './unclaimable.ts';

/** The default of claim_next_jobs, and what a negative limit means there: all. */
const NEXT_LIMIT = 10;
const ALL = Number.MAX_SAFE_INTEGER;

export const claimHandlers = (store: Store) => {
  const queries = claimQueries(store.db);
  const { claim } = createClaim(store, queries);

  /** The job as the original hands it out, without what `exchange` adds. */
  const plain = ({ need: _need, output_files: files = [], ...job }: ClaimedJob): Job => {
    const userData = queries.outputUserData.all({ jobId: job.id }).map(({ id }) => id);
    return {
      ...job,
      ...(files === null || files.length === 0 ? {} : { output_file_ids: files.map(({ id }) => id) }),
      ...(userData.length === 0 ? {} : { output_user_data_ids: userData }),
    };
  };
  const { find } = store;
  const unclaimable = createUnclaimable(store, queries);

  return {
    getUnclaimableJobs: ({ params, query }) => unclaimable(params.id, query.compute_node_id),
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
      return { jobs: claim({ workflowId: id, nodeId: null }, want).map(plain) };
    },
    claimNextJobs({ params: { id }, query: { limit = NEXT_LIMIT, labels } }) {
      if (find.run(id).is_canceled === 1) return { jobs: [] };
      const want = { limit: limit < 0 ? ALL : limit, prefetch: 0, labels: labelsOfQuery(labels) };
      return { jobs: claim({ workflowId: id, nodeId: null }, want).map(plain) };
    },
  } satisfies Partial<Handlers>;
};
