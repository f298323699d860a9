import type { Edges } from '../edges/edges.ts';
import { inPages } from '../../store/rows.ts';
import type { Store } from '../store.ts';
import type { WorkSteps, Work } from '../../store/work.ts';
import type { NewJobQueries } from './queries.ts';

/**
 * Work that creates jobs: all or none for the caller.
 *
 * Its jobs are known by the lowest id that one of them can have, because no other request creates jobs in the workflow
 * meanwhile. Jobs that a killed server left are removed at the next start: no client got their ids.
 */
export const createCreation = (store: Store, queries: NewJobQueries, edges: Edges) => {
  function* remove(workflowId: number, firstId: number | undefined): WorkSteps {
    if (firstId === undefined) return;
    // First the relationships: all other jobs may depend on one job.
    let page = queries.jobsFrom.all({ workflowId, firstId, after: 0, limit: A_FEW });
    while (page.length > 0) {
      for (const { id } of page) yield* edges.ofJob(id);
      yield;
      page = queries.jobsFrom.all({ workflowId, firstId, after: page.at(-1)?.id ?? 0, limit: A_FEW });
    }
    yield* inPages((limit) => queries.removeJobs.run({ workflowId, firstId, limit }));
  }

  store.works.onRestart('create_jobs', (workflowId, { firstId }: { firstId?: number }): Work<void> => ({
    workflowId,
    kind: 'create_jobs',
    parameters: () => ({ firstId }),
    steps: () => remove(workflowId, firstId),
  }));

  return <Result>(
    workflowId: number,
    steps: (onWrite: (firstId: number) => void) => WorkSteps<Result>,
  ): Work<Result> => {
    let firstId: number | undefined;
    return {
      workflowId,
      kind: 'create_jobs',
      parameters: () => ({ firstId }),
      steps: () =>
        steps((id) => {
          firstId = id;
        }),
      undo: () => remove(workflowId, firstId),
    };
  };
};

/** Jobs removed between two steps. */
const A_FEW = 64;
