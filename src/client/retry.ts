import type { Request, Send } from './client.ts';
import { type Response, Unreachable } from './errors.ts';

export interface Patience {
  /** How long a server may be away, in milliseconds. */
  readonly patienceMs: number;
  readonly now: () => number;
  /** Resolves after so many milliseconds. */
  readonly wait: (ms: number) => Promise<void>;
  /** Is an answer with this status worth another attempt? Every 5xx unless said. */
  readonly retries?: (status: number) => boolean;
  /** The server is away: told once for each time. */
  readonly onAway?: (reason: string) => void;
}

/** First pause between two attempts, and the longest: doubling in between. */
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 5_000;

/** The status of an answer to a client that must wait. */
const TOO_MANY = 429;

/**
 * Sends again what got no answer, or one that says that the server is ill (5xx) or was asked too often (429), for as long as
 * patience lasts.
 *
 * Nobody knows whether a request without an answer was carried out. So each POST carries an idempotency key, the same in all
 * its attempts, and the server carries it out once.
 */
export function patiently(
  send: Send,
  { patienceMs, now, wait, retries = (status) => status >= 500 || status === TOO_MANY, onAway }: Patience,
): Send {
  return async (given: Request): Promise<Response> => {
    const request = given.method === 'POST' ? { ...given, key: crypto.randomUUID() } : given;
    const startedMs = now();
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
      const outcome = await attempt(send, request);
      if (!(outcome instanceof Error) && !retries(outcome.status)) return outcome;
      if (now() - startedMs >= patienceMs) {
        if (outcome instanceof Error) throw outcome;
        return outcome;
      }
      if (pauseMs === FIRST_PAUSE_MS)
        onAway?.(outcome instanceof Error ? outcome.message : `the server answers ${outcome.status}`);
      await wait(pauseMs);
    }
  };
}

async function attempt(send: Send, request: Request): Promise<Response | Unreachable> {
  try {
    return await send(request);
  } catch (error) {
    if (error instanceof Unreachable) return error;
    throw error;
  }
}
