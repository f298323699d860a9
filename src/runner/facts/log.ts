import { closeSync, openSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeFolder } from '../../cluster/make-folder.ts';
import { OPEN_FLAGS } from '../../cluster/trust.ts';
import { isLoudEnough, type LogLevel, logLine } from '../../core/text/log-line.ts';

/**
 * Writes lines to a file. They are gathered, and made into text and written together: at a thousand jobs a second one
 * after the other would take a tenth of the runner's time.
 */
export interface Log {
  write(level: LogLevel, words: string, fields?: Readonly<Record<string, unknown>>): void;
  close(): void;
}

const FLUSH_MS = 200;
/** More of them would hold the runner for more than a millisecond, and keep their memory. */
const MOST_GATHERED = 256;

/** On a terminal, the words of every command. */
const ECHOED = { warn: 'warning', error: 'Error' } as const;

/** A line that is not text yet. Its fields do not change any more. */
interface Gathered {
  readonly level: LogLevel;
  readonly words: string;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly atMs: number;
}

/** The log in a file at `path`; `echo` also gets warnings and errors. */
export function openRunnerLog(path: string, least: LogLevel, now: () => number, echo: (line: string) => void): Log {
  makeFolder(dirname(path));
  const fd = openSync(path, OPEN_FLAGS.append);
  let gathered: Gathered[] = [];
  let isFull = false;
  let timer: NodeJS.Timeout | undefined;
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    if (gathered.length === 0) return;
    const text = Buffer.from(gathered.map(lineOf).join(''));
    gathered = [];
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
      gathered.push({ level, words, fields, atMs: now() });
      if (level === 'warn' || level === 'error') echo(`${ECHOED[level]}: ${words}${fieldsText(fields)}`);
      if (gathered.length >= MOST_GATHERED) flush();
      else timer ??= setTimeout(flush, FLUSH_MS).unref();
    },
    close() {
      flush();
      closeSync(fd);
    },
  };
}

const lineOf = ({ level, words, fields, atMs }: Gathered): string =>
  `${logLine(level, words, fields, new Date(atMs).toISOString())}\n`;

function fieldsText(fields: Readonly<Record<string, unknown>>): string {
  const reported = Object.entries(fields).filter(([, value]) => value !== undefined);
  return reported.length === 0 ? '' : ` (${reported.map(([key, value]) => `${key}=${String(value)}`).join(' ')})`;
}
