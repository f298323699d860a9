import { IntList } from '../../core/lists/int-list.ts';
import type { Store } from '../records/store.ts';
import type { WorkSteps } from '../store/work.ts';
import { createMarks } from './marks.ts';
import type { RecoverQueries } from './queries.ts';

/** Jobs that are looked at between two steps: about 1 ms. */
export const JOBS_A_STEP = 256;

/** Which jobs are reset; see `queries.ts`. */
type Some = Pick<RecoverQueries['failed'], 'upstream' | 'resetDependent'>;

/** Makes everything uninitialized that is downstream of some jobs, but not these. Each job is looked at once, however many ways lead to it. */
export const createResetDownstream = ({ windows }: Store, queries: RecoverQueries) =>
  function* resetDownstream(workflowId: number, some: Some, isOne: (id: number) => boolean = () => true): WorkSteps {
    const ids = queries.idRange.get({ workflowId });
    if (ids === undefined || ids.first === null || ids.last === null) return;
    const marks = createMarks(ids.first, ids.last);
    const found = new IntList();
    function* spread(id: number): WorkSteps {
      for (let after = 0; ;) {
        const page = queries.dependents.all({ id, after, limit: JOBS_A_STEP });
        for (const { id: dependent } of page) {
          if (!marks.add(dependent)) continue;
          some.resetDependent.run({ id: dependent });
          found.push(dependent);
        }
        yield;
        if (page.length < JOBS_A_STEP) return;
        after = page.at(-1)?.id ?? after;
      }
    }
    yield* windows.within(workflowId, JOBS_A_STEP, function* (window) {
      for (const { id } of some.upstream.all(window)) if (isOne(id)) yield* spread(id);
    });
    for (let at = 0; at < found.length; at += 1) yield* spread(found.at(at));
  };
