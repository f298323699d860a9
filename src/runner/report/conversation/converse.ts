import { LONGEST_TIMER_MS } from '../../../client/long-timers.ts';
import type { ExchangeReply, ExchangeRequest, Want } from '../../../core/contract/exchange.ts';
import type { JobStatusCounts } from '../../../core/contract/job.ts';
import { ServiceError } from '../../../client/errors.ts';
import type { RunningJobs } from '../../start/running-jobs.ts';
import type { Log } from '../../log.ts';
import { type ExchangeFailure, exchangeFailureOf } from '../failed-exchange.ts';
import type { News, Outbox } from '../outbox.ts';
import { aheadOf, createRate } from '../pace.ts';
import { advance, nextMoment } from './advance.ts';
import { AT_START, type Effect, type Event, type Facts, type Over, type Rules } from './state.ts';

export interface ConverseOptions extends Omit<Rules, 'runId'> {
  /** Sends an exchange to the server; exactly one of the two callbacks is called, at any later time. */
  readonly ask: (
    turn: ExchangeRequest,
    answered: (reply: ExchangeReply) => void,
    failed: (error: unknown) => void,
  ) => void;
  readonly runId: number;
  readonly nodeId: number;
  readonly runningJobs: RunningJobs;
  readonly outbox: Outbox;
  readonly log: Log;
  /** The jobs that the runner has room for: `limit` now and `prefetch` later, and `ahead`; undefined if it wants none. */
  readonly want: (prefetch: number, ahead: Want['ahead']) => Want | undefined;
  /** The present number of jobs that can run at once. */
  readonly slots: () => number;
  readonly onReply: (reply: ExchangeReply) => void;
  /** The server has been away for longer than the runner waits, or has an older database. */
  readonly onOffline: (failure: ExchangeFailure) => void;
  readonly onOnline: () => void;
  readonly onOver: (over: Over) => void;
}

/** The runner's side of the exchange. `advance.ts` decides; this executes its decisions. */
export interface Conversation {
  /** Jobs may have become ready, by a change that the server sent, unless its last reply includes that change. */
  workMayBeReady(changeId?: number): void;
  /** The workflow as a whole may have changed: sends an exchange even without entries or room for a job. */
  mustAsk(changeId?: number): void;
  /** Jobs ended; see `RunningJobsOptions.onEnded`. */
  ended(count: number, isQuiet: boolean): void;
  /** The connection was lost: from now on the server may be a different one. */
  connectionLost(): void;
  /** The connection is back, so a server is reachable. */
  connected(): void;
  /** Ends the conversation without waiting for the server any longer. */
  giveUp(): void;
  /** Checks whether an exchange is due. */
  consider(): void;
  /** Sends all remaining entries; false if the server could not be reached. */
  settle(): Promise<boolean>;
  /** When the last job was assigned or ended, on the monotonic clock. */
  readonly lastProgress: number;
  readonly rate: number;
  readonly counts: JobStatusCounts | undefined;
  /** As the first answer had them: what had ended then had ended before this runner. */
  readonly countsAtStart: JobStatusCounts | undefined;
  close(): void;
}

/** Jobs claimed ahead that have waited this long for a slot are returned: another runner may have one. */
const WAITED_TOO_LONG_MS = 1_000;

/**
 * Jobs that are claimed ahead at least, before anything is known of how long jobs take. Too few, and a chain asks the server
 * for each job; too many, and a workflow that is reset has to wait for answers about jobs that never started.
 */
const LEAST_AHEAD = 8;
/** Held jobs that a turn names after a lost answer. */
const MOST_AFTER = 64;

