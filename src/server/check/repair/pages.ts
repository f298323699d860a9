import { closeSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs';

/**
 * The pages of a database file as its last commit left them: those of the file, and over them those of its write-ahead log.
 *
 * Source: https://sqlite.org/fileformat.html. Nothing is written, and SQLite does not open the file: it would refuse a damaged one.
 */
export interface Pages {
  /** The number of the last page; the first is 1. */
  readonly count: number;
  /** The version that torc wrote into the first page; undefined where that page is damaged. */
  readonly version: number | undefined;
  /** A page; undefined where the file ends before it. */
  read(number: number): Buffer | undefined;
  close(): void;
}

/** That of every database that torc makes: SQLite's default. */
export const PAGE_BYTES = 4096;

const MAGIC = 'SQLite format 3\0';

export function openPages(path: string): Pages {
  const log = committedFrames(path);
  const file = openSync(path, 'r');
  const read = (number: number): Buffer | undefined => {
    const framed = log.frames.get(number);
    if (framed !== undefined) return framed;
    const page = Buffer.alloc(PAGE_BYTES);
    return readSync(file, page, 0, PAGE_BYTES, (number - 1) * PAGE_BYTES) === PAGE_BYTES ? page : undefined;
  };
  const first = read(1);
  const isWhole = first?.toString('latin1', 0, MAGIC.length) === MAGIC && first.readUInt16BE(16) === PAGE_BYTES;
  return {
    // The count in the head of the file can be damaged, and no page is behind the end.
    count: log.count ?? Math.floor(fstatSync(file).size / PAGE_BYTES),
    version: isWhole ? first.readUInt32BE(60) : undefined,
    read,
    close: () => closeSync(file),
  };
}

const [LOG_HEAD_BYTES, FRAME_HEAD_BYTES] = [32, 24];

/**
 * The pages in the write-ahead log that belong to a commit, and how many pages the database has after the last one. A log ends at the first frame
 * whose salts or sum are others: what is behind it is of an earlier use of the file, or was not written completely.
 */
function committedFrames(path: string): { readonly frames: ReadonlyMap<number, Buffer>; readonly count?: number } {
  const frames = new Map<number, Buffer>();
  const log = logOf(path);
  if (log === undefined || log.length < LOG_HEAD_BYTES || log.readUInt32BE(8) !== PAGE_BYTES) return { frames };
  const magic = log.readUInt32BE(0);
  if (magic >>> 1 !== 0x377f0682 >>> 1) return { frames };
  const isBigEndian = (magic & 1) === 1;
  const salts = log.toString('latin1', 16, 24);
  let sum = sumOf(log.subarray(0, 24), [0, 0], isBigEndian);
  let open = new Map<number, Buffer>();
  let count: number | undefined;
  for (let at = LOG_HEAD_BYTES; at + FRAME_HEAD_BYTES + PAGE_BYTES <= log.length; at += FRAME_HEAD_BYTES + PAGE_BYTES) {
    const page = log.subarray(at + FRAME_HEAD_BYTES, at + FRAME_HEAD_BYTES + PAGE_BYTES);
    sum = sumOf(page, sumOf(log.subarray(at, at + 8), sum, isBigEndian), isBigEndian);
    const isNext = log.toString('latin1', at + 8, at + 16) === salts;
    if (!isNext || log.readUInt32BE(at + 16) !== sum[0] || log.readUInt32BE(at + 20) !== sum[1]) break;
    open.set(log.readUInt32BE(at), page);
    if (log.readUInt32BE(at + 4) === 0) continue;
    count = log.readUInt32BE(at + 4);
    for (const [number, each] of open) frames.set(number, each);
    open = new Map();
  }
  return { frames, ...(count === undefined ? {} : { count }) };
}

function logOf(path: string): Buffer | undefined {
  try {
    return readFileSync(`${path}-wal`);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

type Sum = readonly [number, number];

/** The running sum of a log, over words of 32 bits. */
function sumOf(bytes: Buffer, [one, other]: Sum, isBigEndian: boolean): Sum {
  let [left, right] = [one, other];
  const word = (at: number) => (isBigEndian ? bytes.readUInt32BE(at) : bytes.readUInt32LE(at));
  for (let at = 0; at < bytes.length; at += 8) {
    left = (left + word(at) + right) >>> 0;
    right = (right + word(at + 4) + left) >>> 0;
  }
  return [left, right];
}
