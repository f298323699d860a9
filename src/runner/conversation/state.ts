import type { ExchangeReply } from '../../core/contract/exchange.ts';
import type { Meaning } from '../meaning.ts';
import { type OutageEffect, type OutageRules, type OutageState, SERVER_ANSWERS } from './outage.ts';

/**
 * The runner's side of the exchange as data: a state, the events that change it, and what each event brings about.
 *
 * `advance.ts` is the function from state and event to the next state and its effects; `converse.ts` carries the effects
 * out. Nothing here reads a clock, sends a request or starts a job, so a simulation can drive it through any order of
 * events.
 */
export interface ConversationState {
  readonly phase: Phase;
  /** Number of the last turn that was sent. */
  readonly lastTurn: number;
  /** The turn whose answer the runner waits for. */
  readonly underWay: UnderWay | undefined;
  /** Something happened that may have made jobs ready: an end, an event of the server, a lost answer. */
  readonly workMayBeReady: boolean;
  /** The next turn must take place, though there may be neither news nor room for a job. */
  readonly mustAsk: boolean;
  /** The last change that the event stream told of, and the last that an answer took account of. */
  readonly toldChange: number;
  readonly knownChange: number;
  /** An answer was lost: the next turn says what the runner holds. */
  readonly lostAnswer: boolean;
  /** The line broke: before the runner tells anything, it finds out whether the server is the one that it was. */
  readonly inDoubt: boolean;
  /** Jobs that were `pending` anywhere, by the last answer. */
  readonly pendingJobs: number;
  /** When the next turn is due (monotonic milliseconds); Infinity when none is. */
  readonly dueAtMs: number;
  readonly outage: OutageState;
  /** While the runner tells the rest: until when, and the pause before the next attempt. */
  readonly settleUntilMs: number;
  readonly settlePauseMs: number;
}

/** `over`: no more work is wanted, jobs may still run. `settling`: what is left is told. `settled`: nothing more is sent. */
export type Phase = 'open' | 'over' | 'settling' | 'settled';

/**
 * `probe` tells nothing and wants nothing: it finds out who answers. `usual` tells the news and wants work. `last` tells
 * the rest and says that the runner ends.
 */
export type TurnKind = 'probe' | 'usual' | 'last';

export interface UnderWay {
  readonly number: number;
  readonly kind: TurnKind;
  /** When a server that has not answered by then counts as away, though its answer is still waited for. */
  readonly silentAtMs: number;
}

export type Event =
  /** Something may have become ready; without a number it may be anything, also what the last answer did not know. */
  | { readonly kind: 'work-may-be-ready'; readonly changeId?: number | undefined }
  /** The workflow as a whole may have changed, or it is time to look. */
  | { readonly kind: 'must-ask'; readonly changeId?: number | undefined }
  /** Jobs ended here, and their ends can be told. */
  | { readonly kind: 'jobs-ended' }
  | { readonly kind: 'consider' }
  /** The event stream broke: the server may be another one from here on. */
  | { readonly kind: 'line-broke' }
  | { readonly kind: 'line-stands' }
  | { readonly kind: 'answered'; readonly number: number; readonly reply: ExchangeReply }
  /** `isRefused`: the server answered, and will not hear this turn. */
  | { readonly kind: 'failed'; readonly number: number; readonly meaning: Meaning; readonly isRefused: boolean }
  /** A moment has come that the state waits for (`nextMoment`). */
  | { readonly kind: 'time' }
  | { readonly kind: 'give-up' }
  /** Nothing runs any more: what is left is to be told. */
  | { readonly kind: 'settle' };

/** What an event meets beside the state. */
export interface Facts {
  /** Monotonic milliseconds. */
  readonly nowMs: number;
  /** Jobs that wait for a slot, and jobs that run or whose end is not settled. */
  readonly queued: number;
  readonly running: number;
  /** Could a job start now, if there was one? */
  readonly hasRoom: boolean;
  /** How many jobs can run at once at the moment. */
  readonly slots: number;
  /** Is there something that the server does not know? */
  readonly hasNews: boolean;
}

export interface Rules extends OutageRules {
  /** A server that has not answered a turn for so long counts as away. */
  readonly silentMs: number;
  /** The workflow may get jobs after it was complete: the runner stays. */
  readonly staysWhenComplete: boolean;
  readonly runId: number;
}

/** Why a conversation ended. */
export type Over =
  | { readonly kind: 'complete' }
  | { readonly kind: 'canceled' }
  | { readonly kind: 'superseded'; readonly reason: string }
  /** The server is away, and nothing runs any more. */
  | { readonly kind: 'unreachable'; readonly reason: string }
  /** It answers out of an older database, and nothing runs any more. */
  | { readonly kind: 'behind'; readonly reason: string };

export type Effect =
  | OutageEffect
  /** `tellsHeld`: the turn lists what the runner holds. */
  | { readonly kind: 'send'; readonly number: number; readonly turn: TurnKind; readonly tellsHeld: boolean }
  /** The answer counts: what was told is known to the server, and its jobs are ours. */
  | { readonly kind: 'accept'; readonly reply: ExchangeReply; readonly turn: TurnKind }
  /** What the turn told must be told again. */
  | { readonly kind: 'put-back' }
  | { readonly kind: 'over'; readonly over: Over }
  /** The conversation has ended; `isTold` when the server knows everything. */
  | { readonly kind: 'settled'; readonly isTold: boolean };

export const AT_START: ConversationState = {
  phase: 'open',
  lastTurn: 0,
  underWay: undefined,
  workMayBeReady: true,
  mustAsk: false,
  toldChange: 0,
  knownChange: 0,
  lostAnswer: false,
  inDoubt: false,
  pendingJobs: 0,
  dueAtMs: Infinity,
  outage: SERVER_ANSWERS,
  settleUntilMs: Infinity,
  settlePauseMs: 0,
};
