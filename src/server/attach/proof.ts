import { isSecret } from '../../cluster/secret.ts';

/**
 * How a command attaches to the server of another command.
 *
 * The command sends `GET /torc-service/v1/attach` with `Upgrade: torc-attach`, a random `Torc-Nonce`, and a `Torc-Proof`: the
 * HMAC-SHA256 of the nonce under the credential. The server answers 101 with its own proof. The connection then stays open,
 * without data, for as long as the command uses the server; the kernel closes it when either process ends. A server that ends
 * with the last command says so before it closes that command's connection.
 *
 * The credential itself is not sent before both sides have proved that they know it: the port of a server that was killed may
 * belong to a program of another user by now.
 */
export const PROTOCOL = 'torc-attach';
export const ATTACH_PATH = '/attach';
export const NONCE_HEADER = 'torc-nonce';
export const PROOF_HEADER = 'torc-proof';

/** What the server sends to the last command that leaves it, when it ends with it. */
export const ENDING = 'ending\n';

export type Side = 'client' | 'server';

/** The sides differ, so that neither can send back what it was sent. */
export function credentialProofOf(side: Side, credential: string, nonce: string): string {
  // Loaded here: 5 ms of a start, and most servers are used by one command alone.
  const { createHmac } = process.getBuiltinModule('node:crypto');
  return createHmac('sha256', credential).update(`torc-attach ${side} ${nonce}`).digest('hex');
}

/** Does this proof show that its sender knows the credential? */
export function isProof(given: unknown, side: Side, credential: string, nonce: string): boolean {
  return typeof given === 'string' && isSecret(given, credentialProofOf(side, credential, nonce));
}
