import { timesIn } from '../query.ts';

/** The time that a view of telemetry shows, as it stands in the address: a length up to now, or two times. */
export interface Range {
  /** Unix milliseconds. */
  readonly fromMs: number;
  readonly untilMs: number;
  /** The length, where the range ends now: such a view goes on. */
  readonly span: SpanName | undefined;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const SPANS = { '24h': DAY_MS, '3d': 3 * DAY_MS, '7d': 7 * DAY_MS, '30d': 30 * DAY_MS } as const;
export type SpanName = keyof typeof SPANS;
const spans = Object.keys(SPANS) as SpanName[];
export const spanWords: Readonly<Record<SpanName, string>> = {
  '24h': '24 hours',
  '3d': '3 days',
  '7d': '7 days',
  '30d': '30 days',
};

/** The range of an address. What cannot be read is the last day. */
export function rangeOf(query: URLSearchParams, nowMs: number): Range {
  const given = timesIn(query);
  if (given !== undefined) return { ...given, span: undefined };
  const span = spans.find((each) => each === query.get('span')) ?? '24h';
  return { fromMs: nowMs - SPANS[span], untilMs: nowMs, span };
}

/** The same length, `times` lengths later; one that would end after now ends now. */
export function shiftedRange(
  { fromMs, untilMs }: Range,
  times: number,
  nowMs: number,
): { fromMs: number; untilMs: number } {
  const length = untilMs - fromMs;
  const until = Math.min(nowMs, untilMs + times * length);
  return { fromMs: until - length, untilMs: until };
}

export const rangeParameters = ({ fromMs, untilMs }: Pick<Range, 'fromMs' | 'untilMs'>) => ({
  from: timestamp(fromMs),
  to: timestamp(untilMs),
});

/** A time as the service reads it, in UTC, without milliseconds. */
const timestamp = (ms: number): string => new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');

/** Columns of a heat map, or points of a series: more are too narrow to see. */
const MOST_STEPS = 180;

/** The shortest of these lengths, in seconds, with which a range has few steps. */
export function sampleStepSeconds({ fromMs, untilMs }: Range, lengths: readonly number[]): number {
  const seconds = (untilMs - fromMs) / 1000;
  return lengths.find((each) => seconds / each <= MOST_STEPS) ?? Math.ceil(seconds / MOST_STEPS / 86_400) * 86_400;
}
