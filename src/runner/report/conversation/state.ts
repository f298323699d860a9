import type { Over } from '../../facts/options.ts';
import type { Situation } from '../../facts/pace.ts';
import type { ExchangeReply } from '../../../core/contract/exchange.ts';
import type { ExchangeFailure } from '../failed-exchange.ts';
import { type OutageEffect, type OutageRules, type OutageState, SERVER_ANSWERS } from './outage.ts';

/**
 * The runner's side of the exchange as data: a state, the events that change it, and the effects of each event.
 *
 * `advance.ts` is the function from state and event to the next state and its effects; `converse.ts` executes the
 * effects. Nothing here reads a clock, sends a request or starts a job, so a simulation can apply events in any order.
 */
export interface ConversationState {
  readonly phase: Phase;
  /** Number of the last exchange that was sent. */
  readonly lastTurn: number;
  /** The exchange whose reply the runner waits for. */
  readonly underWay: PendingExchange | undefined;
  /** Jobs may have become ready: by an end, an event of the server, or a lost reply. */
  readonly workMayBeReady: boolean;
  /** The next exchange must take place even without entries or room for a job. */
  readonly mustAsk: boolean;
  /** The last change in the event stream, and the last one that a reply included. */
  readonly reportedChange: number;
  readonly knownChange: number;
  /** A reply was lost: the next exchange lists the jobs that the runner holds. */
  readonly lostAnswer: boolean;
  /** The connection was lost: before the runner reports anything, it checks whether the server is the same. */
  readonly inDoubt: boolean;
  /** The number of jobs `pending` anywhere, by the last reply. */
  readonly pendingJobs: number;
  /** The number of jobs that were ready when the last reply was made. */
  readonly readyJobs: number;
  /** When the next exchange is due (monotonic milliseconds); Infinity if none is. */
  readonly dueAtMs: number;
  readonly outage: OutageState;
  /** While the runner sends its remaining entries: until when, and the pause before the next attempt. */
  readonly finishUntilMs: number;
  readonly finishPauseMs: number;
}

/**
 * `over`: no more jobs are claimed, jobs may still run. `finishing`: the remaining entries are sent. `finished`: nothing
 * more is sent.
 */
type Phase = 'open' | 'over' | 'finishing' | 'finished';

/**
 * `probe` reports and requests nothing: it checks which server answers. `usual` reports entries and requests jobs.
 * `last` reports the remaining entries and that the runner ends.
 */
export type TurnKind = 'probe' | 'usual' | 'last';

interface PendingExchange {
  readonly number: number;
  readonly kind: TurnKind;
  /** When a server without a reply counts as away, although its reply is still awaited. */
  readonly silentAtMs: number;
}

export type ConversationEvent =
  /** Jobs may have become ready; without an id it may be any change, also one that the last reply did not include. */
  | { readonly kind: 'work-may-be-ready'; readonly changeId?: number | undefined }
  /** The workflow as a whole may have changed, or a check is due. */
  | { readonly kind: 'must-ask'; readonly changeId?: number | undefined }
  /** Jobs ended here, and their ends can be reported. */
  | {
      readonly kind: 'jobs-ended';
      /** Their ends make no other job ready, and jobs that were claimed ahead took their places: there is no hurry. */
      readonly isQuiet: boolean;
    }
  /** Jobs ended here, and their ends are reported later: more jobs can run already. */
  | { readonly kind: 'slots-freed' }
  | { readonly kind: 'consider' }
  /** The event stream broke: from now on the server may be a different one. */
  | { readonly kind: 'connection-lost' }
  | { readonly kind: 'connected' }
  | { readonly kind: 'answered'; readonly number: number; readonly reply: ExchangeReply }
  /** `isRefused`: the server answered, and refuses this exchange. */
  | { readonly kind: 'failed'; readonly number: number; readonly failure: ExchangeFailure; readonly isRefused: boolean }
  /** A moment of `nextMoment` has come. */
  | { readonly kind: 'time' }
  | { readonly kind: 'give-up' }
  /** No job runs any more: the remaining entries are to be sent. */
  | { readonly kind: 'finish' };

/** Facts beside the state that an event depends on. */
export interface Facts extends Omit<Situation, 'workMayBeReady'> {
  /** Monotonic milliseconds. */
  readonly nowMs: number;
  readonly running: number;
}

export interface Rules extends OutageRules {
  /** The time after which a server without a reply counts as away. */
  readonly silentMs: number;
  /** The workflow may get jobs after it was complete: the runner stays. */
  readonly staysWhenComplete: boolean;
  readonly runId: number;
}

export type ConversationEffect =
  | OutageEffect
  /** `reportsHeld`: the exchange lists the jobs that the runner holds. */
  | { readonly kind: 'send'; readonly number: number; readonly turn: TurnKind; readonly reportsHeld: boolean }
  /** The reply is valid: the server knows the entries, and its jobs are ours. */
  | { readonly kind: 'accept'; readonly reply: ExchangeReply; readonly turn: TurnKind }
  /** The entries of the exchange must be reported again. */
  | { readonly kind: 'put-back' }
  | { readonly kind: 'over'; readonly over: Over }
  /** The conversation has ended; `isReported` if the server knows everything. */
  | { readonly kind: 'finished'; readonly isReported: boolean };

export const AT_START: ConversationState = {
  phase: 'open',
  lastTurn: 0,
  underWay: undefined,
  workMayBeReady: true,
  mustAsk: false,
  reportedChange: 0,
  knownChange: 0,
  lostAnswer: false,
  inDoubt: false,
  pendingJobs: 0,
  readyJobs: 0,
  dueAtMs: Infinity,
  outage: SERVER_ANSWERS,
  finishUntilMs: Infinity,
  finishPauseMs: 0,
};
