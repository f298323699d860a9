import { createServer, type Server } from 'node:net';
import { foreignFunctions, takes } from '../cluster/foreign-functions.ts';

/**
 * Connections that are accepted in one iteration of the event loop. The runtime accepts one for each file that listens: beside
 * requests that keep the loop busy for 16 ms, the last of a thousand runners that arrive together would wait until all work of the
 * others is done. To accept a connection costs 50 to 100 µs.
 */
const AT_ONCE = 32;
/** The server of a single command seldom gets so many connections, and does without more files. */
const FIRST = 8;
/** Source: fcntl(2), Linux. */
const F_DUPFD_CLOEXEC = 1_030;

const copies = new WeakMap<Server, Server[]>();

/**
 * Makes a server accept several connections in one iteration of the event loop, from its eighth connection on: additional files of
 * its listening socket accept, too. Does nothing on other systems than Linux, and where the runtime has no foreign functions.
 */
export function acceptMore(server: Server, backlog: number, { first = FIRST, atOnce = AT_ONCE } = {}): void {
  let count = 0;
  server.on('connection', function counted() {
    count += 1;
    if (count < first) return;
    server.off('connection', counted);
    copies.set(server, copiesOf(server, backlog, atOnce - 1));
    server.once('close', () => void acceptNoMore(server));
  });
}

/** Closes the additional files, and resolves when the connections that they accepted are closed. */
export async function acceptNoMore(server: Server): Promise<void> {
  await Promise.all((copies.get(server) ?? []).map((copy) => new Promise<void>((done) => copy.close(() => done()))));
}

/** What the types of the runtime do not name. */
interface Listening {
  readonly _handle?: { readonly fd?: number } | null;
  readonly allowHalfOpen?: boolean;
  readonly noDelay?: boolean;
}

function copiesOf(server: Server, backlog: number, number: number): Server[] {
  const { _handle: handle, allowHalfOpen = false, noDelay = false } = server as Listening;
  const duplicate = process.platform === 'linux' ? duplicateOf() : undefined;
  if (duplicate === undefined || handle?.fd === undefined || handle.fd < 0) return [];
  const made: Server[] = [];
  while (made.length < number) {
    const fd = duplicate(handle.fd);
    // No more files may be open: the server accepts with those that it has.
    if (fd < 0) break;
    const copy = createServer({ allowHalfOpen, noDelay }, (socket) => void server.emit('connection', socket));
    copy.on('error', () => copy.close());
    made.push(copy.listen({ fd, backlog }).unref());
  }
  return made;
}

function duplicateOf(): ((fd: number) => number) | undefined {
  try {
    const ffi = foreignFunctions<{ fcntl(fd: number, command: number, least: number): number }>();
    const { functions } = ffi.dlopen(null, { fcntl: takes('i32', 'i32', 'i32') });
    return (fd) => functions.fcntl(fd, F_DUPFD_CLOEXEC, 0);
  } catch {
    return undefined;
  }
}
