import { statusCode } from '../../../core/contract/job.ts';
import type { Handlers } from '../../handlers.ts';
import { countReply, type Deletions } from '../deletion/deletion.ts';
import { read, removeRecord } from '../records.ts';
import type { Store } from '../store.ts';
import { createResult, updateResult } from './change.ts';
import { resultQueries } from './queries.ts';

export const resultRecordHandlers = (store: Store, deletion: Deletions) => {
  const { db, find } = store;
  const queries = resultQueries(db);
  const { results } = queries;
  const create = createResult(store, queries);
  const update = updateResult(store, queries);

  return {
    createResult: ({ body }) => create(body),
    listResults({ query: { status, all_runs = false, ...query } }) {
      find.workflow(query.workflow_id);
      return results.list({ ...query, all_runs, status: status === undefined ? undefined : statusCode[status] });
    },
    getResult: ({ params }) => read(results, params.id),
    updateResult: ({ params, body }) => update(params.id, body),
    deleteResult({ params: { id } }) {
      const { job_id: jobId } = read(results, id);
      queries.forgetResult.run({ jobId, id });
      return removeRecord(results, id);
    },
    deleteResults: ({ query }) => deletion.all(query.workflow_id, 'result', countReply),
  } satisfies Partial<Handlers>;
};
