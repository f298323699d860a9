import type { JobStatus } from '../../../core/contract/job.ts';
import { cancelsDependents, OPEN } from '../../../core/job/statuses.ts';
import type { ChangeLog } from '../../store/changes.ts';
import type { Database, NoParameters } from '../../store/database.ts';
import { LARGEST_PAGE, type SliceLimits } from '../../store/slice-limits.ts';
import type { Turns } from '../../store/turn.ts';
import type { WorkSteps } from '../../store/work.ts';
import { inRangesOf, STATUS } from '../rows/status.ts';

/** A job that its dependents no longer have to wait for. */
interface Ended {
  readonly workflowId: number;
  readonly jobId: number;
  readonly status: JobStatus;
  readonly returnCode: number;
  /** The number of its dependents, counted up to `LARGEST_PAGE`. */
  readonly dependents: number;
}

/** The result for dependents: how many became ready, and the events of those that were canceled. */
export interface Released {
  ready: number;
  readonly canceled: object[];
}

/** A job whose dependents with ids above `after` have not been released yet. */
interface Entry {
  readonly id: number;
  readonly failed: number;
  readonly after: number;
  /** Whether there may be more of them than a page. */
  readonly isLarge: boolean;
}

export interface Releases {
  /**
   * Releases the dependents of a job, in the transaction in which it ended. The part that does not fit into the
   * iteration follows in slices.
   */
  dependentsOf(ended: Ended): Released;
  /** Cancels blocked jobs whose dependencies failed, and queues those that have dependents. */
  cancel(workflowId: number, doomed: readonly Doomed[], cause: string): object[];
  /** Releases a page of the dependents of a job; returns the last one if there may be more. */
  page(workflowId: number, entry: Omit<Entry, 'isLarge'>, into: Released): { readonly upto: number | undefined };
  /** Processes the queue of a workflow, for work that locks it. */
  drain(workflowId: number): WorkSteps;
  /** Clears the queue: all dependencies are about to be counted again. */
  forget(workflowId: number): void;
  /** Continues with the queue of a workflow, in separate slices. */
  begin(workflowId: number): void;
  /** Is something queued for the workflow that may make jobs ready? */
  isAtWork(workflowId: number): boolean;
  /** Continues with all queues, after a restart. */
  resume(): void;
  /** No further slices: the rest is done after the next start. */
  stop(): void;
  /** Reports that the workflow is complete, if it is. */
  closeIfComplete(workflowId: number): void;
}

const ALL = Number.MAX_SAFE_INTEGER;

/**
 * Releases dependents of ended jobs immediately, without a timer.
 *
 * A dependent whose last dependency ended becomes ready; if one of its dependencies failed and it requests it, it is
 * canceled instead, and so on downstream. Each dependency is counted down once: the part that does not fit into the
 * iteration is in `job_release` before its commit, with the last dependent that was counted. Other writes may come
 * between, because a job whose dependencies are not all counted down stays blocked; only work that counts dependencies
 * itself has to wait.
 */
