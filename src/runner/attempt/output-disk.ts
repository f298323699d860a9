import { statfs, unlink, writeFile } from 'node:fs/promises';
import { after, type Timer } from '../../client/long-timers.ts';
import { type Shortage, shortageOf } from '../../core/attempt/full-disk.ts';
import type { Log } from '../facts/log.ts';

export interface OutputDiskOptions {
  /** Where the output of jobs goes. */
  readonly folder: string;
  readonly log: Pick<Log, 'write'>;
  /** Milliseconds between two checks that no job waits for. */
  readonly restMs?: number;
  /** Milliseconds for which a block that could be written proves that the quota of the user is not used up. */
  readonly freshMs?: number;
}

/** What jobs lacked for their output, and which jobs. */
export interface CutOutput {
  readonly shortage: Shortage;
  readonly folder: string;
  readonly count: number;
  /** The first thousand. */
  readonly names: readonly string[];
}

/** Shorter, and a thousand runners burden a parallel file system; longer, and more jobs are suspected at once. */
const REST_MS = 5_000;
/** A result waits no longer for a file system that hangs. */
const ANSWER_MS = 1_000;
/** Many jobs may fail one after the other: their failures cost one call each, not a file each. */
const FRESH_MS = 500;
const MOST_NAMES = 1_000;

export type OutputDisk = ReturnType<typeof createOutputDisk>;

/**
 * Watches whether there is room for the output of jobs: silently cut output looks like a job that printed little.
 *
 * It looks after ends of jobs only, off the main thread, and rarely, because a look writes to a file system that many share. All jobs
 * that ended since a look that found room are suspected when the next one finds none.
 */
export function createOutputDisk({ folder, log, restMs = REST_MS, freshMs = FRESH_MS }: OutputDiskOptions) {
  let suspected: Suspects = NO_SUSPECTS;
  let cut: (Suspects & { readonly shortage: Shortage }) | undefined;
  let isReported = false;
  let wroteAtMs = -Infinity;
  let looking: Promise<Shortage | undefined> | undefined;
  let timer: Timer | undefined;

  const shortageNow = async (): Promise<Shortage | undefined> => {
    try {
      const full = shortageOf(await statfs(folder), process.geteuid?.() === 0);
      if (full !== undefined || wroteAtMs > performance.now() - freshMs) return full;
      const lacking = await shortageOfBlock(folder);
      if (lacking === undefined) wroteAtMs = performance.now();
      return lacking;
    } catch {
      // The folder is gone, or this user may not read it.
      return undefined;
    }
  };
  const look = async (): Promise<Shortage | undefined> => {
    timer?.cancel();
    timer = undefined;
    const since = suspected;
    suspected = NO_SUSPECTS;
    const shortage = await shortageNow();
    if (shortage === undefined) {
      isReported = false;
      return undefined;
    }
    cut = { ...joined(cut ?? NO_SUSPECTS, since), shortage };
    if (!isReported) {
      isReported = true;
      log.write('warn', 'There is no room for the output of jobs: it may be cut, also that of jobs that complete', {
        lacking: shortage,
        folder,
      });
    }
    return shortage;
  };
  const lookOnce = () => (looking ??= look().finally(() => void (looking = undefined)));

  return {
    /** A job ended that may have written output. */
    ended(name: string) {
      suspected = joined(suspected, { count: 1, names: [name] });
      timer ??= after(restMs, () => void lookOnce()).unref();
    },
    /** What is missing now. Never rejects; undefined also if the file system does not answer in time. */
    shortage: () => inTime(lookOnce()),
    /** Looks a last time; what was cut in all, if anything. */
    async finish(): Promise<CutOutput | undefined> {
      if (suspected.count > 0) await inTime(looking === undefined ? lookOnce() : looking.then(lookOnce));
      timer?.cancel();
      return cut === undefined || cut.count === 0 ? undefined : { ...cut, folder };
    },
  };
}

interface Suspects {
  readonly count: number;
  readonly names: readonly string[];
}

const NO_SUSPECTS: Suspects = { count: 0, names: [] };

const joined = (one: Suspects, other: Suspects): Suspects => ({
  count: one.count + other.count,
  names: [...one.names, ...other.names].slice(0, MOST_NAMES),
});

async function inTime(answer: Promise<Shortage | undefined>): Promise<Shortage | undefined> {
  const late = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => late.resolve(undefined), ANSWER_MS);
  const first = await Promise.race([answer, late.promise]);
  clearTimeout(timer);
  return first;
}

/** Not every file system has the quota of the user in statfs, so a block is written. */
async function shortageOfBlock(folder: string): Promise<Shortage | undefined> {
  const path = `${folder}/.room-${process.pid}`;
  try {
    await writeFile(path, BLOCK, { mode: 0o600 });
    return undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'EDQUOT' ? 'quota' : code === 'ENOSPC' ? 'space' : undefined;
  } finally {
    await unlink(path).catch(() => {});
  }
}

const BLOCK = Buffer.alloc(4096, '.');
