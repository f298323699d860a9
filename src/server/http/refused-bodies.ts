import type { IncomingMessage, ServerResponse } from 'node:http';

/** A body that is not longer arrives with its head, or soon. */
const SHORT_BYTES = 64 * 1024;
/** What a client may send, and for how long, after the reply: it may read the reply only when its body is sent. */
const AFTER_BYTES = 4 * 2 ** 20;
const AFTER_MS = 1_000;
const LOOK_MS = 50;

/**
 * Ends the connection of a request that was answered before its body had arrived, as a refused one is. The runtime would read
 * such a body to its end: in chunks of a byte that takes all time of the event loop.
 */
export function endRefusedBody(incoming: IncomingMessage, outgoing: ServerResponse): void {
  const { headers, socket } = incoming;
  if (headers['transfer-encoding'] === undefined && !(Number(headers['content-length']) > SHORT_BYTES)) return;
  outgoing.once('finish', () => {
    if (incoming.complete || socket.destroyed) return;
    const startedAt = performance.now();
    const startedBytes = socket.bytesRead;
    const look = setInterval(() => {
      const isLate = performance.now() - startedAt >= AFTER_MS || socket.bytesRead - startedBytes >= AFTER_BYTES;
      if (incoming.complete || isLate || socket.destroyed) clearInterval(look);
      if (isLate && !incoming.complete) socket.destroy();
    }, LOOK_MS);
    look.unref();
  });
}
