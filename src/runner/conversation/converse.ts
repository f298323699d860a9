import { LONGEST_TIMER_MS } from '../../client/long-timers.ts';
import type { ExchangeReply, ExchangeRequest, Want } from '../../core/contract/exchange.ts';
import type { JobStatusCounts } from '../../core/contract/job.ts';
import { ServiceError } from '../../client/errors.ts';
import type { Crew } from '../crew.ts';
import type { Log } from '../log.ts';
import { type Meaning, meaningOf } from '../meaning.ts';
import type { News, Outbox } from '../outbox.ts';
import { aheadOf, createRate } from '../pace.ts';
import { advance, nextMoment } from './advance.ts';
import { AT_START, type Effect, type Event, type Facts, type Over, type Rules } from './state.ts';

export interface ConverseOptions extends Omit<Rules, 'runId'> {
  /** Carries a turn to the server; exactly one of the two is called, at any time later. */
  readonly ask: (
    turn: ExchangeRequest,
    answered: (reply: ExchangeReply) => void,
    failed: (error: unknown) => void,
  ) => void;
  readonly runId: number;
  readonly nodeId: number;
  readonly crew: Crew;
  readonly outbox: Outbox;
  readonly log: Log;
  /** What the runner has room for: `limit` jobs now and `prefetch` ahead; undefined when it wants none. */
  readonly want: (prefetch: number) => Want | undefined;
  /** How many jobs can run at once at the moment. */
  readonly slots: () => number;
  readonly onReply: (reply: ExchangeReply) => void;
  /** The server has been away for longer than the runner waits, or has an older database. */
  readonly onOffline: (meaning: Meaning) => void;
  readonly onOnline: () => void;
  readonly onOver: (over: Over) => void;
}

/** The runner's side of the exchange. What it decides stands in `advance.ts`; this carries it out. */
export interface Conversation {
  /** Something may have become ready: by a change that the server told of, unless its last answer knew of that already. */
  workMayBeReady(changeId?: number): void;
  /** The workflow may have changed as a whole: asks the server, even when there is no news and no room for a job. */
  mustAsk(changeId?: number): void;
  ended(count: number): void;
  /** The line broke: the server may be another one from here on. */
  lineBroke(): void;
  /** The line stands again, so somebody is there. */
  lineStands(): void;
  /** Ends it without waiting for the server any longer. */
  giveUp(): void;
  /** Looks whether a turn is due. */
  consider(): void;
  /** Tells everything that is left; false when the server could not be reached. */
  settle(): Promise<boolean>;
  /** When the last job was handed out or ended, on the monotonic clock. */
  readonly lastProgress: number;
  readonly rate: number;
  readonly counts: JobStatusCounts | undefined;
  /** As the first answer had them: what had ended then had ended before this runner. */
  readonly countsAtStart: JobStatusCounts | undefined;
  close(): void;
}

/** Jobs ahead that have waited so long for a slot are given back: another runner may have one. */
const WAITED_TOO_LONG_MS = 1_000;

export function createConversation(options: ConverseOptions): Conversation {
  const { ask, runId, nodeId, crew, outbox, log, want, slots, onReply, onOver } = options;
  const rate = createRate();
  let state = AT_START;
  /** What the turn under way tells. */
  let told: News | undefined;
  let counts: JobStatusCounts | undefined;
  let countsAtStart: JobStatusCounts | undefined;
  let lastProgress = performance.now();
  let timer: NodeJS.Timeout | undefined;
  let wakesAtMs = Infinity;
  let hasSettled: (isTold: boolean) => void = () => {};
  /** Events that came while another one was dealt with. */
  const waiting: Event[] = [];
  let isBusy = false;

  const facts = (): Facts => ({
    nowMs: performance.now(),
    queued: crew.queued,
    running: crew.running,
    hasRoom: crew.hasRoom,
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
        // What was handed out or put back may be a reason for the next turn.
        if (next.kind === 'answered' || next.kind === 'failed') waiting.push({ kind: 'consider' });
      }
    } finally {
      isBusy = false;
    }
    arm();
  };

  /** One timer, for the earliest moment; one that goes off early does no harm. */
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
        return log.write('warn', 'Server does not answer; jobs go on', { reason: effect.reason });
      case 'server-back':
        return log.write('warn', 'Server answers again', { away_s: Math.round(effect.awayMs / 1000) });
      case 'offline':
        return options.onOffline(effect.meaning);
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
        const meaning = meaningOf(error, { runId, changeId: state.knownChange });
        const isRefused = error instanceof ServiceError && error.status < 500;
        take({ kind: 'failed', number, meaning, isRefused });
      },
    );
  };

  const turnOf = (number: number, kind: 'probe' | 'usual' | 'last', tellsHeld: boolean): ExchangeRequest => {
    const who = { run_id: runId, compute_node_id: nodeId, turn: number };
    if (kind === 'probe') return who;
    if (kind === 'usual') crew.giveBackOlderThan(WAITED_TOO_LONG_MS);
    told = outbox.take();
    // An end that is not in this turn is no reason to hand the job out again.
    const held = tellsHeld ? [...crew.held(), ...outbox.waiting()] : undefined;
    if (kind === 'last') return { ...who, ...withoutEmpty(told), held, is_last: true };
    const ahead = Math.max(0, aheadOf(rate.perSecond(performance.now()), slots()) - crew.queued);
    return { ...who, ...withoutEmpty(told), held, want: want(ahead) };
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
    crew.take(reply.jobs);
    if (state.phase !== 'settling') onReply(reply);
  };

  return {
    workMayBeReady: (changeId) => take({ kind: 'work-may-be-ready', changeId }),
    mustAsk: (changeId) => take({ kind: 'must-ask', changeId }),
    ended(count) {
      lastProgress = performance.now();
      rate.ended(count, lastProgress);
      take({ kind: 'jobs-ended' });
    },
    lineBroke: () => take({ kind: 'line-broke' }),
    lineStands: () => take({ kind: 'line-stands' }),
    giveUp: () => take({ kind: 'give-up' }),
    consider: () => take({ kind: 'consider' }),
    settle: () =>
      new Promise<boolean>((resolve) => {
        // An end that was under way when the conversation ended may not have arrived.
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
