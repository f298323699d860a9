import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto';
import { Refusal } from '../../core/contract/refusals.ts';

/**
 * Detached signatures in the format of minisign (https://jedisct1.github.io/minisign/): Ed25519 over the BLAKE2b hash of a
 * file, and a second signature over the first and a comment, which is trusted by that.
 *
 * A key is one line of base64: `Ed`, the 8 bytes of its number, and 32 bytes. A signature has four lines: a comment, base64 of `ED`,
 * the number of the key and 64 bytes, the trusted comment, and base64 of the second signature.
 */

interface PublicKey {
  readonly id: Buffer;
  readonly key: KeyObject;
}

/** The key of a file of minisign, or of its last line alone. Throws: `SIGNATURE_REFUSED`. */
function publicKeyOf(text: string): PublicKey {
  const bytes = Buffer.from(text.trim().split('\n').at(-1) ?? '', 'base64');
  if (bytes.length !== 42 || bytes.toString('latin1', 0, 2) !== 'Ed')
    throw refusal(`"${text.trim().slice(0, 80)}" is no public key of minisign`);
  const x = bytes.subarray(10).toString('base64url');
  return { id: bytes.subarray(2, 10), key: createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' }) };
}

export const TRUSTED = 'trusted comment: ';

/** What is signed: minisign hashes first, so that a file of any size is signed in two parts. */
export const signedHash = (content: Uint8Array): Buffer => createHash('blake2b512').update(content).digest();

/**
 * The trusted comment of a signature of `content`, which `name` names in refusals.
 *
 * Throws: `SIGNATURE_REFUSED` for another key, another content, and a text that is no signature.
 */
export function trustedComment(name: string, content: Uint8Array, signature: string, publicKey: string): string {
  const { id, key } = publicKeyOf(publicKey);
  const [, first = '', comment = '', second = ''] = signature.split('\n');
  const bytes = Buffer.from(first, 'base64');
  if (bytes.length !== 74 || bytes.toString('latin1', 0, 2) !== 'ED' || !comment.startsWith(TRUSTED))
    throw refusal(`the signature of ${name} is not in the format of minisign`);
  if (!bytes.subarray(2, 10).equals(id))
    throw refusal(
      `${name} was signed with the key ${numberOf(bytes.subarray(2, 10))}, and this torc trusts ${numberOf(id)}`,
    );
  const own = bytes.subarray(10);
  const words = comment.slice(TRUSTED.length);
  const isGenuine =
    verify(null, signedHash(content), key, own) &&
    verify(null, Buffer.concat([own, Buffer.from(words)]), key, Buffer.from(second, 'base64'));
  if (!isGenuine) throw refusal(`the signature of ${name} is not that of its content`);
  return words;
}

/** The number of a key as minisign prints it. */
const numberOf = (id: Buffer) => Buffer.from(id).reverse().toString('hex').toUpperCase();

const refusal = (message: string) => new Refusal('SIGNATURE_REFUSED', message, {});
