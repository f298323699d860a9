import type { RequestListener } from 'node:http';

/**
 * Requests that are begun in one iteration of the event loop. Too many, and timers, commits and slices of long work wait for all
 * requests that arrived together: 5,000 took half a second. Too few, and the writes among them share fewer commits. 128 take 10
 * to 20 ms.
 */
const AT_ONCE = 128;

/** The listener, called for so many requests in one iteration; later ones wait for the next, in their order. */
export function inTurns(listener: RequestListener, atOnce = AT_ONCE): RequestListener {
  const waiting: Parameters<RequestListener>[] = [];
  let begun = 0;
  const begin = (request: Parameters<RequestListener>) => {
    if (begun === 0) setImmediate(nextTurn);
    begun += 1;
    listener(...request);
  };
  const nextTurn = () => {
    begun = 0;
    for (const request of waiting.splice(0, atOnce)) begin(request);
  };
  return (...request) => {
    if (begun >= atOnce) waiting.push(request);
    else begin(request);
  };
}