export function createConversation(options: ConverseOptions): Conversation {
  const { ask, runId, nodeId, runningJobs, outbox, log, want, slots, onReply, onOver } = options;
  const rate = createRate();
  let state = AT_START;
  /** The entries of the exchange in flight. */
  let told: News | undefined;
  let counts: JobStatusCounts | undefined;
  let countsAtStart: JobStatusCounts | undefined;
  let lastProgress = performance.now();
  let timer: NodeJS.Timeout | undefined;
  let wakesAtMs = Infinity;
  let hasSettled: (isTold: boolean) => void = () => {};
  /** Events that arrived while another one was processed. */
  const waiting: Event[] = [];
  let isBusy = false;

  const facts = (): Facts => ({
    nowMs: performance.now(),
    queued: runningJobs.queued,
    running: runningJobs.running,
    ahead: runningJobs.ahead,
    hasRoom: runningJobs.hasRoom,
    slots: slots(),
    hasNews: !outbox.isEmpty,
  });

  const take = (event: Event) => {
    waiting.push(event);
    if (isBusy) return;
    isBusy = true;
    try {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const step = advance(state, next, facts(), options);
        state = step.state;
        for (const effect of step.effects) carryOut(effect);
        // Jobs that were assigned or entries that were put back may require another exchange.
        if (next.kind === 'answered' || next.kind === 'failed') waiting.push({ kind: 'consider' });
      }
    } finally {
      isBusy = false;
    }
    arm();
  };

  /** One timer, for the earliest moment; firing early does no harm. */
  const arm = () => {
    const atMs = nextMoment(state);
    if (atMs >= wakesAtMs) return;
    clearTimeout(timer);
    wakesAtMs = atMs;
    timer = setTimeout(wake, Math.min(LONGEST_TIMER_MS, Math.max(0, atMs - performance.now())));
  };
  const wake = () => {
    wakesAtMs = Infinity;
    take({ kind: 'time' });
  };

  const carryOut = (effect: Effect) => {
    switch (effect.kind) {
      case 'send':
        return send(effect);
      case 'accept':
        return accept(effect);
      case 'put-back':
        if (told !== undefined) outbox.putBack(told);
        told = undefined;
        return undefined;
      case 'server-away':
        return log.write('warn', 'Server does not answer; jobs continue', { reason: effect.reason });
      case 'server-back':
        return log.write('warn', 'Server answers again', { away_s: Math.round(effect.awayMs / 1000) });
      case 'offline':
        return options.onOffline(effect.failure);
      case 'online':
        return options.onOnline();
      case 'over':
        return onOver(effect.over);
      case 'settled':
        return hasSettled(effect.isTold);
    }
  };

  const send = ({ number, turn, tellsHeld }: Extract<Effect, { kind: 'send' }>) => {
    ask(
      turnOf(number, turn, tellsHeld),
      (reply) => take({ kind: 'answered', number, reply }),
      (error) => {
        const failure = exchangeFailureOf(error, { runId, changeId: state.knownChange });
        const isRefused = error instanceof ServiceError && error.status < 500;
        take({ kind: 'failed', number, failure, isRefused });
      },
    );
  };

  const turnOf = (number: number, kind: 'probe' | 'usual' | 'last', tellsHeld: boolean): ExchangeRequest => {
    const who = { run_id: runId, compute_node_id: nodeId, turn: number };
    if (kind === 'probe') return who;
    const most = aheadOf(rate.perSecond(performance.now()), slots());
    if (kind === 'usual') runningJobs.giveBackOlderThan(WAITED_TOO_LONG_MS);
    // Jobs that take long are not kept waiting here: another runner may be free before this one.
    if (kind === 'usual' && most === 0) runningJobs.giveBackFreed();
    told = outbox.take();
    // The server must not assign a job again just because its end is not in this exchange.
    const held = tellsHeld ? [...runningJobs.held(), ...outbox.waiting()] : undefined;
    if (kind === 'last') return { ...who, ...withoutEmpty(told), held, is_last: true };
    const prefetch = Math.max(0, most - runningJobs.queued);
    return { ...who, ...withoutEmpty(told), held, want: want(prefetch, aheadWanted(most, held)) };
  };

  /** Claims ahead are renewed when half of them are used up. After a lost answer all that is held is looked at again. */
  const aheadWanted = (most: number, held: readonly number[] | undefined): Want['ahead'] => {
    const wanted = Math.max(LEAST_AHEAD, most, slots());
    if (runningJobs.ahead > wanted / 2) return undefined;
    return { limit: wanted - runningJobs.ahead, after: [...(held?.slice(0, MOST_AFTER) ?? runningJobs.after)] };
  };

  const accept = ({ reply, turn }: Extract<Effect, { kind: 'accept' }>) => {
    counts = reply.jobs_by_status;
    countsAtStart ??= counts;
    if (turn === 'probe') return;
    told = undefined;
    outbox.acknowledged();
    if (reply.jobs.length > 0) lastProgress = performance.now();
    for (const error of reply.errors)
      log.write('warn', 'Server refused a report', { job_id: error.job_id, message: error.message });
    runningJobs.take(reply.jobs, reply.ahead);
    if (state.phase !== 'settling') onReply(reply);
  };

  return {
    workMayBeReady: (changeId) => take({ kind: 'work-may-be-ready', changeId }),
    mustAsk: (changeId) => take({ kind: 'must-ask', changeId }),
    ended(count, isQuiet) {
      lastProgress = performance.now();
      rate.ended(count, lastProgress);
      take({ kind: 'jobs-ended', isQuiet });
    },
    connectionLost: () => take({ kind: 'connection-lost' }),
    connected: () => take({ kind: 'connected' }),
    giveUp: () => take({ kind: 'give-up' }),
    consider: () => take({ kind: 'consider' }),
    settle: () =>
      new Promise<boolean>((resolve) => {
        // An end that was in flight when the conversation ended may not have arrived.
        hasSettled = (isTold) => resolve(isTold && outbox.untold().length === 0);
        take({ kind: 'settle' });
      }),
    get lastProgress() {
      return lastProgress;
    },
    get rate() {
      return rate.perSecond(performance.now());
    },
    get counts() {
      return counts;
    },
    get countsAtStart() {
      return countsAtStart;
    },
    close: () => clearTimeout(timer),
  };
}

function withoutEmpty<Lists extends Readonly<Record<string, readonly unknown[]>>>(lists: Lists): Partial<Lists> {
  return Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0)) as Partial<Lists>;
}
