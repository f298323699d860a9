/**
 * Timestamps of the format: `yyyy-mm-ddThh:mm:ss+hh:mm`, or `Z` for `+00:00`; no fraction of a second.
 *
 * Ours end in `+00:00` rather than `Z`: Python 3.10 and the importers written for it refuse `Z`.
 */
const SHAPE = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:(Z)|([+-])(\d\d):(\d\d))$/;

export interface Instant {
  /** Unix time. */
  readonly seconds: number;
  readonly offsetMinutes: number;
}

const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const isLeap = (year: number): boolean => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;

/** Days since 1970-01-01 of a date of the Gregorian calendar. */
function daysOf(year: number, month: number, day: number): number {
  const y = month <= 2 ? year - 1 : year;
  const era = Math.floor(y / 400);
  const yearOfEra = y - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  return (
    era * 146_097 + yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear - 719_468
  );
}

/**
 * The instant of a timestamp, or undefined if it is malformed.
 *
 * A date that does not exist, 24:00, a 60th second and a fraction are malformed: no two readers agree on them.
 */
export function parseTimestamp(text: string): Instant | undefined {
  const found = SHAPE.exec(text);
  if (found === null) return undefined;
  const [year, month, day, hour, minute, second] = found.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  if (month < 1 || month > 12 || hour > 23 || minute > 59 || second > 59) return undefined;
  const days = month === 2 && isLeap(year) ? 29 : (DAYS[month - 1] ?? 0);
  if (day < 1 || day > days) return undefined;
  const [sign, zoneHours, zoneMinutes] = [found[8] === '-' ? -1 : 1, Number(found[9] ?? 0), Number(found[10] ?? 0)];
  if (zoneHours > 23 || zoneMinutes > 59) return undefined;
  const offsetMinutes = sign * (zoneHours * 60 + zoneMinutes);
  return {
    seconds: daysOf(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second - offsetMinutes * 60,
    // Not -0, which no comparison of values takes for 0.
    offsetMinutes: offsetMinutes === 0 ? 0 : offsetMinutes,
  };
}

const two = (value: number): string => String(value).padStart(2, '0');

/** The timestamp of an instant, in UTC unless an offset is given: `2026-11-22T17:00:00+00:00`. */
export function formatTimestamp(seconds: number, offsetMinutes = 0): string {
  const local = Math.floor(seconds) + offsetMinutes * 60;
  const days = Math.floor(local / 86_400);
  const rest = local - days * 86_400;
  const shifted = days + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const shiftedMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const day = dayOfYear - Math.floor((153 * shiftedMonth + 2) / 5) + 1;
  const month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9;
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
  const zone = Math.abs(offsetMinutes);
  return (
    `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}` +
    `T${two(Math.floor(rest / 3600))}:${two(Math.floor(rest / 60) % 60)}:${two(rest % 60)}` +
    `${offsetMinutes < 0 ? '-' : '+'}${two(Math.floor(zone / 60))}:${two(zone % 60)}`
  );
}
