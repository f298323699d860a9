import { closeSync, fstatSync, readSync } from 'node:fs';
import { openRegular } from '../../cluster/open-regular.ts';
import { lastState } from '../../core/text/printable.ts';

export const LAST_LINES = 5;
const LAST_BYTES = 4096;

/** The last lines of a file, as far as its last few kilobytes contain them; control characters made visible. */
export function lastLines(path: string): string[] {
  let fd: number;
  try {
    fd = openRegular(path);
  } catch {
    return [];
  }
  try {
    const { size } = fstatSync(fd);
    const length = Math.min(size, LAST_BYTES);
    const buffer = Buffer.alloc(length);
    readSync(fd, buffer, 0, length, size - length);
    const lines = buffer.toString('utf8').trimEnd().split('\n').slice(-LAST_LINES);
    return lines.filter((line, index) => line !== '' || index > 0).map((line) => withVisibleControls(line));
  } finally {
    closeSync(fd);
  }
}

/** The first of these files that has lines, with its last ones; undefined if none can be read or has any. */
export function firstWithLines(
  files: readonly string[],
): { readonly file: string; readonly lines: readonly string[] } | undefined {
  for (const file of files) {
    const lines = lastLines(file);
    if (lines.length > 0) return { file, lines };
  }
  return undefined;
}

/** The last state of a line with visible control characters, except tabs: a terminal would interpret them. */
export function withVisibleControls(line: string): string {
  return Array.from(lastState(line), (letter) =>
    (letter < ' ' && letter !== '\t') || letter === '\u007f' ? '�' : letter,
  ).join('');
}
