/** What a client has read so far, and what waits for it, in bytes. */
interface Progress {
  readonly read: number;
  readonly waiting: number;
}

/**
 * Detects a client that does not read: looked at every `everyMs`, it says for how many milliseconds data has waited while
 * nothing was read, 0 for a client that reads or has nothing to read.
 */
export function createUnread(everyMs: number): (progress: Progress) => number {
  let readBefore = 0;
  let unreadMs = 0;
  return ({ read, waiting }) => {
    unreadMs = waiting > 0 && read === readBefore ? unreadMs + everyMs : 0;
    readBefore = read;
    return unreadMs;
  };
}
