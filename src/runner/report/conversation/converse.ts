import { ServiceError } from '../../../client/errors.ts';
import type { ExchangeReply, ExchangeRequest } from '../../../core/contract/exchange.ts';
import { type ExchangeFailure, exchangeFailureOf } from '../failed-exchange.ts';
import { createMachine } from './machine.ts';
import type { Over } from '../../facts/options.ts';
import type { Log } from '../../facts/log.ts';
import type { ConversationEffect, Facts, Rules } from './state.ts';
import { createExchangeTurns, type TurnsOptions } from './turns.ts';

export interface ConverseOptions extends Omit<Rules, 'runId'>, TurnsOptions {
  /** Sends an exchange to the server; exactly one of the two callbacks is called, at any later time. */
  readonly ask: (
    turn: ExchangeRequest,
    answered: (reply: ExchangeReply) => void,
    failed: (error: unknown) => void,
  ) => void;
  readonly onReply: (reply: ExchangeReply) => void;
  /** The server has been away for longer than the runner waits, or has an older database. */
  readonly onOffline: (failure: ExchangeFailure) => void;
  readonly onOnline: () => void;
  readonly onOver: (over: Over) => void;
}

export type Conversation = ReturnType<typeof createConversation>;

/** The runner's side of the exchange. `advance.ts` decides; this executes its decisions. */
export function createConversation(options: ConverseOptions) {
  const { ask, run, jobs, slots, onReply, onOffline, onOnline, onOver } = options;
  const { runId, outbox, log } = run;
  const turns = createExchangeTurns(options);
  let hasFinished: (isReported: boolean) => void = () => {};

  const facts = (): Facts => ({
    nowMs: performance.now(),
    queued: jobs.queued,
    running: jobs.running,
    ahead: jobs.ahead,
    hasRoom: jobs.hasRoom,
    slots: slots(),
    hasNews: !outbox.isEmpty,
  });

  const send: Performers['send'] = ({ number, turn, reportsHeld }) => {
    ask(
      turns.of(number, turn, reportsHeld),
      (reply) => take({ kind: 'answered', number, reply }),
      (error) => {
        const failure = exchangeFailureOf(error, { runId, changeId: machine.state.knownChange });
        const isRefused = error instanceof ServiceError && error.status < 500;
        take({ kind: 'failed', number, failure, isRefused });
      },
    );
  };
  const accept: Performers['accept'] = ({ reply, turn }) => {
    turns.accept(reply, turn);
    if (turn !== 'probe' && machine.state.phase !== 'finishing') onReply(reply);
  };
  const onFinished = (isReported: boolean) => hasFinished(isReported);
  const { putBack } = turns;
  const performers: Performers = { send, accept, putBack, log, onOffline, onOnline, onOver, onFinished };
  const machine = createMachine({
    rules: { ...options, runId },
    facts,
    carryOut: (effect) => carryOut(effect, performers),
  });
  const { take } = machine;

  return {
    /** Jobs may have become ready, by a change that the server sent, unless its last reply includes that change. */
    workMayBeReady: (changeId?: number) => take({ kind: 'work-may-be-ready', changeId }),
    /** The workflow as a whole may have changed: sends an exchange even without entries or room for a job. */
    mustAsk: (changeId?: number) => take({ kind: 'must-ask', changeId }),
    /** Jobs ended; see `HeldEvents.ended`. */
    ended(count: number, isQuiet: boolean) {
      turns.ended(count);
      take({ kind: 'jobs-ended', isQuiet });
    },
    /** Slots are free; see `HeldEvents.freed`. */
    freed(count: number) {
      turns.ended(count);
      take({ kind: 'slots-freed' });
    },
    /** The connection was lost: from now on the server may be a different one. */
    connectionLost: () => take({ kind: 'connection-lost' }),
    /** The connection is back, so a server is reachable. */
    connected: () => take({ kind: 'connected' }),
    /** Ends the conversation without waiting for the server any longer. */
    giveUp: () => take({ kind: 'give-up' }),
    /** Checks whether an exchange is due. */
    consider: () => take({ kind: 'consider' }),
    /** Sends all remaining entries; false if the server could not be reached. */
    finish: () =>
      new Promise<boolean>((resolve) => {
        // An end that was in flight when the conversation ended may not have arrived.
        hasFinished = (isReported) => resolve(isReported && outbox.unreported().length === 0);
        take({ kind: 'finish' });
      }),
    get lastProgress() {
      return turns.lastProgress;
    },
    get rate() {
      return turns.rate;
    },
    get counts() {
      return turns.counts;
    },
    get countsAtStart() {
      return turns.countsAtStart;
    },
    close: machine.close,
  };
}

/** What carries out the effects. */
interface Performers extends Pick<ConverseOptions, 'onOffline' | 'onOnline' | 'onOver'> {
  readonly log: Log;
  readonly send: (effect: Extract<ConversationEffect, { kind: 'send' }>) => void;
  readonly accept: (effect: Extract<ConversationEffect, { kind: 'accept' }>) => void;
  readonly putBack: () => void;
  readonly onFinished: (isReported: boolean) => void;
}

function carryOut(effect: ConversationEffect, by: Performers): void {
  switch (effect.kind) {
    case 'send':
      return by.send(effect);
    case 'accept':
      return by.accept(effect);
    case 'put-back':
      return by.putBack();
    case 'server-away':
      return by.log.write('warn', 'Server does not answer; jobs continue', { reason: effect.reason });
    case 'server-back':
      return by.log.write('warn', 'Server answers again', { away_s: Math.round(effect.awayMs / 1000) });
    case 'offline':
      return by.onOffline(effect.failure);
    case 'online':
      return by.onOnline();
    case 'over':
      return by.onOver(effect.over);
    case 'finished':
      return by.onFinished(effect.isReported);
  }
}
