import type { RequestListener } from 'node:http';

/**
 * Requests that are begun in one iteration of the event loop. Too many, and timers, commits and slices of long work wait for all
 * requests that arrived together: 5,000 took half a second. Too few, and the writes among them share fewer commits. 128 take 10
 * to 20 ms.
 */
const AT_ONCE = 128;

/**
 * The listener, called for so many requests in one iteration; later ones wait for the next, in their order.
 *
 * Half of an iteration is for reads. When 10,000 runners arrive, their reports wait for half a second; a page and a ping do not
 * wait for these reports.
 */
export function inTurns(listener: RequestListener, atOnce = AT_ONCE): RequestListener {
  const reads: Parameters<RequestListener>[] = [];
  const writes: Parameters<RequestListener>[] = [];
  let begun = 0;
  const begin = (request: Parameters<RequestListener>) => {
    if (begun === 0) setImmediate(nextTurn);
    begun += 1;
    listener(...request);
  };
  const nextTurn = () => {
    begun = 0;
    const places = Math.max(Math.ceil(atOnce / 2), atOnce - writes.length);
    const some = reads.splice(0, places);
    for (const request of [...some, ...writes.splice(0, atOnce - some.length)]) begin(request);
  };
  return (...request) => {
    // Where one waits, the iteration is full.
    if (begun < atOnce) begin(request);
    else (request[0].method === 'GET' ? reads : writes).push(request);
  };
}