export function createReleases(
  { db, changes, turns }: { db: Database; changes: ChangeLog; turns: Turns },
  { page, sliceMs, atLeast }: SliceLimits,
  onError: (error: unknown) => void,
): Releases {
  const queries = releaseQueries(db);
  const running = new Set<number>();
  let isStopped = false;
  let turn = 0;
  let spent = 0;

  const cancel: Releases['cancel'] = (workflowId, doomed, cause) =>
    doomed.map(({ id, name, dependents }) => {
      queries.cancel.run({ id });
      if (dependents > 0) queries.queue.run({ workflowId, id, failed: 1, after: 0 });
      return { job_id: id, job_name: name, status: 'canceled', cause };
    });

  /** A job that was claimed ahead does not become ready: it becomes pending in the name of the runner that claimed it. */
  const claimAhead = (range: { id: number; after: number; upto: number }) => {
    for (const { id, workflow_id: workflowId, claimed_by: nodeId } of queries.claimAhead.all(range))
      changes.record(workflowId, 'jobs_claimed', [{ compute_node_id: nodeId, job_ids: [id] }]);
  };

  /** One page of dependents; canceled ones that have dependents are put on the stack. */
  const release = ({ id, failed, after, isLarge }: Entry, into: Released, stack: Entry[]): void => {
    const upto = isLarge ? queries.pageEnd.get({ id, after, skip: page - 1 })?.job_id : undefined;
    const range = { id, after, upto: upto ?? ALL };
    if (upto !== undefined) stack.push({ id, failed, after: upto, isLarge });
    const counted = queries.countDown.run({ ...range, failed });
    spent += 1 + counted;
    if (counted === 0) return;
    claimAhead(range);
    into.ready += queries.release.run(range);
    for (const { id: doomed, name, dependents } of queries.doomed.all(range)) {
      spent += 1;
      queries.cancel.run({ id: doomed });
      into.canceled.push({
        job_id: doomed,
        job_name: name,
        status: 'canceled',
        cause: `job ${id} did not succeed`,
      });
      if (dependents > 0) stack.push({ id: doomed, failed: 1, after: 0, isLarge: dependents >= page });
    }
  };

  const queue = (workflowId: number, entries: readonly Entry[]) => {
    for (const { id, failed, after } of entries) queries.queue.run({ workflowId, id, failed, after });
  };

  const report = (workflowId: number, { ready, canceled }: Released) => {
    if (canceled.length > 0) changes.record(workflowId, 'job_canceled', canceled);
    if (ready > 0) changes.record(workflowId, 'jobs_ready', [{ jobs: ready }]);
    if (canceled.length > 0) closeIfComplete(workflowId);
  };

  /** Takes entries from the queue until `isOver`, and puts the rest back. False if the queue is empty. */
  const some = (workflowId: number, isOver: () => boolean): boolean => {
    const into: Released = { ready: 0, canceled: [] };
    const stack: Entry[] = [];
    for (;;) {
      if (stack.length === 0) {
        const next = queries.next.get({ workflowId });
        if (next === undefined) break;
        queries.unqueue.run({ id: next.id });
        stack.push({ ...next, isLarge: true });
      }
      release(stack.pop() as Entry, into, stack);
      if (isOver()) break;
    }
    queue(workflowId, stack);
    report(workflowId, into);
    return queries.next.get({ workflowId }) !== undefined;
  };

  const begin = (workflowId: number) => {
    turns.hold(workflowId, 'releasing');
    if (running.has(workflowId)) return;
    running.add(workflowId);
    void goOn(workflowId);
  };

  const goOn = async (workflowId: number): Promise<void> => {
    try {
      while (!isStopped && (await turns.write(() => slice(workflowId))));
    } catch (error) {
      running.delete(workflowId);
      onError(error);
    }
  };

  const slice = (workflowId: number): boolean => {
    const until = performance.now() + sliceMs;
    if (some(workflowId, () => performance.now() > until)) return true;
    running.delete(workflowId);
    turns.release(workflowId);
    return false;
  };

  const closeIfComplete = (workflowId: number) => {
    if (queries.open.get({ workflowId }) !== undefined) return;
    changes.record(workflowId, 'workflow_completed', [{ category: 'workflow' }]);
  };

  return {
    dependentsOf({ workflowId, jobId, status, returnCode, dependents }) {
      const into: Released = { ready: 0, canceled: [] };
      const failed = Number(cancelsDependents(status, returnCode));
      const stack: Entry[] = [{ id: jobId, failed, after: 0, isLarge: dependents >= page }];
      if (turn !== turns.deadline) [turn, spent] = [turns.deadline, 0];
      while (stack.length > 0 && (spent < atLeast || performance.now() < turn))
        release(stack.pop() as Entry, into, stack);
      if (stack.length > 0) {
        queue(workflowId, stack);
        begin(workflowId);
      }
      return into;
    },
    cancel,
    page(workflowId, entry, into) {
      const stack: Entry[] = [];
      release({ ...entry, isLarge: true }, into, stack);
      const rest = stack[0]?.id === entry.id ? stack.shift() : undefined;
      queue(workflowId, stack);
      return { upto: rest?.after };
    },
    *drain(workflowId) {
      while (some(workflowId, () => performance.now() > turns.deadline)) yield;
    },
    forget: (workflowId) => void queries.forget.run({ workflowId }),
    begin(workflowId) {
      if (queries.next.get({ workflowId }) !== undefined) begin(workflowId);
    },
    isAtWork: (workflowId) => running.has(workflowId),
    resume() {
      for (const { workflow_id: workflowId } of queries.queued.all({})) begin(workflowId);
    },
    stop() {
      isStopped = true;
    },
    closeIfComplete,
  };
}

