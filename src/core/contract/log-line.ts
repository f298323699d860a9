import { printableLine } from './printable.ts';

/** How loud a line is. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

const levels: readonly LogLevel[] = ['debug', 'info', 'warn', 'error'];

/** Is a line of this level written by a log that starts at `least`? */
export const isLoudEnough = (level: LogLevel, least: LogLevel) => levels.indexOf(level) >= levels.indexOf(least);

/** The level that a person or an environment variable names; anything unknown is info. */
export function logLevelOf(text: string | undefined): LogLevel {
  const name = (text ?? 'info').toLowerCase();
  if (name === 'warning') return 'warn';
  if (name === 'trace') return 'debug';
  return levels.find((level) => level === name) ?? 'info';
}

/**
 * One line of a log: time (RFC 3339), level, words, then `key=value`. Tools search these lines, so the words and keys are public.
 *
 * Values with blanks, quotes, line breaks or control characters are quoted as JSON; fields without a value are left out. A log is
 * read on terminals: no control character of a name gets there.
 */
export function logLine(level: LogLevel, words: string, fields: Readonly<Record<string, unknown>>, at: string): string {
  const told = Object.entries(fields).flatMap(([key, value]) =>
    value === undefined ? [] : [`${key}=${valueText(value)}`],
  );
  return printableLine([at, level.toUpperCase(), words, ...told].join(' '));
}

function valueText(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'null');
  return /[\s"=\p{Cc}]/u.test(text) && typeof value === 'string' ? JSON.stringify(text) : text;
}

/** The same line as a JSON object, in the shape that the original writes: `{"timestamp", "level", "fields": {"message", …}}`. */
export function logLineJson(
  level: LogLevel,
  words: string,
  fields: Readonly<Record<string, unknown>>,
  at: string,
): string {
  return JSON.stringify({ timestamp: at, level: level.toUpperCase(), fields: { message: words, ...fields } });
}
