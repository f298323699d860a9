import type { Edges } from '../edges/edges.ts';
import type { Released } from '../edges/release.ts';
import { inPages } from '../../store/rows.ts';
import type { Store } from '../store.ts';
import { restartable, type WorkSteps, type Work } from '../../store/work.ts';
import type { DeletionQueries } from './queries.ts';

/** Tables that may have very many rows, or very many relationships. */
export type LargeTable = 'job' | 'file' | 'user_data' | 'result' | 'event' | 'compute_node';

interface Deletion {
  readonly table: LargeTable;
  /** One row; without an id, all rows of the workflow. */
  readonly id?: number | undefined;
}

/**
 * Deletes one row or all rows of a table, relationships first: otherwise the database would remove them in the same
 * statement.
 *
 * `check` runs before anything is written and may refuse. Its result is the reply of a single deletion.
 */
export const createDeletion = (
  store: Store,
  queries: DeletionQueries,
  edges: Edges,
  unneededFiles: { withoutJob(workflowId: number, jobId: number): WorkSteps },
) => {
  const { changes, find, releases, windows } = store;

  function* ofAll(workflowId: number, table: LargeTable): WorkSteps<number> {
    if (table === 'job') yield* edges.ofJobs(workflowId);
    if (table === 'file') yield* edges.ofFiles(workflowId);
    if (table === 'user_data') yield* edges.ofUserData(workflowId);
    if (table === 'result') yield* windows.over(workflowId, (window) => void queries.forgetResults.run(window));
    const count = yield* inPages((limit) => queries.all[table].run({ workflowId, limit }));
    if (table === 'job' && count > 0) changes.record(workflowId, 'jobs_deleted', [{ jobs: count }]);
    return count;
  }

  function* ofOne(workflowId: number, table: LargeTable, id: number): WorkSteps {
    if (table === 'job') yield* ofJob(workflowId, id);
    if (table === 'file') yield* edges.toFile(id);
    if (table === 'user_data') yield* edges.toUserData(id);
    // No step ends behind it: after a restart all is done again, and a second event of the deletion would be recorded.
    queries.one[table].run({ id });
    if (table !== 'job') return;
    changes.record(workflowId, 'jobs_deleted', [{ jobs: 1, job_id: id }]);
    releases.closeIfComplete(workflowId);
  }

  /**
   * The dependents of the job no longer wait for it. Each dependency that was counted down is removed in the same step.
   */
  function* ofJob(workflowId: number, id: number): WorkSteps {
    yield* unneededFiles.withoutJob(workflowId, id);
    const isEnded = queries.isEnded.get({ id }) !== undefined;
    for (let isLast = false; !isLast;) {
      const into: Released = { ready: 0, canceled: [] };
      let upto: number | undefined;
      if (isEnded) upto = queries.pageEnd.get({ id })?.job_id;
      else ({ upto } = releases.page(workflowId, { id, failed: 0, after: 0 }, into));
      queries.removeDependents.run({ id, upto: upto ?? Number.MAX_SAFE_INTEGER });
      if (into.canceled.length > 0) changes.record(workflowId, 'job_canceled', into.canceled);
      if (into.ready > 0) changes.record(workflowId, 'jobs_ready', [{ jobs: into.ready }]);
      isLast = upto === undefined;
      yield;
    }
    yield* edges.ofJob(id);
    releases.begin(workflowId);
  }

  const work = restartable(store.works, 'delete_rows', (workflowId, { table, id }: Deletion): WorkSteps<unknown> =>
    id === undefined ? ofAll(workflowId, table) : ofOne(workflowId, table, id),
  );

  return {
    all: <Result>(
      workflowId: number,
      table: LargeTable,
      reply: (count: number) => Result,
      check: () => void = () => void find.workflow(workflowId),
    ): Work<Result> =>
      work(workflowId, { table }, function* () {
        check();
        return reply(yield* ofAll(workflowId, table));
      }),
    one: <Result>(workflowId: number, table: LargeTable, id: number, check: () => Result): Work<Result> =>
      work(workflowId, { table, id }, function* () {
        const gone = check();
        yield* ofOne(workflowId, table, id);
        return gone;
      }),
  };
};

/** The usual reply of the deletion of all rows. */
export const countReply = (count: number) => ({ count });

export type Deletions = ReturnType<typeof createDeletion>;
