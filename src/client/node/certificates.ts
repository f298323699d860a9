import { readFileSync } from 'node:fs';

/**
 * The certificates of a PEM file, as text; undefined if none is named.
 *
 * An invalid file is a warning, because scripts set its variable for plain HTTP too; a connection that needs it fails
 * later.
 */
export function certificatesIn(path: string | undefined, warn: (words: string) => void): string | undefined {
  if (path === undefined) return undefined;
  try {
    const text = readFileSync(path, 'utf8');
    if (text.includes('-----BEGIN ')) return text;
    warn(`${path} is not a PEM file: it contains no certificate; using the system's certificates`);
  } catch (error) {
    warn(`the certificates in ${path} cannot be read: ${(error as Error).message}; using the system's certificates`);
  }
  return undefined;
}
