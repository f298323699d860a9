import type { Handlers } from '../store/handlers.ts';
import type { Store } from '../store/store.ts';
import { changeStatus, retryJob } from './job.ts';
import { recoverQueries } from './queries.ts';
import { cancelWorkflow, processChangedInputs, resetJobStatus, resetStatus } from './reset.ts';

export const recoverHandlers = (store: Store) => {
  const queries = recoverQueries(store.db);
  const cancel = cancelWorkflow(store, queries);
  const reset = resetStatus(store, queries);
  const resetJobs = resetJobStatus(store, queries);
  const processChanged = processChangedInputs(store, queries);
  const change = changeStatus(store, queries);
  const retry = retryJob(store, queries);

  return {
    cancelWorkflow: ({ params }) => cancel(params.id),
    resetStatus: ({ params, query }) => reset(params.id, query.force ?? false),
    resetJobStatus({ params: { id }, query: { failed_only: failedOnly = false } }) {
      const count = resetJobs(id, failedOnly);
      const answer = { workflow_id: id, updated_count: count, status: 'uninitialized' };
      return failedOnly ? { ...answer, reset_type: 'failed_only' } : answer;
    },
    processChangedJobInputs: ({ params, query }) => ({
      reinitialized_jobs: processChanged(params.id, query.dry_run ?? false),
    }),
    manageStatusChange: ({ params }) => change(params.id, params.status, params.run_id),
    retryJob: ({ params, query }) => retry(params.id, params.run_id, query.max_retries),
  } satisfies Partial<Handlers>;
};
