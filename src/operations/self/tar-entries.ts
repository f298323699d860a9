/** A file or folder of an archive. The content of one must be read, or is skipped, before the next is asked for. */
export interface TarEntry {
  readonly path: string;
  readonly kind: 'file' | 'folder' | 'other';
  readonly mode: number;
  readonly sizeBytes: number;
  readonly content: AsyncIterable<Uint8Array>;
}

const BLOCK = 512;

/**
 * The entries of an archive of tar, in the format of POSIX with or without extended headers.
 *
 * Throws: an error that says at which byte the archive ends early or is no archive.
 */
export async function* tarEntries(source: AsyncIterable<Uint8Array>): AsyncGenerator<TarEntry> {
  const reader = readerOf(source);
  let extended: ReadonlyMap<string, string> = new Map();
  for (;;) {
    const head = Buffer.from(await reader.exactly(BLOCK));
    if (head.every((byte) => byte === 0)) {
      await reader.drain();
      return;
    }
    if (headerSum(head) !== number(head, 148, 8))
      throw new Error(`no archive of tar: byte ${reader.at() - BLOCK} is no header`);
    const kind = String.fromCharCode(head[156] ?? 0);
    const sizeBytes = Number(extended.get('size') ?? number(head, 124, 12));
    const padding = (BLOCK - (sizeBytes % BLOCK)) % BLOCK;
    if (kind === 'x' || kind === 'g') {
      const records = recordsOf(Buffer.from(await reader.exactly(sizeBytes)).toString('utf8'));
      await reader.exactly(padding);
      if (kind === 'x') extended = records;
      continue;
    }
    const content = reader.some(sizeBytes);
    yield {
      path: extended.get('path') ?? pathOf(head),
      kind: kind === '0' || kind === '\0' ? 'file' : kind === '5' ? 'folder' : 'other',
      mode: number(head, 100, 8) & 0o777,
      sizeBytes,
      content,
    };
    for await (const _ of content);
    await reader.exactly(padding);
    extended = new Map();
  }
}

const text = (head: Buffer, at: number, length: number) => {
  const part = head.subarray(at, at + length);
  const end = part.indexOf(0);
  return part.subarray(0, end < 0 ? length : end).toString('utf8');
};
const number = (head: Buffer, at: number, length: number) => parseInt(text(head, at, length).trim() || '0', 8);
const pathOf = (head: Buffer) => [text(head, 345, 155), text(head, 0, 100)].filter((part) => part !== '').join('/');

/** The sum of the bytes of a header, with blanks in the place of the sum. */
export const headerSum = (head: Uint8Array): number =>
  head.reduce((sum, byte, at) => sum + (at >= 148 && at < 156 ? 32 : byte), 0);

/** `23 path=some/long/path` and a line end, each with its length. */
function recordsOf(records: string): ReadonlyMap<string, string> {
  return new Map([...records.matchAll(/\d+ ([^=\n]+)=([^\n]*)\n/g)].map(([, key = '', value = '']) => [key, value]));
}

function readerOf(source: AsyncIterable<Uint8Array>) {
  const parts = source[Symbol.asyncIterator]();
  let rest: Uint8Array = new Uint8Array();
  let position = 0;

  /** Up to this many bytes, at least one. */
  async function next(most: number): Promise<Uint8Array> {
    while (rest.length === 0) {
      const { done, value } = await parts.next();
      if (done === true) throw new Error(`the archive ends early, after ${position} bytes`);
      rest = value;
    }
    const taken = rest.subarray(0, most);
    rest = rest.subarray(taken.length);
    position += taken.length;
    return taken;
  }

  async function* some(length: number): AsyncGenerator<Uint8Array> {
    for (let left = length; left > 0;) {
      const part = await next(left);
      left -= part.length;
      yield part;
    }
  }

  return {
    at: () => position,
    some,
    async exactly(length: number): Promise<Uint8Array> {
      const found = [];
      for await (const part of some(length)) found.push(part);
      return Buffer.concat(found);
    },
    /** To the end of the source, so that an error in it is seen. */
    async drain(): Promise<void> {
      while ((await parts.next()).done !== true);
    },
  };
}
