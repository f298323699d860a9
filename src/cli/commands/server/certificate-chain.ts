import { readFileSync } from 'node:fs';

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * What the file of a server lacks: clients trust root authorities, and do not have the certificates between. Undefined for a chain that ends
 * with its root, or is signed by one that this machine trusts.
 */
export function missingInChain(path: string, trusted: readonly string[] = trustedHere()): string | undefined {
  // Not imported: a server of plain HTTP loads no cryptography.
  const { X509Certificate } = process.getBuiltinModule('node:crypto');
  const read = (text: string) => {
    try {
      return new X509Certificate(text);
    } catch {
      return undefined;
    }
  };
  const texts = readFileSync(path, 'utf8').match(CERTIFICATE) ?? [];
  const last = read(texts.at(-1) ?? '');
  if (last === undefined) return texts.length === 0 ? undefined : `the last certificate in ${path} cannot be read`;
  const signers = [last, ...trusted.flatMap((text) => read(text) ?? [])];
  if (signers.some((each) => last.checkIssued(each))) return undefined;
  const issuer = /^CN=(.*)$/m.exec(last.issuer)?.[1] ?? last.issuer.replaceAll('\n', ', ');
  return `${path} ends with a certificate that "${issuer}" signed: if that is no root that clients trust, add its certificate to the file, or clients need it as --tls-ca-cert`;
}

function trustedHere(): string[] {
  const { getCACertificates } = process.getBuiltinModule('node:tls');
  return [...getCACertificates('default'), ...getCACertificates('system')];
}
