import type { Request, Send } from './client.ts';
import { type Response, Unreachable } from './errors.ts';

export interface Patience {
  /** How long requests are retried, in milliseconds. */
  readonly patienceMs: number;
  readonly now: () => number;
  /** Resolves after this many milliseconds. */
  readonly wait: (ms: number) => Promise<void>;
  /** Whether a reply with this status is retried; by default every 5xx. */
  readonly retries?: (status: number) => boolean;
  /** Called once for each outage. */
  readonly onAway?: (reason: string) => void;
}

/** The first and the longest pause between two attempts; the pause doubles in between. */
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 5_000;

/** The status that asks a client to wait. */
const TOO_MANY = 429;

/**
 * Repeats requests that got no reply, a server error (5xx) or too many requests (429), until the retry time is over.
 *
 * It is unknown whether a request without a reply was executed. So each POST carries an idempotency key, the same in
 * all its attempts, and the server executes it once.
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
      if (!(outcome instanceof Error) && (!retries(outcome.status) || isForGood(outcome))) return outcome;
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

/** A server with a damaged database ends, and starts again only when a person has restored it. */
const isForGood = ({ status, text }: Response): boolean => status === 503 && text.includes('"DATABASE_DAMAGED"');

async function attempt(send: Send, request: Request): Promise<Response | Unreachable> {
  try {
    return await send(request);
  } catch (error) {
    if (error instanceof Unreachable && !error.isForGood) return error;
    throw error;
  }
}
