import { Refusal } from '../contract/refusals.ts';

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Seconds of each part, in the order of `DURATION`'s groups. A year has 365.25 days and a month a twelfth of that. */
const PARTS = [365.25 * DAY, 30.4375 * DAY, 7 * DAY, DAY, HOUR, MINUTE, 1];

const DURATION = /^P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:[.,]\d+)?S)?)?$/;

// Too small, and a real campaign is refused; too big, and a typing error books a node for ever and overflows Slurm's
// 32-bit minutes. No job runs for a century.
const LONGEST_SECONDS = 100 * 365.25 * DAY;

/**
 * Seconds of an ISO 8601 duration such as `PT30M`, `P1DT12H` or `P2W`.
 *
 * Unit: whole seconds; a fraction of a second is dropped.
 * Shape: `P[nY][nM][nW][nD][T[nH][nM][nS]]` with at least one part, each a whole number; weeks cannot be combined with
 * other parts.
 * Throws: `DURATION_MALFORMED`. Torc reads `PT`, `PT0.5H` and `PT-5M` as 0 s and ignores the text after the part that
 * it understands (`PT1Hjunk`). Refusing is better than running a job with a limit that the user did not write.
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

/** The ISO 8601 duration of a number of seconds: 5400 becomes `PT1H30M`, 90061 `P1DT1H1M1S`. */
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
 * A runtime for resource requirements, in hours and whole minutes, rounded up: 30 s become `PT1M`, 9000 s `PT2H30M`.
 *
 * Corrections of resource requirements use it: days are written as hours, as in Torc.
 */
export function formatRuntime(seconds: number): string {
  const minutes = Math.max(1, Math.ceil(seconds / MINUTE));
  const hours = Math.floor(minutes / 60);
  const rest = minutes % 60;
  return `PT${hours === 0 ? '' : `${hours}H`}${rest === 0 ? '' : `${rest}M`}`;
}

const malformed = (message: string, text: string): Refusal => new Refusal('DURATION_MALFORMED', message, { text });
