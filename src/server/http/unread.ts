/** What a client has read so far, and what waits for it, in bytes. */
interface Progress {
  readonly read: number;
  readonly waiting: number;
}

/**
 * Detects a client that does not read: looked at every `everyMs`, it says in words that data has waited for `mostMs` while nothing was
 * read; undefined for a client that reads, or has nothing to read.
 */
export function createUnread(everyMs: number, mostMs: number): (progress: Progress) => string | undefined {
  let readBefore = 0;
  let unreadMs = 0;
  return ({ read, waiting }) => {
    unreadMs = waiting > 0 && read === readBefore ? unreadMs + everyMs : 0;
    readBefore = read;
    return unreadMs < mostMs ? undefined : `nothing was read for ${Math.round(unreadMs / 1000)} s`;
  };
}
