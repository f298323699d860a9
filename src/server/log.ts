import { closeSync, fstatSync, openSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../cluster/make-folder.ts';
import { isLoudEnough, logLine, logLineJson, type LogLevel } from '../core/text/log-line.ts';

/** The server's own log. */
export interface ServerLog {
  write(level: LogLevel, words: string, fields?: Readonly<Record<string, unknown>>): void;
  close(): void;
}

export interface LogOptions {
  /** Folder for `torc-server.log`; without one, lines go to `say`. */
  readonly folder: string | undefined;
  readonly isJson: boolean;
  readonly least: LogLevel;
  readonly now: () => number;
  /** Gets lines for which there is no file, and once the message that a file cannot be written. */
  readonly say: (line: string) => void;
}

const FILE = 'torc-server.log';
/** At this size a file is rotated, as in Torc 1.0.0. */
const ROTATE_BYTES = 10 * 2 ** 20;
/** The current file and the older ones: `torc-server.log.1` is the most recent of these. */
const FILES = 5;

/**
 * Opens the server's log. Throws if its folder or file cannot be created; later errors of the log never stop a server.
 */
export function openServerLog({ folder, isJson, least, now, say }: LogOptions): ServerLog {
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
  makeFolder(folder);
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
        // It does not exist yet; or it cannot be renamed, and then the file keeps growing.
      }
    }
    const fresh = openSync(path, 'a');
    closeSync(fd);
    fd = fresh;
    bytes = fstatSync(fd).size;
  };

  return {
    // Written at once, so that the last messages before an end are there: a line costs 5 to 10 µs.
    append(line: string): void {
      try {
        if (bytes > 0 && bytes + line.length > ROTATE_BYTES) rotate();
        const text = Buffer.from(isTorn ? `\n${line}` : line);
        const written = writeSync(fd, text);
        bytes += written;
        // A disk that fills up writes a part of a line: the next line must not continue it.
        isTorn = written < text.length;
        isFailing = false;
      } catch (error) {
        if (!isFailing) say(`cannot write ${path}: ${(error as Error).message}; the server continues without its log`);
        isFailing = true;
      }
    },
    close: () => closeSync(fd),
  };
}
