import type { Output } from '../output/output.ts';

/** What a server logs that has no room, and stops or goes on without it: it says so at each of its starts. */
const FULL = /database or disk is full|\bENOSPC\b|\bEDQUOT\b/;
/** How often a message says that it goes on like this. Longer than the longest pause between two starts. */
const SAY_AGAIN_MS = 60_000;

/** Says that the disk of the database is full, in one line for all starts of a server that find it so. */
export interface FullDisk {
  /** Is a line of the server about that? Then it need not be printed. */
  heard(line: string): boolean;
  /** Was it just said: then an end of the server is no news. */
  isKnown(): boolean;
}

export function createFullDisk(
  database: string,
  output: Pick<Output, 'warn'>,
  now = () => performance.now(),
): FullDisk {
  let saidMs: number | undefined;
  const isKnown = () => saidMs !== undefined && now() - saidMs < SAY_AGAIN_MS;
  return {
    heard(line) {
      if (!FULL.test(line)) return false;
      if (!isKnown()) {
        saidMs = now();
        output.warn(
          `the disk of ${database} is full: running jobs go on, and the torc-server is started again until there is room; the runner waits for it for 20 minutes, unless its workflow says otherwise`,
        );
      }
      return true;
    },
    isKnown,
  };
}
