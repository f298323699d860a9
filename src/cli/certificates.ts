import { readFileSync } from 'node:fs';
import type { Output } from './output/output.ts';

/**
 * The certificates of a PEM file, as text; undefined where none is named.
 *
 * A file that is no such thing is a warning, as scripts set its variable for plain HTTP too; who needs it is refused later.
 */
export function certificatesIn(path: string | undefined, output: Output): string | undefined {
  if (path === undefined) return undefined;
  try {
    const text = readFileSync(path, 'utf8');
    if (text.includes('-----BEGIN ')) return text;
    output.warn(`${path} is not a PEM file: no certificate begins in it; those of the system are trusted`);
  } catch (error) {
    output.warn(
      `the certificates in ${path} cannot be read: ${(error as Error).message}; those of the system are trusted`,
    );
  }
  return undefined;
}
