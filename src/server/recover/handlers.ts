import type { Handlers } from '../handlers.ts';
import type { Store } from '../records/store.ts';
import { userActions } from '../records/event/user-action.ts';
import { mappedWork } from '../store/work.ts';
import { createProcessChanged } from './changed-inputs.ts';
import { createStatusChange, retryJob } from './job.ts';
import { createLease } from './lease.ts';
import { recoverQueries } from './queries.ts';
import { createCancelJobs } from './cancel-jobs.ts';
import { createCancel, resetStatus } from './reset.ts';
import { createResetInterrupted } from './reset-interrupted.ts';
import { createResetJobs } from './reset-jobs.ts';

export const recoverHandlers = (store: Store) => {
  const queries = recoverQueries(store.db);
  const cancel = createCancel(store, queries);
  const noteAction = userActions(store);
  const cancelJobs = createCancelJobs(store, queries, noteAction);
  const reset = resetStatus(store, queries, noteAction);
  const resetJobs = createResetJobs(store, queries, noteAction);
  const resetInterrupted = createResetInterrupted(store, queries, noteAction);
  const processChanged = createProcessChanged(store, queries, noteAction);
  const change = createStatusChange(store, queries);
  const retry = retryJob(store, queries);
  const lease = createLease(store, queries);

  return {
    cancelWorkflow: ({ params }) => cancel(params.id),
    cancelJobs: ({ params, body }, caller) => cancelJobs(params.id, body.job_ids, caller),
    resetStatus: ({ params, query }, caller) => reset(params.id, query.force ?? false, caller),
    resetJobStatus: ({ params: { id }, query: { failed_only: failedOnly = false } }, caller) =>
      mappedWork(resetJobs(id, failedOnly, caller), (count) => {
        const answer = { workflow_id: id, updated_count: count, status: 'uninitialized' };
        return failedOnly ? { ...answer, reset_type: 'failed_only' } : answer;
      }),
    resetInterruptedJobs: ({ params: { id }, query: { dry_run: dryRun = false } }, caller) =>
      mappedWork(resetInterrupted(id, dryRun, caller), (count) => ({
        workflow_id: id,
        updated_count: count,
        status: 'uninitialized',
      })),
    processChangedJobInputs: ({ params, query }, caller) =>
      mappedWork(processChanged(params.id, query.dry_run ?? false, caller), (names) => ({ reinitialized_jobs: names })),
    manageStatusChange: ({ params }) => change(params.id, params.status, params.run_id),
    takeRecoveryLease: ({ params, body }) => lease.take(params.id, body),
    releaseRecoveryLease: ({ params, query }) => lease.release(params.id, query.token),
    retryJob: ({ params, query }) => retry(params.id, params.run_id, query.max_retries),
  } satisfies Partial<Handlers>;
};
