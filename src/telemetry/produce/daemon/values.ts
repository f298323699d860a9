/** Readers of values of a configuration. Each throws an error whose message says what was expected and found. */

const expected = (what: string, found: string): Error => new Error(`expected ${what}, found "${found}"`);

export function textValue(value: string): string {
  return value;
}

export function flagValue(value: string): boolean {
  if (value !== 'true' && value !== 'false') throw expected('true or false', value);
  return value === 'true';
}

export const oneOf =
  <const Words extends readonly string[]>(...words: Words) =>
  (value: string): Words[number] => {
    if (!words.includes(value)) throw expected(words.join(' or '), value);
    return value;
  };

const SECONDS: Readonly<Record<string, number>> = { h: 3600, m: 60, s: 1 };

/** Seconds of `2h`, `30m` or `45s`. */
export function duration(value: string): number {
  const [, digits = '', unit = ''] = /^(\d+)([hms])$/.exec(value) ?? [];
  const seconds = Number(digits) * (SECONDS[unit] ?? Number.NaN);
  if (digits === '' || !Number.isSafeInteger(seconds)) throw expected('a duration such as 2h, 30m or 45s', value);
  return seconds;
}

/** Seconds of a duration that divides the minute, the hour or the day, or is several days: so samples stand on the clock. */
export function cadence(value: string): number {
  const seconds = duration(value);
  const [unit, whole] = value.endsWith('s') ? [1, 60] : value.endsWith('m') ? [60, 3600] : [3600, 86_400];
  const isGiven = seconds > 0 && (whole % seconds === 0 || (unit === 3600 && seconds % whole === 0));
  if (!isGiven)
    throw expected('seconds or minutes that divide 60, or hours that divide 24 or are a multiple of it', value);
  return seconds;
}

export function countValue(value: string): number {
  const number = Number(value);
  if (!/^\d+$/.test(value) || !Number.isSafeInteger(number) || number < 1)
    throw expected('a whole number of 1 or more', value);
  return number;
}

/** An absolute path; empty switches the program off. */
export function program(value: string): string {
  if (value !== '' && !value.startsWith('/')) throw expected('an absolute path, or "" for no program', value);
  return value;
}

export function url(value: string): string {
  if (!/^https?:\/\/[^/\s]+/.test(value) || !URL.canParse(value))
    throw expected('a URL such as https://host:8080/api', value);
  return value;
}

/** `host:port`. */
export function address(value: string): string {
  if (!/^[^\s:/]+:\d{1,5}$/.test(value)) throw expected('an address such as broker.example.org:9092', value);
  return value;
}
