import { closeSync, constants, existsSync, fstatSync, openSync, readFileSync, type Stats } from 'node:fs';
import { type TrustOptions, whyNotFile, whyNotTrusted } from './trust.ts';

/** A file that is looked up: no person named it. */
export type Found =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'text'; readonly text: string }
  /** Another user may have written it, or it is no file. */
  | { readonly kind: 'refused'; readonly why: string };

/** The largest text that is read from a file that is looked up: most such files have some KB. */
const MOST_BYTES = 2 ** 20;

/**
 * Reads a file that is looked up, if it can only be the work of this user, or of root.
 *
 * What is checked is the file that is open: who may write the folder can put another one in its place meanwhile. A file that
 * may not be looked at is not there for this user.
 * Throws: the error of the system for a file of ours that cannot be read, and an error for one that is too large.
 */
export function readFound(path: string, options: TrustOptions, mostBytes = MOST_BYTES): Found {
  const ours = { ...options, uid: options.uid ?? process.getuid?.() };
  let why: string | undefined;
  try {
    why = whyNotTrusted(path, ours);
  } catch {
    return { kind: 'nothing' };
  }
  return why === undefined
    ? readIf(path, mostBytes, (stats) => whyNotFile(stats, path, ours))
    : { kind: 'refused', why };
}

/** Reads a file that a person named by a variable: of any owner, if it is a regular file. */
export const readNamed = (path: string): Found =>
  existsSync(path)
    ? readIf(path, MOST_BYTES, (stats) => (stats.isFile() ? undefined : `${path} is no regular file`))
    : { kind: 'nothing' };

/** Without waiting for the writer of a named pipe. */
function readIf(path: string, mostBytes: number, whyNot: (stats: Stats) => string | undefined): Found {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'nothing' };
    throw error;
  }
  try {
    const stats = fstatSync(fd);
    const why = whyNot(stats);
    if (why !== undefined) return { kind: 'refused', why };
    if (stats.size > mostBytes) throw new Error(`it has more than ${mostBytes / 2 ** 20} MiB`);
    return { kind: 'text', text: readFileSync(fd, 'utf8') };
  } finally {
    closeSync(fd);
  }
}
