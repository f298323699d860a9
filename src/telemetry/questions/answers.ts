import { formatTimestamp } from '../../core/contract/sonar/timestamp.ts';

/**
 * An answer as data for programs: names in lower case with underscores, times as timestamps in UTC, numbers with at most
 * three decimals. The command line and the routes give the same.
 */
export function asData(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(asData);
  if (typeof value === 'bigint') return exactNumber(value);
  if (typeof value === 'number') return Number.isInteger(value) ? value : Math.round(value * 1000) / 1000;
  if (typeof value !== 'object' || value === null) return value ?? null;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      TIMES.has(name) && typeof each === 'number' ? formatTimestamp(each) : asData(each),
    ]),
  );
}

const TIMES = new Set(['time', 'first', 'last', 'from', 'until', 'sampled', 'newest']);

/** A number of JSON with all its digits. */
const exactNumber = (value: bigint): unknown =>
  (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(String(value));
