import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Failure } from '../../command/failure.ts';
import type { ServerValues } from './options.ts';

/** Matching certificate and key as PEM texts; undefined if the server uses plain HTTP. */
export function tlsOf(
  options: Pick<ServerValues, 'https' | 'tlsCert' | 'tlsKey'>,
): { readonly certificate: string; readonly key: string } | undefined {
  if (options.https !== true) return undefined;
  const certificate = read(options.tlsCert, '--tls-cert (TORC_TLS_CERT)');
  const key = read(options.tlsKey, '--tls-key (TORC_TLS_KEY)');
  const parsed = parse(certificate.path, 'a certificate', () => new X509Certificate(certificate.text));
  const secret = parse(key.path, 'a key without a passphrase', () => createPrivateKey(key.text));
  if (!parsed.checkPrivateKey(secret))
    throw new Failure(`the key in ${key.path} does not match the certificate in ${certificate.path}`);
  return { certificate: certificate.text, key: key.text };
}

interface Pem {
  readonly path: string;
  readonly text: string;
}

function read(path: string | undefined, flag: string): Pem {
  if (path === undefined) throw new Failure(`--https needs a certificate and its key; ${flag} is missing`);
  try {
    return { path, text: readFileSync(path, 'utf8') };
  } catch (cause) {
    throw new Failure(`${flag}: ${path} cannot be read: ${(cause as Error).message}`, { cause });
  }
}

function parse<T>(path: string, what: string, make: () => T): T {
  try {
    return make();
  } catch (cause) {
    throw new Failure(`${path} is not ${what} as a PEM file: ${(cause as Error).message}`, { cause });
  }
}
