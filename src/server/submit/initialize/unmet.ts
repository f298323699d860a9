import { statusOf } from '../../../core/contract/job.ts';
import { HELD, NOT_BEGUN, REPORTED } from '../../../core/job/statuses.ts';
import type { Store } from '../../records/store.ts';
import { type JobWindow, spreadOver, type Windows } from '../../store/rows.ts';
import type { WorkSteps } from '../../store/work.ts';
import type { InitializeQueries } from './queries.ts';

/** Dependencies that one statement counts: 4,096 take about 2 ms. */
const HEAVY = 4_096;
const FIRST = 256;
const MOST = 2_048;

/**
 * Counts for each job of a workflow its open dependencies, and whether one of them failed, and calls `then` for each
 * window of jobs. A window is as large as its dependencies allow; a job with very many is counted in pages.
 */
export function* countUnmet(
  queries: InitializeQueries,
  windows: Windows,
  workflowId: number,
  then: (window: JobWindow) => void,
): WorkSteps {
  let after = 0;
  let size = FIRST;
  for (;;) {
    const window = windows.next(workflowId, after, size);
    if (window === undefined) return;
    const { upto, jobs, isLast } = window;
    const edges = queries.countEdges.get({ ...window, limit: HEAVY + 1 })?.edges ?? 0;
    if (edges > HEAVY && jobs > 1) {
      size = Math.ceil(jobs / 4);
      continue;
    }
    if (edges > HEAVY) yield* countPages(queries, upto);
    else queries.countUnmet.run(window);
    then(window);
    if (isLast) return;
    after = upto;
    size = Math.min(MOST, size * 2);
    yield;
  }
}

/** The same for one job, a page of its dependencies at a time. */
export function* countPages(queries: InitializeQueries, id: number): WorkSteps {
  let [after, unmet, failed] = [0, 0, 0];
  for (;;) {
    const some = queries.countSome.get({ id, after, limit: HEAVY });
    if (some === undefined || some.upto === null) break;
    [after, unmet, failed] = [some.upto, unmet + some.unmet, Math.max(failed, some.failed)];
    if (some.edges < HEAVY) break;
    yield;
  }
  queries.writeUnmet.run({ id, unmet, failed });
}

/** Dependents read at a time. */
const PAGE = 256;

/**
 * Resets everything downstream of uninitialized jobs; a disabled job, and what only it precedes, stays. And those that made temporary
 * files which were deleted and are read again, with what is downstream of them: except what a runner has, which goes on, and what has
 * ended if such jobs are spared.
 */
export function* spreadDownstream(
  queries: Pick<InitializeQueries, 'dependents' | 'uninitialized' | 'deletedFiles' | 'neededMakers'>,
  windows: Windows,
  workflowId: number,
  { reset, sparesEnded = false }: { readonly reset: (id: number) => void; readonly sparesEnded?: boolean },
): WorkSteps {
  let isAgain = false;
  do {
    yield* spreadOver(windows, workflowId, {
      limit: PAGE,
      begin: queries.uninitialized.all,
      dependents: queries.dependents.all,
      meet({ id, status: code }) {
        const status = statusOf(code);
        const isSpared = sparesEnded && REPORTED.has(status);
        if (NOT_BEGUN.has(status) || isSpared || (isAgain && HELD.has(status))) return false;
        reset(id);
        return true;
      },
    });
    isAgain = yield* resetMakers(queries, workflowId, reset);
  } while (isAgain);
}

/** The last files first: what one job made of the output of another usually has the larger id, so one pass follows a chain. */
function* resetMakers(
  { deletedFiles, neededMakers }: Pick<InitializeQueries, 'deletedFiles' | 'neededMakers'>,
  workflowId: number,
  reset: (id: number) => void,
): WorkSteps<boolean> {
  let isAny = false;
  for (let before = Number.MAX_SAFE_INTEGER; ;) {
    const files = deletedFiles.all({ workflowId, before, limit: PAGE });
    for (const { id: fileId } of files)
      for (const { id } of neededMakers.all({ fileId })) {
        reset(id);
        isAny = true;
      }
    const last = files.at(-1);
    if (last === undefined) return isAny;
    before = last.id;
    yield;
  }
}

/** User data read at a time: values may be large. */
const A_FEW = 32;

/** Executes a statement for the user data of a workflow, a few at a time. */
export function* overUserData(
  { userDataPage }: Pick<InitializeQueries, 'userDataPage'>,
  workflowId: number,
  act: (window: JobWindow) => void,
): WorkSteps {
  for (let after = 0; ;) {
    const upto = userDataPage.get({ workflowId, after, limit: A_FEW })?.upto ?? undefined;
    if (upto === undefined) return;
    act({ workflowId, after, upto });
    after = upto;
    yield;
  }
}

/** Cancels the jobs whose dependencies failed, and what follows from that. All are counted by now, so that each counts down once. */
export function* cancelDoomed(
  { windows, releases, changes }: Pick<Store, 'windows' | 'releases' | 'changes'>,
  queries: Pick<InitializeQueries, 'doomed'>,
  workflowId: number,
): WorkSteps {
  yield* windows.over(workflowId, (window) => {
    const doomed = queries.doomed.all(window);
    if (doomed.length === 0) return;
    const canceled = releases.cancel(workflowId, doomed, 'a job that it waited for did not succeed');
    changes.record(workflowId, 'job_canceled', canceled);
  });
  yield* releases.drain(workflowId);
}
