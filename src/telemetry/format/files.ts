import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { EnvelopeReader, type EnvelopeRecord } from './envelope-reader.ts';

/** `-` is standard input. */
const STDIN = '-';

/**
 * The records of a file or of standard input, in the portions in which it is read. What begins as gzip is unpacked.
 *
 * Throws: errors of the file system, and of zlib for a damaged gzip file, behind the records in front of the damage.
 */
export async function* recordsOfFiles(
  path: string,
  options: { readonly isCareful?: boolean; readonly onBytes?: (bytes: number) => void } = {},
): AsyncGenerator<readonly EnvelopeRecord[]> {
  const reader = new EnvelopeReader(options);
  const source = path === STDIN ? process.stdin : createReadStream(path, { highWaterMark: 2 ** 18 });
  for await (const chunk of await unpacked(source, options.onBytes)) yield reader.push(chunk);
  yield reader.end();
}

async function unpacked(source: Readable, onBytes: (bytes: number) => void = () => {}): Promise<AsyncIterable<Buffer>> {
  const chunks = (source as AsyncIterable<Buffer | string>)[Symbol.asyncIterator]();
  const read = async (): Promise<Buffer | undefined> => {
    const { done, value } = await chunks.next();
    if (done === true) return undefined;
    const bytes = Buffer.from(value as Buffer);
    onBytes(bytes.length);
    return bytes;
  };
  let first = await read();
  while (first !== undefined && first.length < 2) {
    const more = await read();
    if (more === undefined) break;
    first = Buffer.concat([first, more]);
  }
  async function* whole(): AsyncGenerator<Buffer> {
    for (let chunk = first; chunk !== undefined; chunk = await read()) yield chunk;
  }
  if (first?.[0] !== 0x1f || first[1] !== 0x8b) return whole();
  return gunzipped(whole());
}

async function* gunzipped(packed: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const { Readable: Source } = await import('node:stream');
  const source = Source.from(packed);
  const gunzip = createGunzip();
  source.on('error', (error) => gunzip.destroy(error));
  try {
    for await (const chunk of source.pipe(gunzip)) yield chunk as Buffer;
  } finally {
    source.destroy();
  }
}
