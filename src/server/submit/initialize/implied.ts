import { Refusal } from '../../../core/contract/refusals.ts';
import { grouped } from '../../../core/quantity/count-text.ts';
import { IntList } from '../../../core/lists/int-list.ts';
import type { Windows } from '../../store/rows.ts';
import type { WorkSteps } from '../../store/work.ts';
import type { Implied, InitializeQueries } from './queries.ts';

/** Jobs and their dependencies, as integers: a million take 8 MB. */
export class EdgeList {
  private readonly jobs = new IntList();
  private readonly others = new IntList();
  /** Whether a job depends on a later one. Otherwise there is no circle. */
  isBackward = false;

  get length(): number {
    return this.jobs.length;
  }
  add(jobId: number, otherId: number): void {
    this.jobs.push(jobId);
    this.others.push(otherId);
    this.isBackward ||= otherId > jobId;
  }
  at(index: number): { jobId: number; otherId: number } {
    return { jobId: this.jobs.at(index), otherId: this.others.at(index) };
  }
}

/** Rows read at a time: about 1 ms. */
const PAGE = 1_000;
/** Jobs read together, most of which read few files. */
const WINDOW = 512;

/** Adds dependencies of jobs on the jobs that write what they read, unless they exist. */
export function* newEdges(
  kind: InitializeQueries['implied'][number],
  windows: Windows,
  workflowId: number,
  into: EdgeList,
): WorkSteps {
  if (kind.isThere.get({ workflowId }) === undefined) return;
  const take = (rows: readonly Implied[]) => {
    for (const row of rows) if (row.is_known === 0) into.add(row.job_id, row.other_id);
  };

  yield* windows.within(workflowId, WINDOW, function* (window) {
    let after: number | undefined = window.after;
    while (after !== undefined) {
      const rows = kind.of.all({ ...window, after, limit: PAGE });
      take(rows);
      // The last job of a full page may read more: it is read completely, and the next page begins after it.
      let last = rows.length < PAGE ? undefined : rows.at(-1);
      after = last?.job_id;
      while (last !== undefined) {
        yield;
        const rest: Implied[] = kind.rest.all({
          jobId: last.job_id,
          byId: last.by_id,
          otherId: last.other_id,
          limit: PAGE,
        });
        take(rest);
        last = rest.length < PAGE ? undefined : rest.at(-1);
      }
    }
  });
}

/**
 * Dependencies that files and user data may imply where several jobs write one of them: writers × readers, so a small body
 * can imply billions. Each takes 8 bytes of memory here, and is a row of the database.
 */
const MOST_IMPLIED = 10_000_000;
/** Files counted at a time: one of 100,000 jobs takes 1 ms. */
const FILES = 16;

/** Refuses a workflow that implies too many dependencies, before the first of them is read. */
export function* refuseTooMany(
  kinds: InitializeQueries['implied'],
  workflowId: number,
  most = MOST_IMPLIED,
): WorkSteps {
  let implied = 0;
  for (const { upto, product } of kinds) {
    let after = 0;
    for (;;) {
      const last = upto.get({ workflowId, after, limit: FILES })?.upto ?? undefined;
      if (last === undefined) break;
      implied += product.get({ workflowId, after, upto: last })?.edges ?? 0;
      after = last;
      yield;
    }
  }
  if (implied <= most) return;
  const message =
    `the files and user data of workflow ${workflowId} imply ${grouped(implied)} dependencies (jobs that write × jobs that ` +
    `read); the limit is ${grouped(most)}`;
  throw new Refusal('DEPENDENCIES_TOO_MANY', message, { workflow_id: workflowId, implied, limit: most });
}
