import type { Workflow } from '../../../../core/contract/workflow.ts';
import type { Edges } from '../../edges/edges.ts';
import { inPages } from '../../../store/rows.ts';
import type { Store } from '../../store.ts';
import { restartable, type WorkSteps, type Work } from '../../../store/work.ts';
import type { RemoveQueries } from './queries.ts';

/**
 * Deletes a workflow with everything that belongs to it, and returns it.
 *
 * The first slice marks it as removed: from then on no request finds it. Its rows follow in slices, child rows first:
 * otherwise the database would remove them in one statement along with it.
 */
export const createRemoval = (store: Store, queries: RemoveQueries, edges: Edges) => {
  const { changes, find, now } = store;

  function* rows(id: number): WorkSteps {
    yield* edges.ofJobs(id);
    for (const table of queries.tables) yield* inPages((limit) => table.run({ id, limit }));
    queries.remove.run({ id });
    find.removed.delete(id);
  }

  function* whole(id: number): WorkSteps<Workflow> {
    const gone = find.wholeWorkflow(id);
    queries.mark.run({ id, atMs: now() });
    find.removed.add(id);
    changes.record(id, 'workflow_deleted', [{ category: 'workflow', name: gone.name, user: gone.user }]);
    // The counts are no longer needed, and without these rows the triggers have nothing to change.
    queries.forgetCounts.run({ id });
    queries.forgetTime.run({ id });
    yield* rows(id);
    return gone;
  }

  const work = restartable(store.works, 'delete_workflow', rows);
  return (id: number): Work<Workflow> => work(id, {}, () => whole(id));
};
