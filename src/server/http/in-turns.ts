import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';

type Request = Parameters<RequestListener>;

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
 * wait for these reports. Half of the reads are those of connections that had a request before: these do not wait for thousands of
 * new connections.
 *
 * Writes are not begun while that many wait for a commit (`waitingWrites`). A request that is not begun occupies 2.5 KB, one that
 * waits with its parsed body 9 KB, and the garbage collector copies what waits from one place to the next.
 */
export function inTurns(
  listener: RequestListener,
  { atOnce = AT_ONCE, waitingWrites = () => 0 }: { atOnce?: number; waitingWrites?: () => number } = {},
): RequestListener {
  const reads = { known: [] as Request[], first: [] as Request[] };
  const writes: Request[] = [];
  /** Connections that had a request. */
  const served = new WeakSet<Socket>();
  let begun = 0;
  let isPlanned = false;
  const plan = () => {
    if (isPlanned) return;
    isPlanned = true;
    setImmediate(nextTurn);
  };
  const begin = (request: Request) => {
    plan();
    begun += 1;
    listener(...request);
  };
  const nextTurn = () => {
    isPlanned = false;
    begun = 0;
    const places = Math.min(writes.length, Math.max(0, atOnce - waitingWrites()));
    const forReads = Math.max(Math.ceil(atOnce / 2), atOnce - places);
    const known = reads.known.splice(0, Math.max(Math.ceil(forReads / 2), forReads - reads.first.length));
    const some = [...known, ...reads.first.splice(0, forReads - known.length)];
    for (const request of [...some, ...writes.splice(0, Math.min(places, atOnce - some.length))]) begin(request);
    if (reads.known.length + reads.first.length + writes.length > 0) plan();
  };
  return (...request) => {
    const { method, socket } = request[0];
    const isRead = method === 'GET';
    const queue = !isRead ? writes : served.has(socket) ? reads.known : reads.first;
    served.add(socket);
    // Where one waits, the iteration is full.
    if (queue.length === 0 && begun < atOnce && (isRead || waitingWrites() < atOnce)) return begin(request);
    queue.push(request);
    plan();
  };
}
