import type { Ahead, ClaimedJob, Completion, Need } from '../../core/contract/exchange.ts';
import { createAheadJobs, type Parent } from '../claim/ahead.ts';
import type { Outbox } from '../ledger/outbox.ts';
import type { UnderWay } from './under-way.ts';
import { createWaitingJobs, type WaitingJobs } from './waiting-jobs.ts';

export interface PendingJobsOptions {
  readonly outbox: Pick<Outbox, 'returned' | 'unreported'>;
  readonly underWay: UnderWay;
  /** Is enough of the runner's time left for a job with this need? */
  readonly hasTimeFor: ((need: Need) => boolean) | undefined;
}

/**
 * The jobs that a runner holds and has not started: those that wait for a slot, and those that were claimed ahead and wait
 * for other jobs of this runner. A job that cannot start here is given back, with all that waits for it.
 */
export interface PendingJobs {
  /** The number of jobs that wait for a slot. */
  readonly queued: number;
  /** The number of jobs that were claimed ahead and wait for others. */
  readonly ahead: number;
  /** Held jobs whose dependents the server has not looked at. */
  readonly after: readonly number[];
  /** Whether jobs may start. Jobs that become free while they may not are given back. */
  readonly isOpen: boolean;
  ids(): number[];
  /** Accepts claimed jobs, those that the runner does not hold yet. */
  take(jobs: readonly ClaimedJob[], claimed: Ahead | null | undefined): void;
  /** A job is over for this runner: jobs that wait for it become free, or are given back. */
  over(jobId: number, isCompleted: boolean): void;
  /** A job that was taken out could not start now: it is the next again. */
  putBack(job: ClaimedJob): void;
  startFitting: WaitingJobs['startFitting'];
  /** Whether jobs became free since the last call. */
  hasFreed(): boolean;
  /** Whether the end of this job makes no job ready that another runner could take. To be asked once. */
  endsQuietly(jobId: number): boolean;
  /** Gives back the jobs of canceled attempts, and those that wait for them. */
  drop(isMeant: (job: ClaimedJob) => boolean): void;
  /** Gives back a job, and those that wait for it. */
  giveBack(job: ClaimedJob): void;
  /** Gives back the jobs that have waited longer than this for a slot. */
  giveBackOlderThan(ageMs: number): void;
  /** Gives back jobs that were claimed ahead, may start and find no slot. */
  giveBackFreed(): void;
  /** Gives back all; no job starts afterwards, unless it is opened again. */
  close(): void;
  open(): void;
}

export function createPendingJobs({ outbox, underWay, hasTimeFor }: PendingJobsOptions): PendingJobs {
  const queue = createWaitingJobs(() => performance.now());
  const ahead = createAheadJobs();
  const hints = createHints();
  let isOpen = true;

  const giveBackIds = (ids: readonly number[]) => {
    if (ids.length > 0) outbox.returned(ids);
  };
  const giveBack = (jobs: readonly ClaimedJob[]) => {
    giveBackIds(jobs.flatMap(({ id }) => [id, ...ahead.gone(id)]));
  };

  /** The attempts that run or wait for a slot. */
  const known = () =>
    new Set([...[...underWay.running.values()].map(({ job }) => job), ...queue.jobs()].map(attemptOf));

  /** A job that was claimed ahead waits for nothing any more: it goes before those of lower priority. */
  const enqueueFreed = (job: ClaimedJob) => {
    if (known().has(attemptOf(job))) return;
    if (!isOpen || hasTimeFor?.(job.need) === false) {
      giveBack([job]);
      return;
    }
    queue.addFreed(job);
  };

  const takeAhead = ({ jobs, rest, settled }: Ahead) => {
    const isOpenParent = (id: number) => underWay.has(id) || queue.jobs().some((job) => job.id === id);
    const { free, gone } = ahead.add(jobs, (id) => parentOf(id, isOpenParent, () => outbox.unreported()));
    for (const job of free) enqueueFreed(job);
    giveBackIds(gone);
    hints.take(rest, settled);
  };

  return {
    get queued() {
      return queue.size;
    },
    get ahead() {
      return ahead.size;
    },
    get after() {
      return hints.after;
    },
    get isOpen() {
      return isOpen;
    },
    ids: () => [...queue.jobs().map(({ id }) => id), ...ahead.ids()],
    take(jobs, claimed) {
      // A held job must not start twice, even if the server assigns it again.
      const held = known();
      queue.add(jobs.filter((job) => !held.has(attemptOf(job))));
      if (claimed) takeAhead(claimed);
      // The caller starts all that fit, these too.
      queue.hasFreed();
    },
    over(jobId, isCompleted) {
      if (isCompleted) for (const job of ahead.completed(jobId)) enqueueFreed(job);
      else giveBackIds(ahead.gone(jobId));
    },
    putBack: queue.putBack,
    startFitting: queue.startFitting,
    hasFreed: queue.hasFreed,
    endsQuietly: hints.endsQuietly,
    drop(isMeant) {
      giveBack(queue.take(isMeant));
      giveBackIds(ahead.drop(isMeant));
    },
    giveBack: (job) => giveBack([job]),
    giveBackOlderThan: (ageMs) => giveBack(queue.takeOlderThan(ageMs)),
    giveBackFreed: () => giveBack(queue.takeFreed()),
    close() {
      isOpen = false;
      giveBack(queue.clear());
      giveBackIds(ahead.clear());
      hints.clear();
    },
    open() {
      isOpen = true;
    },
  };
}

/** What the server said about dependents of held jobs. */
function createHints() {
  const quiet = new Set<number>();
  let after: readonly number[] = [];
  return {
    get after() {
      return after;
    },
    endsQuietly: (jobId: number) => quiet.delete(jobId),
    take(rest: readonly number[], settled: readonly number[]) {
      after = rest;
      for (const id of settled) quiet.add(id);
    },
    clear() {
      quiet.clear();
      after = [];
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

const attemptOf = ({ id, attempt_id: attempt }: ClaimedJob) => `${id} ${attempt}`;
