import { closeSync, fstatSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { isLoudEnough, logLine, logLineJson, type LogLevel } from '../core/contract/log-line.ts';

/** Where the server says what it does. */
export interface Log {
  write(level: LogLevel, words: string, fields?: Readonly<Record<string, unknown>>): void;
  close(): void;
}

export interface LogOptions {
  /** Folder for `torc-server.log`; without one, lines go to `say`. */
  readonly folder: string | undefined;
  readonly isJson: boolean;
  readonly least: LogLevel;
  readonly now: () => number;
  /** Takes lines for which there is no file, and hears, once, that a file cannot be written. */
  readonly say: (line: string) => void;
}

const FILE = 'torc-server.log';
/** At this size a file is put aside, as the original does. */
const ROTATE_BYTES = 10 * 2 ** 20;
/** The file that is written and the older ones: `torc-server.log.1` is the youngest of these. */
const FILES = 5;

/** Opens the server's log. Throws when its folder or file cannot be made; later on nothing about a log stops a server. */
export function openLog({ folder, isJson, least, now, say }: LogOptions): Log {
  const file = folder === undefined ? undefined : openFile(folder, say);
  const lineOf = isJson ? logLineJson : logLine;
  return {
    write(level, words, fields = {}) {
      if (!isLoudEnough(level, least)) return;
      const line = lineOf(level, words, fields, new Date(now()).toISOString());
      if (file === undefined) say(line);
      else file.append(`${line}\n`);
    },
    close: () => file?.close(),
  };
}

function openFile(folder: string, say: (line: string) => void) {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, FILE);
  let fd = openSync(path, 'a');
  let bytes = fstatSync(fd).size;
  let isFailing = false;
  let isTorn = false;

  const rotate = () => {
    for (let age = FILES - 1; age >= 1; age -= 1) {
      try {
        renameSync(age === 1 ? path : `${path}.${age - 1}`, `${path}.${age}`);
      } catch {
        // Not there yet; or it cannot be moved, and then the file goes on growing.
      }
    }
    const fresh = openSync(path, 'a');
    closeSync(fd);
    fd = fresh;
    bytes = fstatSync(fd).size;
  };

  return {
    // Written at once, so that the last words before an end are there: a line costs 5 to 10 µs.
    append(line: string): void {
      try {
        if (bytes > 0 && bytes + line.length > ROTATE_BYTES) rotate();
        const text = Buffer.from(isTorn ? `\n${line}` : line);
        const written = writeSync(fd, text);
        bytes += written;
        // A disk that fills up takes a part of a line: the next one must not continue it.
        isTorn = written < text.length;
        isFailing = false;
      } catch (error) {
        if (!isFailing) say(`cannot write ${path}: ${(error as Error).message}; the server goes on without its log`);
        isFailing = true;
      }
    },
    close: () => closeSync(fd),
  };
}
