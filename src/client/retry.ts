import type { Request, Send } from './client.ts';
import { type Response, Unreachable } from './errors.ts';

export interface Patience {
  /** How long a server may be away, in milliseconds. */
  readonly patienceMs: number;
  readonly now: () => number;
  /** Resolves after so many milliseconds. */
  readonly wait: (ms: number) => Promise<void>;
  /** The server is away: told once for each time. */
  readonly onAway?: (reason: string) => void;
}

/** First pause between two attempts, and the longest: doubling in between. */
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 5_000;

/**
 * Sends again what got no answer, or one that says that the server is ill (5xx), for as long as patience lasts.
 *
 * For calls that may be carried out twice: nobody knows whether the first was.
 */
export function patiently(send: Send, { patienceMs, now, wait, onAway }: Patience): Send {
  return async (request: Request): Promise<Response> => {
    const startedMs = now();
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
      const outcome = await attempt(send, request);
      if (!(outcome instanceof Error) && outcome.status < 500) return outcome;
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
