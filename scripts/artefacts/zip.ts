import { crc32, deflateRawSync } from 'node:zlib';
import { type Files, levelOf } from './archive.ts';

/**
 * An archive of zip, whose bytes follow from its files alone: in their order, with one time. Paths are ASCII, and files have less than
 * 4 GiB.
 */
export function zipOf(files: Files, atSeconds: number, isTrial?: boolean): Buffer {
  const parts: Buffer[] = [];
  const entries: Buffer[] = [];
  let at = 0;
  for (const [path, { content, isProgram = false }] of files) {
    const packed = deflateRawSync(content, { level: levelOf(isTrial) });
    const name = Buffer.from(path, 'ascii');
    const facts = factsOf({ name, content, packed, atSeconds });
    parts.push(Buffer.concat([number(LOCAL, 4), facts, name, packed]));
    const mode = 0o100000 + (isProgram ? 0o755 : 0o644);
    // No comment, the first disk, no internal attributes; the mode of Unix stands in the upper half of the external ones.
    const rest = [number(0, 2), number(0, 2), number(0, 2), number(mode * 0x1_00_00, 4), number(at, 4)];
    entries.push(Buffer.concat([number(ENTRY, 4), number(UNIX, 2), facts, ...rest, name]));
    at += 30 + name.length + packed.length;
  }
  const sizeBytes = entries.reduce((sum, { length }) => sum + length, 0);
  const count = number(entries.length, 2);
  const end = [number(END, 4), number(0, 4), count, count, number(sizeBytes, 4), number(at, 4), number(0, 2)];
  return Buffer.concat([...parts, ...entries, ...end]);
}

const LOCAL = 0x04_03_4b_50;
const ENTRY = 0x02_01_4b_50;
const END = 0x06_05_4b_50;
/** Made on Unix, by version 2.0 of the format, which brought deflate. */
const UNIX = 0x03_14;
const DEFLATE = 8;

interface Entry {
  readonly name: Buffer;
  readonly content: Uint8Array;
  readonly packed: Buffer;
  readonly atSeconds: number;
}

/** What stands before a file, and again in the list at the end. */
function factsOf({ name, content, packed, atSeconds }: Entry): Buffer {
  const at = new Date(atSeconds * 1000);
  const time = (at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1);
  const date = ((at.getUTCFullYear() - 1980) << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate();
  return Buffer.concat([
    number(20, 2),
    number(0, 2),
    number(DEFLATE, 2),
    number(time, 2),
    number(date, 2),
    number(crc32(content), 4),
    number(packed.length, 4),
    number(content.length, 4),
    number(name.length, 2),
    number(0, 2),
  ]);
}

function number(value: number, bytes: 2 | 4): Buffer {
  const buffer = Buffer.alloc(bytes);
  if (bytes === 2) buffer.writeUInt16LE(value);
  else buffer.writeUInt32LE(value);
  return buffer;
}
