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
 * pipes of a shell are read. Throws the error of the system, or an error that names the kind of the file or the size limit.
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
    if (length === 0) return Buffer.concat(parts).toString('utf8');
    parts.push(part.subarray(0, length));
    bytes += length;
    if (bytes > MOST_BYTES) throw tooLarge();
  }
}

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
