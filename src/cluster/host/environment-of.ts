import { readFileSync } from 'node:fs';

/**
 * The environment of a process, `NAME=value` each; empty when it has ended or belongs to another user.
 *
 * Throws: when this process has no open file or memory left to look. Then nothing is known of the other process.
 */
export function environmentOf(pid: number | string, root = '/proc'): string[] {
  try {
    return readFileSync(`${root}/${pid}/environ`, 'latin1').split('\0');
  } catch (error) {
    if (CANNOT_LOOK.has((error as NodeJS.ErrnoException).code)) throw error;
    return [];
  }
}

const CANNOT_LOOK: ReadonlySet<string | undefined> = new Set(['EMFILE', 'ENFILE', 'ENOMEM']);
