import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { OnUnread } from './reply-room.ts';
import { createUnread } from './unread.ts';

/** Longer than an event stream waits for its client, which says so to it, and any network is away and comes back. */
const AWAY_MS = 90_000;
/** So often it is looked: a machine that is busy for a moment ends no connection. */
const LOOKS = 6;

/**
 * Ends connections that read nothing while a reply waits for them, of whatever kind: what the kernel does not take of it stays
 * in the memory of the server. Long replies have a shorter time, in their room.
 */
export function endUnread(server: Server, onUnread: OnUnread, awayMs = AWAY_MS): void {
  const lookMs = awayMs / LOOKS;
  const connections = new Map<Socket, ReturnType<typeof createUnread>>();
  const add = (socket: Socket) => {
    connections.set(socket, createUnread(lookMs, awayMs));
    socket.once('close', () => connections.delete(socket));
  };
  server.on('connection', add);
  // Of TLS: the one above has no replies.
  server.on('secureConnection', add);
  const looking = setInterval(() => {
    for (const [socket, unread] of connections) {
      const waiting = socket.writableLength === 0 ? 0 : waitingIn(socket);
      const { bytesWritten } = socket;
      const reason = unread({ read: bytesWritten - waiting, waiting });
      if (reason === undefined) continue;
      onUnread(reason, { address: socket.remoteAddress });
      socket.destroy();
    }
  }, lookMs);
  looking.unref();
  server.once('close', () => clearInterval(looking));
}

/** What the kernel has not taken. Of a large buffer `writableLength` is all of it until the last byte is written. */
function waitingIn(socket: Socket): number {
  const { _handle: handle } = socket as { readonly _handle?: { readonly writeQueueSize?: number } | null };
  return handle?.writeQueueSize ?? socket.writableLength;
}
