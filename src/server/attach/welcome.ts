import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { BASE_PATH } from '../../core/contract/base-path.ts';
import { ATTACH_PATH, ENDING, isProof, NONCE_HEADER, PROOF_HEADER, credentialProofOf, PROTOCOL } from './proof.ts';

/** Commands that use the server of another command. */
export interface Welcome {
  /** How many are attached. */
  count(): number;
  /** Resolves when none is attached, at once if that is so now; no more are accepted then. */
  none(): Promise<void>;
  /** Accepts no more, and closes the connections. */
  close(): void;
}

/** Is this a request to attach? Others that ask for an upgrade are answered as if they did not. */
export const asksToAttach = ({ headers }: IncomingMessage): boolean => headers.upgrade === PROTOCOL;

/** Accepts commands that prove that they know the credential; `proof.ts` has the protocol. */
export function createWelcome(credential: string): Welcome & { readonly listenOn: (server: Server) => void } {
  const attached = new Set<Duplex>();
  let isClosed = false;
  let isEnding = false;
  let heardNone: () => void = () => {};

  const leave = (socket: Duplex) => {
    if (!attached.delete(socket)) return;
    const isLast = isEnding && attached.size === 0;
    socket.end(isLast ? ENDING : '');
    if (!isLast) return;
    isClosed = true;
    heardNone();
  };
  const accept = (incoming: IncomingMessage, socket: Duplex) => {
    socket.on('error', () => {});
    const nonce = incoming.headers[NONCE_HEADER];
    const isKnown =
      incoming.url === BASE_PATH + ATTACH_PATH &&
      typeof nonce === 'string' &&
      isProof(incoming.headers[PROOF_HEADER], 'client', credential, nonce);
    if (!isKnown || isClosed) {
      socket.end(`HTTP/1.1 ${isKnown ? '503 Service Unavailable' : '401 Unauthorized'}\r\nConnection: close\r\n\r\n`);
      return;
    }
    attached.add(socket);
    for (const event of ['end', 'close']) socket.on(event, () => leave(socket));
    socket.resume();
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${PROTOCOL}\r\n` +
        `Torc-Proof: ${credentialProofOf('server', credential, nonce)}\r\n\r\n`,
    );
  };

  return {
    listenOn: (server) => void server.on('upgrade', accept),
    count: () => attached.size,
    none: () =>
      new Promise((resolve) => {
        isEnding = true;
        heardNone = resolve;
        if (attached.size > 0) return;
        isClosed = true;
        resolve();
      }),
    close() {
      isClosed = true;
      // A server is not closed while one of its connections is open.
      for (const socket of attached) socket.destroy();
    },
  };
}
