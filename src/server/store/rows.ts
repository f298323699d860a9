import { IntList } from '../../core/lists/int-list.ts';
import type { Database } from './database.ts';
import { type SliceLimits, usualLimits } from './slice-limits.ts';
import type { WorkSteps } from './work.ts';

/** Jobs of a workflow with ids above `after`, up to and including `upto`. */
export type JobWindow = {
  readonly workflowId: number;
  readonly after: number;
  readonly upto: number;
};

/** The condition for the jobs of a window, on any table with their workflow and their ids. */
export const OF_WINDOW = 'workflow_id = :workflowId and id > :after and id <= :upto';

export interface Windows {
  /** The next window after an id, of at most `size` jobs; undefined after the last job. */
  next(
    workflowId: number,
    after: number,
    size: number,
  ): (JobWindow & { readonly jobs: number; readonly isLast: boolean }) | undefined;
  /** All jobs of a workflow in windows that take a few milliseconds each. */
  over(workflowId: number, act: (window: JobWindow) => void): WorkSteps;
  /** The same in windows of a fixed size, for work that checks its own time. */
  within(workflowId: number, size: number, act: (window: JobWindow) => WorkSteps): WorkSteps;
}

/**
 * A statement that takes less than the first is followed by a larger one, and one that takes more than the second by a
 * smaller one.
 */
const [SHORT_MS, LONG_MS] = [1.5, 4];

const adapted = (size: number, ms: number, most: number) =>
  ms < SHORT_MS ? Math.min(most, size * 2) : ms > LONG_MS ? Math.max(1, size >> 1) : size;

export function createWindows(db: Database, { firstWindow, largestWindow }: SliceLimits): Windows {
  const query = db.prepare<{ workflowId: number; after: number; size: number }, { upto: number | null; jobs: number }>(`
    select max(id) as upto, count(*) as jobs
    from (select id from job where workflow_id = :workflowId and id > :after order by id limit :size)`);
  const next: Windows['next'] = (workflowId, after, asked) => {
    const size = Math.min(asked, largestWindow);
    const { upto, jobs } = query.get({ workflowId, after, size }) as { upto: number | null; jobs: number };
    return upto === null ? undefined : { workflowId, after, upto, jobs, isLast: jobs < size };
  };
  return {
    next,
    *over(workflowId, act) {
      let size = firstWindow;
      let window = next(workflowId, 0, size);
      while (window !== undefined) {
        const began = performance.now();
        act(window);
        if (window.isLast) return;
        size = adapted(size, performance.now() - began, largestWindow);
        yield;
        window = next(workflowId, window.upto, size);
      }
    },
    *within(workflowId, asked, act) {
      const size = Math.min(asked, largestWindow);
      let window = next(workflowId, 0, size);
      while (window !== undefined) {
        yield* act(window);
        if (window.isLast) return;
        yield;
        window = next(workflowId, window.upto, size);
      }
    },
  };
}

/** A page of rows: those behind an id, in its order. */
export interface IdPage {
  readonly after: number;
  readonly limit: number;
}
type WithId = { readonly id: number };

/** Reads a list by id, a page at a time, until one is not full. A step ends after each page. */
export function* byId<Row extends WithId>(
  limit: number,
  read: (page: IdPage) => readonly Row[],
  take: (row: Row) => void,
): WorkSteps {
  for (let after = 0; ;) {
    const rows = read({ after, limit });
    for (const row of rows) take(row);
    yield;
    const last = rows.at(-1);
    if (rows.length < limit || last === undefined) return;
    after = last.id;
  }
}

interface Spread<Row> {
  readonly limit: number;
  readonly begin: (window: JobWindow) => Iterable<WithId>;
  readonly dependents: (page: IdPage & WithId) => readonly Row[];
  /** Whether it goes on from this one: false for a job that was met before. */
  readonly meet: (row: Row) => boolean;
}

/** Meets everything downstream of the jobs with which it begins, in any order. */
export function* spreadOver<Row extends WithId>(
  windows: Windows,
  workflowId: number,
  { limit, begin, dependents, meet }: Spread<Row>,
): WorkSteps {
  const found = new IntList();
  const spread = (id: number) =>
    byId(
      limit,
      (page) => dependents({ id, ...page }),
      (row) => {
        if (meet(row)) found.push(row.id);
      },
    );
  yield* windows.within(workflowId, limit, function* (window) {
    for (const { id } of begin(window)) yield* spread(id);
  });
  for (let at = 0; at < found.length; at += 1) yield* spread(found.at(at));
}

/**
 * Repeats a statement that changes at most `limit` rows until it changes fewer, and returns the total number of changed
 * rows.
 *
 * It begins with few: a row may be large. The following sizes depend on the time taken.
 */
export function* inPages(change: (limit: number) => number): WorkSteps<number> {
  let limit = 32;
  let total = 0;
  for (;;) {
    const began = performance.now();
    const changed = change(limit);
    total += changed;
    if (changed < limit) return total;
    limit = adapted(limit, performance.now() - began, usualLimits.largestWindow);
    yield;
  }
}
