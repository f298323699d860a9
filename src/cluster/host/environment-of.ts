import { readFileSync } from 'node:fs';

/**
 * The environment of a process as `NAME=value` entries; empty if it has ended or belongs to another user.
 *
 * Throws if this process has no file descriptor or memory left. Then nothing is known about the other process.
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

/** The value of a variable in an environment; undefined if it is not set. */
export const valueIn = (environment: readonly string[], name: string): string | undefined =>
  environment.find((entry) => entry.startsWith(`${name}=`))?.slice(name.length + 1);
