import { createPrivateKey, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { signedHash, TRUSTED } from '../../src/operations/self/signature.ts';

/** A pair of keys as minisign writes them without a password (`minisign -G -W`): one line of base64 each. */
export interface SigningKey {
  readonly publicKey: string;
  readonly secretKey: string;
}

/** Bytes of a secret key: what it is, how it is encrypted, its number, the key itself, and a sum. */
const [ID_AT, SEED_AT, PUBLIC_AT, SECRET_BYTES] = [54, 62, 94, 158];

/** The key in the text of a secret key. Throws for one with a password: `minisign -S` signs with it. */
export function signingKey(text: string): SigningKey {
  const secretKey = text.trim().split('\n').at(-1) ?? '';
  const bytes = Buffer.from(secretKey, 'base64');
  if (bytes.length !== SECRET_BYTES || bytes.toString('latin1', 0, 2) !== 'Ed')
    throw new Error('no secret key of minisign');
  if (bytes.readUInt16LE(2) !== 0)
    throw new Error('the key has a password: leave --key out, and sign SHA256SUMS with minisign -S');
  const publicKey = Buffer.concat([
    Buffer.from('Ed'),
    bytes.subarray(ID_AT, SEED_AT),
    bytes.subarray(PUBLIC_AT, PUBLIC_AT + 32),
  ]);
  return { publicKey: publicKey.toString('base64'), secretKey };
}

/** A new key without a password, for trials. */
export function newSigningKey(): SigningKey {
  const { d = '', x = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  const bytes = Buffer.alloc(SECRET_BYTES);
  bytes.write('Ed\0\0B2', 'latin1');
  randomBytes(8).copy(bytes, ID_AT);
  Buffer.from(d, 'base64url').copy(bytes, SEED_AT);
  Buffer.from(x, 'base64url').copy(bytes, PUBLIC_AT);
  return signingKey(bytes.toString('base64'));
}

/** The text of a detached signature (`src/operations/self/signature.ts`). */
export function signatureOf(content: Uint8Array, { secretKey }: SigningKey, comment: string): string {
  const bytes = Buffer.from(secretKey, 'base64');
  const [d, x] = [bytes.subarray(SEED_AT, PUBLIC_AT), bytes.subarray(PUBLIC_AT, PUBLIC_AT + 32)].map((part) =>
    part.toString('base64url'),
  );
  const key = createPrivateKey({ key: { kty: 'OKP', crv: 'Ed25519', d: d ?? '', x: x ?? '' }, format: 'jwk' });
  const own = sign(null, signedHash(content), key);
  const head = Buffer.concat([Buffer.from('ED'), bytes.subarray(ID_AT, SEED_AT), own]);
  const second = sign(null, Buffer.concat([own, Buffer.from(comment)]), key);
  return `untrusted comment: signature of torc\n${head.toString('base64')}\n${TRUSTED}${comment}\n${second.toString('base64')}\n`;
}
