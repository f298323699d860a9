import { closeSync, openSync, readSync } from 'node:fs';

/**
 * Random bytes for secrets, from the kernel: node:crypto, which asks the kernel too, takes 5 ms of a start to load. Where there is no
 * /dev/urandom they come from node:crypto.
 */
export function randomBytes(size: number): Buffer {
  const bytes = Buffer.alloc(size);
  return isFilled(bytes) ? bytes : process.getBuiltinModule('node:crypto').randomBytes(size);
}

function isFilled(bytes: Buffer): boolean {
  let file: number;
  try {
    file = openSync('/dev/urandom', 'r');
  } catch {
    return false;
  }
  try {
    return readSync(file, bytes) === bytes.length;
  } finally {
    closeSync(file);
  }
}
