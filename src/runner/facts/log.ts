import { closeSync, openSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeFolder } from '../../cluster/make-folder.ts';
import { OPEN } from '../../cluster/trust.ts';
import { isLoudEnough, type LogLevel, logLine } from '../../core/contract/log-line.ts';

/** Writes lines to a file. They are buffered: a write for each line would be noticeable at a thousand jobs a second. */
export interface Log {
  write(level: LogLevel, words: string, fields?: Readonly<Record<string, unknown>>): void;
  close(): void;
}

const FLUSH_MS = 200;
const FLUSH_LENGTH = 64 * 1024;

/** The log in a file at `path`; `echo` also gets warnings and errors. */
export function openLog(path: string, least: LogLevel, now: () => number, echo: (line: string) => void): Log {
  makeFolder(dirname(path));
  const fd = openSync(path, OPEN.append);
  let gathered: string[] = [];
  let length = 0;
  let isFull = false;
  let timer: NodeJS.Timeout | undefined;
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    if (length === 0) return;
    const text = Buffer.from(`${gathered.join('\n')}\n`);
    gathered = [];
    length = 0;
    try {
      // A disk that fills up writes a part and reports the error only for the next write.
      for (let at = 0; at < text.length;) at += writeSync(fd, text, at);
      isFull = false;
    } catch (error) {
      // A full disk must not end the jobs: their results are reported to the server. Reported once, not five times a
      // second.
      if (!isFull) echo(`cannot write the runner's log ${path}: ${(error as Error).message}; lines are lost`);
      isFull = true;
    }
  };
  return {
    write(level, words, fields = {}) {
      if (!isLoudEnough(level, least)) return;
      const line = logLine(level, words, fields, new Date(now()).toISOString());
      gathered.push(line);
      length += line.length + 1;
      if (isLoudEnough(level, 'warn')) echo(`${level}: ${words}${fieldsText(fields)}`);
      if (length >= FLUSH_LENGTH) flush();
      else timer ??= setTimeout(flush, FLUSH_MS).unref();
    },
    close() {
      flush();
      closeSync(fd);
    },
  };
}

function fieldsText(fields: Readonly<Record<string, unknown>>): string {
  const reported = Object.entries(fields).filter(([, value]) => value !== undefined);
  return reported.length === 0 ? '' : ` (${reported.map(([key, value]) => `${key}=${String(value)}`).join(' ')})`;
}
