import type { Duplex } from 'node:stream';
import { after } from '../../client/long-timers.ts';
import { randomBytes } from '../../cluster/random-bytes.ts';
import type { Address } from '../../server/attach/address.ts';
import {
  ATTACH_PATH,
  ENDING,
  isProof,
  NONCE_HEADER,
  PROOF_HEADER,
  credentialProofOf,
  PROTOCOL,
} from '../../server/attach/proof.ts';

/** The server stays for as long as this is not left. */
export interface Attachment {
  /** Resolves when the server has ended, or has closed the connection. */
  readonly ended: Promise<void>;
  /** Reports that this command no longer uses the server; returns whether it ends now because no other command uses it. */
  leave(): Promise<boolean>;
}

/** A server answers within milliseconds; one of a machine under heavy load gets this long. */
const ANSWER_MS = 5_000;

/** Attaches to the server at an address; undefined where none answers there that knows the credential. */
export async function attachTo({ url, credential }: Address): Promise<Attachment | undefined> {
  const nonce = randomBytes(16).toString('hex');
  // Not imported: of a module every export is looked at, and one of these loads a whole web client (25 ms, 8 MB).
  const { request } = process.getBuiltinModule('node:http');
  const socket = await new Promise<Duplex | undefined>((resolve) => {
    const asked = request(`${url}${ATTACH_PATH}`, {
      agent: false,
      headers: {
        Connection: 'Upgrade',
        Upgrade: PROTOCOL,
        [NONCE_HEADER]: nonce,
        [PROOF_HEADER]: credentialProofOf('client', credential, nonce),
      },
    });
    const limit = after(ANSWER_MS, () => asked.destroy(new Error('no answer')));
    const settle = (found: Duplex | undefined) => {
      limit.cancel();
      resolve(found);
    };
    asked.on('upgrade', ({ headers }, opened: Duplex) => {
      opened.on('error', () => {});
      if (isProof(headers[PROOF_HEADER], 'server', credential, nonce)) return settle(opened);
      opened.destroy();
      return settle(undefined);
    });
    asked.on('response', () => {
      asked.destroy();
      settle(undefined);
    });
    asked.on('error', () => settle(undefined));
    asked.end();
  });
  if (socket === undefined) return undefined;
  const ended = new Promise<void>((resolve) => void socket.once('close', () => resolve()));
  let said = '';
  socket.setEncoding('utf8').on('data', (text: string) => (said += text));
  // Open for as long as the process lives, but no reason for it to live.
  (socket as Duplex & { unref(): void }).unref();
  return {
    ended,
    async leave() {
      (socket as Duplex & { ref(): void }).ref();
      const limit = after(ANSWER_MS, () => socket.destroy());
      socket.end();
      await ended;
      limit.cancel();
      return said === ENDING;
    },
  };
}
