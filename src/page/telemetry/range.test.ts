import { describe, expect, it } from 'vitest';
import { rangeParameters, rangeOf, shiftedRange, sampleStepSeconds } from './range.ts';

const NOW = Date.parse('2026-03-10T12:00:00Z');
const DAY = 86_400_000;
const of = (query: string) => rangeOf(new URLSearchParams(query), NOW);

describe('the time of a view of telemetry', () => {
  it('an address without a time shows the last day, and one with a length that length', () => {
    expect(of('')).toEqual({ fromMs: NOW - DAY, untilMs: NOW, span: '24h' });
    expect(of('span=7d')).toEqual({ fromMs: NOW - 7 * DAY, untilMs: NOW, span: '7d' });
  });

  it('an address with two times shows what is between them, and does not go on', () => {
    const range = of('from=2026-03-01T00:00:00Z&to=2026-03-02T00:00:00Z&span=7d');
    expect(rangeParameters(range)).toEqual({ from: '2026-03-01T00:00:00Z', to: '2026-03-02T00:00:00Z' });
    expect(range.span).toBeUndefined();
  });

  it.each([
    'span=forever',
    'span=toString',
    'from=then&to=now',
    'from=2026-03-02T00:00:00Z&to=2026-03-01T00:00:00Z',
    'from=2026-03-02T00:00:00Z',
  ])('"%s" is the last day, like an address without a time', (query) => expect(of(query)).toEqual(of('')));

  it('earlier and later keep the length, and nothing is later than now', () => {
    const day = of('');
    expect(shiftedRange(day, -1, NOW)).toEqual({ fromMs: NOW - 2 * DAY, untilMs: NOW - DAY });
    expect(shiftedRange(day, 1, NOW)).toEqual({ fromMs: NOW - DAY, untilMs: NOW });
  });

  it('a week is shown by the hour, and a longer time in steps that are wide enough to see', () => {
    const lengths = [3600, 7200, 14_400, 43_200];
    expect(sampleStepSeconds(of('span=7d'), lengths)).toBe(3600);
    expect(sampleStepSeconds(of('span=30d'), lengths)).toBe(14_400);
    expect(sampleStepSeconds(of('from=2020-01-01T00:00:00Z&to=2026-01-01T00:00:00Z'), lengths)).toBe(13 * 86_400);
  });
});
