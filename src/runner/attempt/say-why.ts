import { closeSync, openSync, writeSync } from 'node:fs';
import { OPEN_FLAGS } from '../../cluster/trust.ts';

/** Writes why a job cannot be started where its standard error would be; that it failed is known without it. */
export function sayWhy(stderr: string | undefined, message: string): void {
  if (stderr === undefined) return;
  try {
    const fd = openSync(stderr, OPEN_FLAGS.replace);
    try {
      writeSync(fd, `torc: ${message}\n`);
    } finally {
      closeSync(fd);
    }
  } catch {
    // The log contains it too.
  }
}
