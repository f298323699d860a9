import { lstatSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import { connect } from 'node:net';

/** Ports that are tried behind one that is in use. */
const MOST_PORTS = 100;

/** Of the system: 107 bytes on Linux, 103 on macOS. */
const MOST_SOCKET_BYTES = process.platform === 'darwin' ? 103 : 107;

/** Listens on a port, or on the next free one behind it, and returns it. Throws what the system says. */
export async function listenOnPort(server: Server, host: string, port: number): Promise<number> {
  for (let next = port; ; next += 1) {
    try {
      await listening(server, { host, port: next });
      const address = server.address();
      return typeof address === 'object' && address !== null ? address.port : next;
    } catch (error) {
      const isLast = port === 0 || next >= Math.min(port + MOST_PORTS, 65_535);
      if (isLast || (error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    }
  }
}

/**
 * Listens on a socket that only this user may use. One that a program left behind is replaced; throws a sentence for one
 * that is in use, and for a file of another kind.
 */
export async function listenOnSocket(server: Server, path: string): Promise<string> {
  const bytes = Buffer.byteLength(path);
  if (bytes > MOST_SOCKET_BYTES)
    throw new Error(
      `the path ${path} has ${bytes} bytes, and a socket takes at most ${MOST_SOCKET_BYTES}; name a shorter one`,
    );
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found !== undefined) {
    if (!found.isSocket()) throw new Error(`${path} is there and is not a socket`);
    if (await isAnswered(path)) throw new Error(`another program listens on ${path}`);
    rmSync(path);
  }
  // The system makes it with the rights that the umask leaves.
  const before = process.umask(0o177);
  try {
    await listening(server, { path });
    return path;
  } finally {
    process.umask(before);
  }
}

function listening(server: Server, place: { host?: string; port?: number; path?: string }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(place, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function isAnswered(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
