import { formatMemory } from '../../quantity/bytes.ts';
import { formatDuration } from '../../quantity/duration.ts';
import { formatWalltime } from '../../quantity/slurm-time.ts';

/**
 * What to write in place of a memory, a duration or a walltime that Torc does not read.
 *
 * People write `2 GB`, `5m` or `1:00:00`. Nothing is read loosely, since `5m` is 5 months to one and 5 minutes to another;
 * but the sentence contains what they probably mean, ready to be copied.
 */

export function memoryAdvice(field: string, text: string): string {
  const bytes = looseBytes(text);
  const meant = bytes === undefined ? 'such as 512m or 2g' : `here: ${exactMemory(bytes)}`;
  return `\`${field}\` must be a whole number and k, m, g or t, ${meant}; found "${text}"`;
}

export function durationAdvice(field: string, text: string): string {
  const seconds = looseSeconds(text);
  const meant = seconds === undefined ? 'such as PT5M (5 minutes) or PT2H30M' : `here: ${formatDuration(seconds)}`;
  return `\`${field}\` must be an ISO 8601 duration, ${meant}; found "${text}"`;
}

export function walltimeAdvice(field: string, text: string): string {
  const seconds = looseSeconds(text);
  const meant = seconds === undefined ? 'such as 04:00:00' : `here: ${formatWalltime(seconds)}`;
  return `\`${field}\` must be HH:MM:SS or D-HH:MM:SS, ${meant}; found "${text}"`;
}

/** Smaller than any program needs: a letter was forgotten. */
const FEWEST_BYTES = 2 ** 20;

/** Says that a memory without a letter means bytes; nothing where it may well mean them. */
export const memoryDoubt = (field: string, text: string, bytes: number): string | undefined =>
  /^\d+$/.test(text.trim()) && bytes < FEWEST_BYTES
    ? `\`${field}: ${text.trim()}\` means ${text.trim()} bytes; write ${text.trim()}m for MiB or ${text.trim()}g for GiB`
    : undefined;

/** Says that a duration means months, where minutes are far more likely. */
export function durationDoubt(field: string, text: string): string | undefined {
  const [, months] = /^P(\d+)M$/.exec(text.trim()) ?? [];
  return months === undefined
    ? undefined
    : `\`${field}: ${text.trim()}\` means ${months} ${months === '1' ? 'month' : 'months'}; write PT${months}M for minutes`;
}

const POWERS: Readonly<Record<string, number>> = { '': 0, k: 1, m: 2, g: 3, t: 4 };

/** Bytes of `2 GB`, `1.5g`, `512 MiB`. */
function looseBytes(text: string): number | undefined {
  const [, digits, letter = ''] = /^\s*(\d{1,9}(?:\.\d{1,9})?)\s*([kmgt]?)(?:i?b|bytes?)?\s*$/i.exec(text) ?? [];
  if (digits === undefined) return undefined;
  const bytes = Math.ceil(Number(digits) * 1024 ** (POWERS[letter.toLowerCase()] ?? 0));
  return bytes > 0 ? bytes : undefined;
}

/** In the largest unit in which it is whole; one that is whole in none is rounded up. */
function exactMemory(bytes: number): string {
  const [unit] = Object.entries(POWERS)
    .toReversed()
    .filter(([letter, power]) => letter !== '' && bytes % 1024 ** power === 0);
  return unit === undefined ? formatMemory(bytes) : `${bytes / 1024 ** unit[1]}${unit[0]}`;
}

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

/** Seconds of `5m`, `1h30m`, `90 min`, `1:00:00`, `1-12:00:00`, `pt5m`; nothing for a bare number, whose unit is unknown. */
function looseSeconds(text: string): number | undefined {
  const bare = text.trim().toLowerCase();
  const [, days = '0', first, second, third] = /^(?:(\d{1,4})-)?(\d{1,4}):(\d{2})(?::(\d{2}))?$/.exec(bare) ?? [];
  if (first !== undefined) {
    const clock = third === undefined ? [0, first, second] : [first, second, third];
    const [hours, minutes, seconds] = clock.map(Number) as [number, number, number];
    return Number(days) * 86_400 + hours * 3600 + minutes * 60 + seconds;
  }
  const parts = [...bare.replace(/^p(?:(\d+d))?t?/, '$1').matchAll(/(\d{1,6})\s*([a-z]+)[\s,]*/g)];
  const isWhole = parts.map(([part]) => part).join('') === bare.replace(/^p(?:(\d+d))?t?/, '$1');
  const seconds = parts.map(([, count, word = '']) => Number(count) * (SECONDS[unitOf(word) ?? ''] ?? Number.NaN));
  const sum = seconds.reduce((total, each) => total + each, 0);
  return isWhole && parts.length > 0 && sum > 0 ? sum : undefined;
}

const unitOf = (word: string): string | undefined =>
  /^(?:s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?)$/.test(word) ? word[0] : undefined;
