import type { Store } from '../records/store.ts';
import { spreadOver } from '../store/rows.ts';
import type { WorkSteps } from '../store/work.ts';
import { jobMarks } from './marks.ts';
import type { RecoverQueries } from './queries.ts';

/** Jobs that are looked at between two steps: about 1 ms. */
export const JOBS_A_STEP = 256;

/** Which jobs are reset; see `queries.ts`. */
type Some = Pick<RecoverQueries['failed'], 'upstream' | 'resetDependent'>;

/** Makes everything uninitialized that is downstream of some jobs, but not these. Each job is looked at once, however many ways lead to it. */
export const createResetDownstream = ({ windows }: Store, queries: RecoverQueries) =>
  function* resetDownstream(workflowId: number, some: Some, isOne: (id: number) => boolean = () => true): WorkSteps {
    const marks = jobMarks(queries, workflowId);
    if (marks === undefined) return;
    yield* spreadOver(windows, workflowId, {
      limit: JOBS_A_STEP,
      begin: (window) => some.upstream.all(window).filter(({ id }) => isOne(id)),
      dependents: queries.dependents.all,
      meet({ id }) {
        const isNew = marks.add(id);
        if (isNew) some.resetDependent.run({ id });
        return isNew;
      },
    });
  };
