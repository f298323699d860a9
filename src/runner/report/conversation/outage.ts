import type { ExchangeFailure } from '../failed-exchange.ts';

/** Whether the server is reachable, as far as the runner knows. */
export interface OutageState {
  /** When it stopped answering (monotonic milliseconds); undefined while it answers. */
  readonly awaySinceMs: number | undefined;
  /** It has been away for longer than the runner waits, or it answers from an older database. */
  readonly isOffline: boolean;
  /** The last failure. */
  readonly failure: ExchangeFailure;
  /** Pause before the next attempt. */
  readonly retryMs: number;
  /** When the runner stops waiting for it; Infinity while it answers. */
  readonly patienceEndsAtMs: number;
  /** The kind of outage that was reported last. */
  readonly reported: ExchangeFailure['kind'] | undefined;
}

export interface OutageRules {
  /** How long the server may be away before the runner counts it as offline. */
  readonly patienceMs: number;
  /** The interval between attempts from then on. */
  readonly pingMs: number;
}

/** The effects of an outage, which the caller executes. */
export type OutageEffect =
  | { readonly kind: 'server-away'; readonly reason: string }
  | { readonly kind: 'server-back'; readonly awayMs: number }
  /** The server is offline; reported again if it then has an older database. */
  | { readonly kind: 'offline'; readonly failure: ExchangeFailure }
  /** The server answers again, after `offline`. */
  | { readonly kind: 'online' };

/** Pauses between attempts before the server counts as offline: doubled each time. */
const FIRST_RETRY_MS = 50;
const LONGEST_RETRY_MS = 5_000;

export const SERVER_ANSWERS: OutageState = {
  awaySinceMs: undefined,
  isOffline: false,
  failure: { kind: 'away', reason: '' },
  retryMs: FIRST_RETRY_MS,
  patienceEndsAtMs: Infinity,
  reported: undefined,
};

interface Step {
  readonly outage: OutageState;
  readonly effects: readonly OutageEffect[];
}

/** No reply, or no usable one. `pauseMs` is the time until the next attempt. */
export function serverFailed(
  before: OutageState,
  failure: ExchangeFailure,
  nowMs: number,
  { patienceMs, pingMs }: OutageRules,
): Step & { readonly pauseMs: number } {
  const effects: OutageEffect[] = [];
  let outage: OutageState = { ...before, failure };
  if (before.awaySinceMs === undefined) {
    outage = { ...outage, awaySinceMs: nowMs };
    if (failure.kind === 'away') {
      effects.push({ kind: 'server-away', reason: failure.reason });
      if (patienceMs > 0) outage = { ...outage, patienceEndsAtMs: nowMs + patienceMs };
    }
  }
  // No job may be claimed from another database, even for a moment.
  if (failure.kind === 'behind' || failure.isForGood === true || patienceMs <= 0) {
    const offline = patienceEnded(outage);
    outage = offline.outage;
    for (const each of offline.effects) effects.push(each);
  }
  if (outage.isOffline) return { outage, effects, pauseMs: pingMs };
  const retryMs = Math.min(outage.retryMs * 2, LONGEST_RETRY_MS);
  return { outage: { ...outage, retryMs }, effects, pauseMs: outage.retryMs };
}

/** The waiting time of the runner is over. */
export function patienceEnded(before: OutageState): Step {
  const { failure, reported } = before;
  const outage = { ...before, isOffline: true, patienceEndsAtMs: Infinity };
  if (reported === 'behind' || reported === failure.kind) return { outage, effects: [] };
  return { outage: { ...outage, reported: failure.kind }, effects: [{ kind: 'offline', failure }] };
}

export function serverAnswered(before: OutageState, nowMs: number): Step {
  if (before.awaySinceMs === undefined) return { outage: before, effects: [] };
  const effects: OutageEffect[] = [{ kind: 'server-back', awayMs: nowMs - before.awaySinceMs }];
  if (before.isOffline) effects.push({ kind: 'online' });
  return { outage: SERVER_ANSWERS, effects };
}
