import type { Ahead, ClaimedJob, Completion, HeldAttempt, Need } from '../../core/contract/exchange.ts';
import { createAheadJobs, type Parent } from '../claim/ahead.ts';
import type { Outbox } from '../ledger/outbox.ts';
import { attemptKeyOf, attemptKeys, type JobStates } from './job-states.ts';

export interface WaitingOptions {
  readonly outbox: Pick<Outbox, 'returned' | 'unreported'>;
  readonly jobs: JobStates;
  /** Is enough of the runner's time left for a job with this need? */
  readonly hasTimeFor?: ((need: Need) => boolean) | undefined;
}

export type WaitingJobs = ReturnType<typeof createWaitingJobs>;

/**
 * The jobs that a runner holds and has not started: those that wait for a slot, and those that were claimed ahead and wait
 * for other jobs of this runner. A job that cannot start here is given back, with all that waits for it.
 */
export function createWaitingJobs({ outbox, jobs, hasTimeFor }: WaitingOptions) {
  const ahead = createAheadJobs();
  /** Jobs whose ends are quiet, as the server said. */
  const quiet = new Set<number>();
  let after: readonly number[] = [];
  let isOpen = true;
  let hasFreed = false;

  const giveBackIds = (ids: readonly number[]) => {
    if (ids.length > 0) outbox.returned(ids);
  };
  const giveBack = (given: readonly ClaimedJob[]) => {
    giveBackIds(given.flatMap(({ id }) => [id, ...ahead.gone(id)]));
  };

  /** Jobs that were claimed ahead wait for nothing any more. */
  const free = (freed: readonly ClaimedJob[]) => {
    if (freed.length === 0) return;
    const held = jobs.keys();
    for (const job of freed) {
      if (held.has(attemptKeyOf(job))) continue;
      if (!isOpen || hasTimeFor?.(job.need) === false) {
        giveBack([job]);
        continue;
      }
      jobs.enqueue(job, 'freed');
      hasFreed = true;
    }
  };

  const takeAhead = ({ jobs: claimed, rest, settled }: Ahead) => {
    const changed = ahead.add(claimed, (id) => parentOf(id, jobs.has, () => outbox.unreported()));
    free(changed.free);
    giveBackIds(changed.gone);
    after = rest;
    for (const id of settled) quiet.add(id);
  };

  return {
    /** The number of jobs that were claimed ahead and wait for others. */
    get ahead() {
      return ahead.size;
    },
    /** Held jobs whose dependents the server has not looked at. */
    get after() {
      return after;
    },
    /** Whether jobs may start. Jobs that become free while they may not are given back. */
    get isOpen() {
      return isOpen;
    },
    aheadIds: ahead.ids,
    /** Accepts claimed jobs, those that the runner does not hold yet. */
    take(claimed: readonly ClaimedJob[], aheadOfThem: Ahead | null | undefined) {
      // A held job must not start twice, even if the server assigns it again.
      const held = jobs.keys();
      for (const job of claimed) if (!held.has(attemptKeyOf(job))) jobs.enqueue(job, 'last');
      if (aheadOfThem) takeAhead(aheadOfThem);
      // The caller starts all that fit, these too.
      hasFreed = false;
    },
    /** A job is over for this runner: jobs that wait for it become free, or are given back. */
    over(jobId: number, isCompleted: boolean) {
      if (isCompleted) free(ahead.completed(jobId));
      else giveBackIds(ahead.gone(jobId));
    },
    /** Whether jobs became free since the last call. */
    hasFreed() {
      const had = hasFreed;
      hasFreed = false;
      return had;
    },
    /** Whether the end of this job makes no job ready that another runner could take. To be asked once. */
    endsQuietly: (jobId: number) => quiet.delete(jobId),
    /** Gives back the jobs of canceled attempts, and those that wait for them. */
    cancel(attempts: readonly HeldAttempt[]) {
      const keys = attemptKeys(attempts);
      const isMeant = (job: ClaimedJob) => keys.has(attemptKeyOf(job));
      giveBack(jobs.dequeue(({ job }) => isMeant(job)));
      giveBackIds(ahead.drop(isMeant));
    },
    /** Gives back a job, and those that wait for it. */
    giveBack: (job: ClaimedJob) => giveBack([job]),
    /** Gives back the jobs that have waited longer than this for a slot. */
    giveBackOlderThan: (ageMs: number) => giveBack(jobs.dequeue(({ sinceMs }) => sinceMs < performance.now() - ageMs)),
    /** Gives back jobs that were claimed ahead, may start and find no slot. */
    giveBackFreed: () => giveBack(jobs.dequeue(({ isFreed }) => isFreed)),
    /** Gives back all; no job starts afterwards, unless it is opened again. */
    close() {
      isOpen = false;
      giveBack(jobs.dequeue(() => true));
      giveBackIds(ahead.clear());
      quiet.clear();
      after = [];
    },
    open() {
      isOpen = true;
    },
  };
}

/** What became of a job that another waits for. An end that the server may not know yet is among the `unreported`. */
export function parentOf(
  id: number,
  isOpen: (id: number) => boolean,
  unreported: () => readonly Pick<Completion, 'job_id' | 'status'>[],
): Parent {
  if (isOpen(id)) return 'open';
  return unreported().findLast(({ job_id: ended }) => ended === id)?.status === 'completed' ? 'completed' : 'gone';
}