/** A blocked job that is canceled because of a dependency. */
export interface Doomed {
  readonly id: number;
  readonly name: string;
  readonly dependents: number;
}

/** The number of dependents of a job: most have few, and more than a page are not counted. */
export const dependentsOfJob = `(
  select count(*) from (select 1 from job_depends_on edge where edge.depends_on_job_id = job.id limit ${LARGEST_PAGE}))`;

const releaseQueries = (db: Database) => {
  const dependents = `
    select job_id from job_depends_on
    where depends_on_job_id = :id and job_id > :after and job_id <= :upto`;
  return {
    pageEnd: db.prepare<{ id: number; after: number; skip: number }, { job_id: number }>(`
      select job_id from job_depends_on
      where depends_on_job_id = :id and job_id > :after
      order by job_id limit 1 offset :skip`),
    // One statement to count, and only if there are dependents the statements that release them.
    countDown: db.prepare<{ id: number; after: number; upto: number; failed: number }>(`
      update job set unmet = unmet - 1, upstream_failed = max(upstream_failed, :failed)
      where id in (${dependents}) and status = ${STATUS.blocked}`),
    claimAhead: db.prepare<
      { id: number; after: number; upto: number },
      { id: number; workflow_id: number; claimed_by: number }
    >(`
      update job set status = ${STATUS.pending}
      where id in (${dependents})
        and status = ${STATUS.blocked} and claimed_by is not null and unmet <= 0
        and not (upstream_failed and cancel_on_blocking_job_failure)
      returning id, workflow_id, claimed_by`),
    release: db.prepare<{ id: number; after: number; upto: number }>(`
      update job set status = ${STATUS.ready}
      where id in (${dependents})
        and status = ${STATUS.blocked} and unmet <= 0 and not (upstream_failed and cancel_on_blocking_job_failure)`),
    doomed: db.prepare<{ id: number; after: number; upto: number }, Doomed>(`
      select id, name, ${dependentsOfJob} as dependents
      from job
      where id in (${dependents})
        and status = ${STATUS.blocked} and unmet <= 0`),
    cancel: db.prepare<{ id: number }>(`update job set status = ${STATUS.canceled}, claimed_by = null where id = :id`),
    queue: db.prepare<{ workflowId: number; id: number; failed: number; after: number }>(`
      insert or replace into job_release (job_id, workflow_id, failed, after_id)
      values (:id, :workflowId, :failed, :after)`),
    unqueue: db.prepare<{ id: number }>('delete from job_release where job_id = :id'),
    next: db.prepare<{ workflowId: number }, Omit<Entry, 'isLarge'>>(`
      select job_id as id, failed, after_id as after
      from job_release where workflow_id = :workflowId limit 1`),
    queued: db.prepare<NoParameters, { workflow_id: number }>('select distinct workflow_id from job_release'),
    forget: db.prepare<{ workflowId: number }>('delete from job_release where workflow_id = :workflowId'),
    // Asked at each end.
    open: db.prepare<{ workflowId: number }, { status: number }>(`
      select status
      from job_count
      where workflow_id = :workflowId and jobs > 0
        and ${inRangesOf('status', OPEN)}
      limit 1`),
  };
};
