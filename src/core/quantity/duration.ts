import { Refusal } from '../contract/refusals.ts';

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Seconds of each part, in the order of `DURATION`'s groups. A year has 365.25 days and a month a twelfth of that. */
const PARTS = [365.25 * DAY, 30.4375 * DAY, 7 * DAY, DAY, HOUR, MINUTE, 1];

const DURATION = /^P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:[.,]\d+)?S)?)?$/;

// Too small, and a real campaign is refused; too big, and a slip of the hand books a node for ever and overflows the
// 32-bit minutes of Slurm. Nobody runs a job for a century.
const LONGEST_SECONDS = 100 * 365.25 * DAY;

/**
 * Seconds of an ISO 8601 duration such as `PT30M`, `P1DT12H` or `P2W`.
 *
 * Unit: whole seconds; a fraction of a second is dropped.
 * Shape: `P[nY][nM][nW][nD][T[nH][nM][nS]]` with at least one part, each a whole number; weeks stand alone.
 * Throws: `DURATION_MALFORMED`. Torc reads `PT`, `PT0.5H` and `PT-5M` as 0 s and ignores what follows the part it
 * understands (`PT1Hjunk`); a job with a limit that nobody wrote is worse than a refusal.
 */
export function parseDuration(text: string): number {
  const trimmed = text.trim();
  if (trimmed === '') throw malformed('Duration string cannot be empty', text);
  const match = DURATION.exec(trimmed);
  const parts = match?.slice(1) ?? [];
  const isEmpty = parts.every((part) => part === undefined) || trimmed.endsWith('T');
  const mixesWeeks = parts[2] !== undefined && parts.some((part, at) => part !== undefined && at !== 2);
  if (match === null || isEmpty || mixesWeeks) throw malformed(`Invalid ISO 8601 duration format: ${trimmed}`, text);
  const seconds = parts.reduce((sum, part, at) => sum + Number(part ?? 0) * (PARTS[at] ?? 0), 0);
  if (seconds > LONGEST_SECONDS) throw malformed(`Invalid ISO 8601 duration, longer than a century: ${trimmed}`, text);
  return seconds;
}

/** An ISO 8601 duration of exactly so many seconds: 5400 becomes `PT1H30M`, 90061 `P1DT1H1M1S`. */
export function formatDuration(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const days = Math.floor(whole / DAY);
  const time = [
    [Math.floor((whole % DAY) / HOUR), 'H'],
    [Math.floor((whole % HOUR) / MINUTE), 'M'],
    [whole % MINUTE, 'S'],
  ]
    .filter(([count]) => count !== 0)
    .map(([count, letter]) => `${count}${letter}`)
    .join('');
  if (days === 0) return time === '' ? 'PT0S' : `PT${time}`;
  return time === '' ? `P${days}D` : `P${days}DT${time}`;
}

/**
 * A runtime to ask for, in hours and whole minutes, rounded up: 30 s become `PT1M`, 9000 s `PT2H30M`.
 *
 * What a correction writes back into resource requirements: days are left in hours, as Torc writes them.
 */
export function formatRuntime(seconds: number): string {
  const minutes = Math.max(1, Math.ceil(seconds / MINUTE));
  const hours = Math.floor(minutes / 60);
  const rest = minutes % 60;
  return `PT${hours === 0 ? '' : `${hours}H`}${rest === 0 ? '' : `${rest}M`}`;
}

const malformed = (message: string, text: string): Refusal => new Refusal('DURATION_MALFORMED', message, { text });
