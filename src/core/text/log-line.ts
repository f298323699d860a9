import { printableLine } from './printable.ts';

/** The severity of a log line. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

const levels: readonly LogLevel[] = ['debug', 'info', 'warn', 'error'];

/** Whether a log with the level `least` writes a line of this level. */
export const isLoudEnough = (level: LogLevel, least: LogLevel) => levels.indexOf(level) >= levels.indexOf(least);

/** The level that a user or an environment variable names; an unknown name means info. */
export function logLevelOf(text: string | undefined): LogLevel {
  const name = (text ?? 'info').toLowerCase();
  if (name === 'warning') return 'warn';
  if (name === 'trace') return 'debug';
  return levels.find((level) => level === name) ?? 'info';
}

/**
 * One log line: time (RFC 3339), level, message, then `key=value`. Tools search these lines, so the messages and keys
 * are public.
 *
 * Values with blanks, quotes, line breaks or control characters are quoted as JSON; undefined fields are left out.
 * Terminals show logs, so control characters in names are escaped.
 */
export function logLine(level: LogLevel, words: string, fields: Readonly<Record<string, unknown>>, at: string): string {
  let line = `${at} ${level.toUpperCase()} ${words}`;
  // Two lines of each job are written here: no list in between.
  for (const key in fields) {
    const value = fields[key];
    if (value !== undefined) line += ` ${key}=${valueText(value)}`;
  }
  return printableLine(line);
}

function valueText(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value) ?? 'null';
  return /[\s"=\p{Cc}]/u.test(value) ? JSON.stringify(value) : value;
}

/**
 * The same line as a JSON object, in the form that Torc 1.0.0 writes: `{"timestamp", "level", "fields": {"message",
 * …}}`.
 */
export function logLineJson(
  level: LogLevel,
  words: string,
  fields: Readonly<Record<string, unknown>>,
  at: string,
): string {
  return JSON.stringify({ timestamp: at, level: level.toUpperCase(), fields: { message: words, ...fields } });
}
