import { randomBytes } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { connect, createServer, type TLSSocket } from 'node:tls';

/**
 * A connection between two processes of a user on nodes that share a file system, for a program whose standard input nothing carries.
 *
 * One side listens, and writes the address with a new key into a file that the user alone may read. TLS with that key encrypts what
 * follows, and proves to each side that the other one has read the file. Each key is for one connection.
 */
export interface ExpectedSocket {
  /** Resolves with the connection of the process that has the key. */
  readonly connected: Promise<TLSSocket>;
  /** Expects nothing any more; the connection goes on. */
  close(): void;
}

const WITH_KEY = {
  ciphers: 'ECDHE-PSK-CHACHA20-POLY1305:ECDHE-PSK-AES256-CBC-SHA384',
  // The runtime takes keys that both sides have up to this version.
  maxVersion: 'TLSv1.2',
  minVersion: 'TLSv1.2',
} as const;
const IDENTITY = 'launcher';
const KEY_BYTES = 32;

interface Address {
  readonly host: string;
  readonly port: number;
  readonly key: string;
}

/** Listens for one connection. `host` is the name of this machine for the other side. Rejects where no port can be opened. */
export async function expectSocket(file: string, host: string): Promise<ExpectedSocket> {
  const key = randomBytes(KEY_BYTES);
  const { promise: connected, resolve } = Promise.withResolvers<TLSSocket>();
  const server = createServer({ ...WITH_KEY, pskCallback: (_, identity) => (identity === IDENTITY ? key : null) });
  const close = () => {
    server.close();
    rmSync(file, { force: true });
  };
  server.on('secureConnection', (socket: TLSSocket) => {
    socket.on('error', () => {});
    resolve(socket);
    close();
  });
  // A stranger, or a process that was killed: the right one may still come.
  server.on('tlsClientError', () => {});
  await new Promise<void>((listening, reject) => {
    server.once('error', reject);
    server.listen(0, listening);
  });
  server.unref();
  const address: Address = { host, port: (server.address() as AddressInfo).port, key: key.toString('hex') };
  rmSync(file, { force: true });
  writeFileSync(file, JSON.stringify(address), { mode: 0o600, flag: 'wx' });
  return { connected, close };
}

/** Connects to the process that wrote the file. Rejects where it has gone, or is another one. */
export async function connectByFile(file: string): Promise<TLSSocket> {
  const { host, port, key } = JSON.parse(readFileSync(file, 'utf8')) as Address;
  const psk = Buffer.from(key, 'hex');
  const socket = connect({
    ...WITH_KEY,
    host,
    port,
    // The key proves who it is.
    checkServerIdentity: () => undefined,
    pskCallback: () => ({ psk, identity: IDENTITY }),
  });
  await new Promise<void>((ready, reject) => {
    socket.once('secureConnect', ready);
    socket.once('error', reject);
  });
  socket.on('error', () => {});
  socket.setNoDelay(true);
  return socket;
}
