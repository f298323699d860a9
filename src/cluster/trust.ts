import { constants, lstatSync, type Stats, statSync } from 'node:fs';

/**
 * Whether what stands at a path can only be the work of this user.
 *
 * Another user who may write a file that we take for ours decides what we do: the commands in a database are executed, a link in
 * the place of an output file overwrites what it points to. The superuser may do everything anyway, so its files are trusted.
 */
export interface TrustOptions {
  /** The umask of this program allows the group to write files. */
  readonly groupMayWrite: boolean;
  /** This user; undefined where there are no users. */
  readonly uid?: number | undefined;
}

const ROOT = 0;
const GROUP_WRITES = 0o020;
const OTHERS_WRITE = 0o002;
/** In such a folder only the owner of a file may rename or remove it. */
const STICKY = 0o1000;

/** What is wrong with a path; undefined if nothing is, or if nothing is there. */
export function whyNotTrusted(
  path: string,
  { groupMayWrite, uid = process.getuid?.() }: TrustOptions,
): string | undefined {
  if (uid === undefined) return undefined;
  const own = lstatSync(path, { throwIfNoEntry: false });
  if (own === undefined) return undefined;
  if (own.isSymbolicLink() && !isOf(own, uid)) return `the link ${path} belongs to user ${own.uid}`;
  const stats = own.isSymbolicLink() ? statSync(path, { throwIfNoEntry: false }) : own;
  if (stats === undefined) return undefined;
  if (isOf(stats, uid) && stats.isDirectory())
    return isOpenTo(stats) ? `everybody may write the folder ${path}` : undefined;
  return whyNotFile(stats, path, { groupMayWrite, uid });
}

const isOf = (stats: Stats, uid: number): boolean => stats.uid === uid || stats.uid === ROOT;

/** What is wrong with a file, by what is known of it. */
export function whyNotFile(stats: Stats, path: string, { groupMayWrite, uid }: TrustOptions): string | undefined {
  if (uid !== undefined && !isOf(stats, uid)) return `${path} belongs to user ${stats.uid}`;
  if (!stats.isFile()) return `${path} is no regular file`;
  if ((stats.mode & OTHERS_WRITE) !== 0) return `everybody may write ${path}`;
  if ((stats.mode & GROUP_WRITES) !== 0 && !groupMayWrite) return `its group may write ${path}`;
  return undefined;
}

/** Whether everybody may replace the files in a folder. */
export function isOpenToAll(folder: string): boolean {
  const stats = statSync(folder, { throwIfNoEntry: false });
  return stats !== undefined && isOpenTo(stats);
}

/** Whether everybody may make files in a folder, although perhaps not replace those of others. */
export const mayAnybodyWrite = (folder: string): boolean => (statSync(folder).mode & OTHERS_WRITE) !== 0;

const isOpenTo = ({ mode }: Stats): boolean => (mode & OTHERS_WRITE) !== 0 && (mode & STICKY) === 0;

const { O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_TRUNC, O_WRONLY } = constants;
/**
 * Flags of open(2) for files that Torc writes. Links are not followed: another user may have made them. A named pipe in the place
 * of a file is an error (ENXIO) and no wait for a reader, in which a process cannot even be asked to end; regular files know no
 * O_NONBLOCK.
 */
export const OPEN_FLAGS = {
  /** A named pipe without a writer is empty. */
  read: O_RDONLY | O_NOFOLLOW | O_NONBLOCK,
  write: O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK,
  append: O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK,
  /** Appending keeps both streams complete if they share a file. */
  replace: O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_NOFOLLOW | O_NONBLOCK,
} as const;
