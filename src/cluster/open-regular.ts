import { closeSync, constants, fstatSync, openSync } from 'node:fs';
import { Refusal } from '../core/contract/refusals.ts';

/** Flags with which opening a named pipe does not wait for its writer. */
export const WITHOUT_WAITING = constants.O_RDONLY | constants.O_NONBLOCK;

/**
 * Opens a file for reading that may be anything: a named pipe in its place is never waited for.
 *
 * Throws the error of the system, and `FILE_UNREADABLE` for what is no regular file.
 */
export function openRegular(path: string, more = 0): number {
  const fd = openSync(path, WITHOUT_WAITING | more);
  if (fstatSync(fd).isFile()) return fd;
  closeSync(fd);
  throw notRegular(path);
}

export const notRegular = (path: string): Refusal =>
  new Refusal('FILE_UNREADABLE', `${path} is no regular file`, { path });
