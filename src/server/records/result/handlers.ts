import { statusCode } from '../../../core/contract/job.ts';
import type { Handlers } from '../../handlers.ts';
import type { Deletions } from '../deletion/deletion.ts';
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
    listResults({ query: { offset, limit, sort_by, reverse_sort, status: asked, all_runs = false, ...filters } }) {
      find.workflow(filters.workflow_id);
      const statusFilter = asked === undefined ? undefined : statusCode[asked];
      return queries.listResults(
        { ...filters, all_runs, status: statusFilter },
        { offset, limit, sort_by, reverse_sort },
      );
    },
    getResult: ({ params }) => read(results, params.id),
    updateResult: ({ params, body }) => update(params.id, body),
    deleteResult({ params: { id } }) {
      const { job_id: jobId } = read(results, id);
      queries.forgetResult.run({ jobId, id });
      return removeRecord(results, id);
    },
    deleteResults: ({ query }) =>
      deletion.all(query.workflow_id, 'result', {
        check: () => void find.workflow(query.workflow_id),
        reply: (count) => ({ count }),
      }),
  } satisfies Partial<Handlers>;
};
