import type { ExchangeReply, ExchangeRequest, Want } from '../../../core/contract/exchange.ts';
import type { JobStatusCounts } from '../../../core/contract/job.ts';
import type { HeldJobs } from '../../held/held-jobs.ts';
import type { Sweep } from '../sweep.ts';
import type { CurrentRun } from '../../ledger/current-run.ts';
import type { News } from '../../ledger/outbox.ts';
import { aheadOf, createRate } from '../../facts/pace.ts';
import type { TurnKind } from './state.ts';

export interface TurnsOptions {
  readonly run: CurrentRun;
  readonly nodeId: number;
  readonly jobs: HeldJobs;
  /** The jobs that the runner has room for: `limit` now and `prefetch` later, and `ahead`; undefined if it wants none. */
  readonly want: (prefetch: number, ahead: Want['ahead']) => Want | undefined;
  /** The present number of jobs that can run at once. */
  readonly slots: () => number;
  /** Whether it can cancel allocations of the workflow in Slurm. */
  readonly cancelsAllocations?: boolean;
  /** Deletes temporary files; absent: they are kept. */
  readonly sweep?: Pick<Sweep, 'begin'> | undefined;
  /** The choice whose jobs alone it takes. */
  readonly choice?: number | undefined;
}

/** Jobs claimed ahead that have waited this long for a slot are returned: another runner may have one. */
const WAITED_TOO_LONG_MS = 1_000;

/**
 * Jobs that are claimed ahead at least, before anything is known of how long jobs take. Too few, and a chain asks the server
 * for each job; too many, and a workflow that is reset has to wait for answers about jobs that never started.
 */
const LEAST_AHEAD = 8;
/** HeldJobs jobs that a turn names after a lost answer. */
const MOST_AFTER = 64;

/** What the runner says in an exchange, and what a reply brings. */
export function createExchangeTurns(options: TurnsOptions) {
  const { run, nodeId, jobs, want, slots, cancelsAllocations, choice, sweep } = options;
  const { runId, outbox, log } = run;
  const rate = createRate();
  /** The entries of the exchange in flight. */
  let reported: News | undefined;
  let counts: JobStatusCounts | undefined;
  let countsAtStart: JobStatusCounts | undefined;
  let lastProgress = performance.now();

  return {
    of(number: number, kind: TurnKind, reportsHeld: boolean): ExchangeRequest {
      const who = { run_id: runId, compute_node_id: nodeId, turn: number };
      if (kind === 'probe') return who;
      const most = aheadOf(rate.perSecond(performance.now()), slots());
      if (kind === 'usual') jobs.giveBackOlderThan(WAITED_TOO_LONG_MS);
      // Jobs that take long are not kept waiting here: another runner may be free before this one.
      if (kind === 'usual' && most === 0) jobs.giveBackFreed();
      reported = outbox.take();
      // The server must not assign a job again just because its end is not in this exchange.
      const held = reportsHeld ? [...jobs.ids(), ...outbox.waiting()] : undefined;
      const deletes = sweep === undefined ? {} : { deletes_files: true };
      const said = { ...who, ...withoutEmpty(reported), held, ...deletes };
      if (kind === 'last') return { ...said, is_last: true };
      const { queued, ahead, after } = jobs;
      return {
        ...said,
        ...(cancelsAllocations === true ? { cancels_allocations: true } : {}),
        ...(choice === undefined ? {} : { choice }),
        want: want(Math.max(0, most - queued), aheadWanted({ most, slots: slots(), ahead, after, held })),
      };
    },
    /** The server knows the entries of the exchange in flight, and its jobs are those of this runner. */
    accept(reply: ExchangeReply, kind: TurnKind) {
      counts = reply.jobs_by_status;
      countsAtStart ??= counts;
      if (kind === 'probe') return;
      reported = undefined;
      outbox.acknowledged();
      if (reply.has_files_to_remove === true) sweep?.begin();
      if (reply.jobs.length > 0) lastProgress = performance.now();
      for (const { job_id, message, code } of reply.errors)
        // A running job that was canceled ends here later, which is usual; the result of the cancellation stays.
        log.write(code === 'JOB_CANCELED' ? 'info' : 'warn', 'Server refused a report', { job_id, message });
      jobs.take(reply.jobs, reply.ahead);
    },
    /** The entries of the exchange in flight must be reported again. */
    putBack() {
      if (reported !== undefined) outbox.putBack(reported);
      reported = undefined;
    },
    /** This many jobs ended. */
    ended(count: number) {
      lastProgress = performance.now();
      rate.ended(count, lastProgress);
    },
    /** When the last job was assigned or ended, on the monotonic clock. */
    get lastProgress() {
      return lastProgress;
    },
    /** Ends a second. */
    get rate() {
      return rate.perSecond(performance.now());
    },
    get counts() {
      return counts;
    },
    /** As the first answer had them: what had ended then had ended before this runner. */
    get countsAtStart() {
      return countsAtStart;
    },
  };
}

/**
 * The claim ahead of an exchange; undefined if half of what was claimed before is left. After a lost answer, where the
 * runner lists what it holds, all of that is looked at again; otherwise the jobs that the server named.
 */
export function aheadWanted(now: {
  /** Jobs that are claimed beyond the free slots, by the present rate. */
  readonly most: number;
  readonly slots: number;
  readonly ahead: number;
  readonly after: readonly number[];
  readonly held: readonly number[] | undefined;
}): Want['ahead'] {
  const wanted = Math.max(LEAST_AHEAD, now.most, now.slots);
  if (now.ahead > wanted / 2) return undefined;
  return { limit: wanted - now.ahead, after: [...(now.held?.slice(0, MOST_AFTER) ?? now.after)] };
}

function withoutEmpty<Lists extends Readonly<Record<string, readonly unknown[]>>>(lists: Lists): Partial<Lists> {
  return Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0)) as Partial<Lists>;
}
