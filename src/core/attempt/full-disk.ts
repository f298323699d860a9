/**
 * Output of a job that could not be written, because there was no room for it.
 *
 * A job notices that only if it checks its writes.
 */

/** What there was too little of: space or files of a file system, or the part of it that the user may have. */
export type Shortage = 'space' | 'files' | 'quota';

const WORDS: Readonly<Record<Shortage, string>> = {
  space: 'the disk of its output was full when it ended',
  files: 'the disk of its output could hold no more files when it ended',
  quota: 'the disk quota for its output was used up when it ended',
};

/** The words of cause code `disk`: it may be why a job failed. */
export const shortageCause = (shortage: Shortage): string => WORDS[shortage];

/** The same for a word of an event, also one of a newer runner. */
export const shortageWords = (lacking: string): string =>
  (WORDS as Readonly<Record<string, string>>)[lacking] ?? `its output lacked ${lacking}`;

/** A file system as statfs(2) describes it, in blocks and files. */
export interface FileSystemRoom {
  readonly blocks: number;
  readonly bsize: number;
  /** Free for the system administrator, and for everybody else. */
  readonly bfree: number;
  readonly bavail: number;
  readonly files: number;
  readonly ffree: number;
}

/**
 * Less than this is none: what ends leaves some blocks free, although all before was full. Larger, and a small disk that
 * holds all output is called full.
 */
const LEAST_BYTES = 64 * 1024;

/** What the file system has too little of; undefined if it has enough, or does not say it. */
export function shortageOf(
  { blocks, bsize, bfree, bavail, files, ffree }: FileSystemRoom,
  isAdministrator: boolean,
): Extract<Shortage, 'space' | 'files'> | undefined {
  if (blocks > 0 && (isAdministrator ? bfree : bavail) * bsize < LEAST_BYTES) return 'space';
  return files > 0 && ffree === 0 ? 'files' : undefined;
}
