import { closeSync, fsyncSync, openSync } from 'node:fs';

/** A file, or the names in a folder, are on disk when this returns. Throws: the error of the system. */
export function syncToDisk(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
