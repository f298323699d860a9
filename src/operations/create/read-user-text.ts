import { isUtf8 } from 'node:buffer';
import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from 'node:fs';

/** The most bytes of a text that a person names. The largest workflow files have some 100 MB. */
const MOST_BYTES = 256 * 2 ** 20;
const PART_BYTES = 2 ** 20;
/** Pipes that a shell makes, `<(command)`, have such names. */
const OF_SHELL = /^\/(dev|proc\/(self|\d+))\/fd\/\d+$|^\/dev\/stdin$/;

/**
 * The text of a file that a person names, or of standard input for 0.
 *
 * Devices and named pipes are refused: they may be endless, and opening a pipe without a writer blocks. Standard input and the
 * pipes of a shell are read. Throws the error of the system, or an error that names the kind of the file, the size limit, or the place
 * of the first byte that is not UTF-8: a command with another character in the place of such a byte would be another command.
 */
export function readUserText(path: string | 0): string {
  const isInherited = path === 0 || OF_SHELL.test(path);
  // Without O_NONBLOCK, opening a named pipe waits for its writer.
  const fd = path === 0 ? 0 : openSync(path, constants.O_RDONLY | (isInherited ? 0 : constants.O_NONBLOCK));
  try {
    const stats = fstatSync(fd);
    if (stats.isDirectory()) throw Object.assign(new Error('it is a folder, not a file'), { code: 'EISDIR' });
    const other = isInherited ? undefined : otherKindOf(stats);
    if (other !== undefined) throw new Error(`it is ${other}, not a regular file`);
    if (stats.isFile() && stats.size > MOST_BYTES) throw tooLarge();
    return textOf(fd);
  } finally {
    if (fd !== 0) closeSync(fd);
  }
}

function otherKindOf(stats: Stats): string | undefined {
  if (stats.isFile()) return undefined;
  return stats.isFIFO() || stats.isSocket() ? 'a pipe' : 'a device';
}

function textOf(fd: number): string {
  const parts: Buffer[] = [];
  let bytes = 0;
  for (;;) {
    const part = Buffer.allocUnsafe(PART_BYTES);
    const length = readSome(fd, part);
    if (length === 0) return decoded(Buffer.concat(parts));
    parts.push(part.subarray(0, length));
    bytes += length;
    if (bytes > MOST_BYTES) throw tooLarge();
  }
}

function decoded(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString('utf8');
  // As PowerShell and older editors of Windows write it.
  if (bytes.indexOf('\xff\xfe', 0, 'latin1') === 0 || bytes.indexOf('\xfe\xff', 0, 'latin1') === 0)
    throw new Error('it is UTF-16, and UTF-8 is read: iconv -f UTF-16 -t UTF-8 converts it');
  // It was replaced where the text, written again, differs first.
  const again = Buffer.from(bytes.toString('utf8'));
  const at = bytes.findIndex((byte, index) => byte !== again[index]);
  const before = bytes.subarray(0, at);
  const line = before.reduce((count, byte) => count + Number(byte === NEW_LINE), 1);
  const column = before.subarray(before.lastIndexOf(NEW_LINE) + 1).toString('utf8').length + 1;
  const found = `0x${bytes.toString('hex', at, at + 1)}`;
  throw new Error(
    `line ${line}, column ${column}: the byte ${found} is not UTF-8; if the text is Latin-1, iconv -f LATIN1 -t UTF-8 converts it`,
  );
}

const NEW_LINE = 0x0a;

const RETRY_MS = 10;

/** A pipe may be without data for a while, where another program has made it non-blocking. */
function readSome(fd: number, part: Buffer): number {
  for (;;) {
    try {
      return readSync(fd, part);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EOF') return 0;
      if (code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS);
    }
  }
}

const tooLarge = () => new Error(`it has more than ${MOST_BYTES / 2 ** 20} MiB, the largest text that is read`);
