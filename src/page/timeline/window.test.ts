import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clockText, parametersOf, scaled, shifted, within } from './window.ts';
import { timesIn } from '../query.ts';

const whole = { fromMs: 1000, untilMs: 101_000 };
const of = (fromMs: number, untilMs: number) => ({ fromMs, untilMs });
const places = fc.tuple(fc.integer({ min: -1e6, max: 1e6 }), fc.integer({ min: 1, max: 1e6 }));

describe('the part of a run that is shown', () => {
  it('an address says which part is shown, to the millisecond; one without, or with what is no time, shows the whole run', () => {
    const span = of(Date.parse('2026-03-01T12:00:00.250Z'), Date.parse('2026-03-01T12:00:01Z'));
    expect(parametersOf(span)).toEqual({ from: '2026-03-01T12:00:00.250Z', to: '2026-03-01T12:00:01.000Z' });
    expect(timesIn(new URLSearchParams(parametersOf(span)))).toEqual(span);
    expect(parametersOf(undefined)).toEqual({ from: '', to: '' });
    for (const query of [
      '',
      'from=then&to=now',
      'from=2026-03-01T12:00:00Z',
      'from=2026-03-02T00:00Z&to=2026-03-01T00:00Z',
    ])
      expect(timesIn(new URLSearchParams(query))).toBeUndefined();
  });

  it('whatever is chosen lies within the run and is long enough to be seen, or is the whole run', () => {
    fc.assert(
      fc.property(places, fc.integer({ min: 1, max: 200_000 }), ([fromMs, length], runMs) => {
        const run = of(0, runMs);
        const found = within(run, fromMs, fromMs + length);
        if (found === undefined) return;
        expect(found.fromMs).toBeGreaterThanOrEqual(0);
        expect(found.untilMs).toBeLessThanOrEqual(runMs);
        expect(found.untilMs - found.fromMs).toBeGreaterThanOrEqual(20);
        expect(Number.isInteger(found.fromMs)).toBe(true);
      }),
    );
  });

  it('zooming in and out leads back, and out of the whole run there is nothing', () => {
    const half = scaled(whole, whole, 0.5);
    expect(half).toEqual(of(26_000, 76_000));
    expect(scaled(half ?? whole, whole, 2)).toBeUndefined();
    expect(scaled(whole, whole, 2)).toBeUndefined();
    expect(scaled(scaled(half ?? whole, whole, 0.5) ?? whole, whole, 2)).toEqual(half);
  });

  it('earlier and later keep the length, and stop at the begin and the end of the run', () => {
    const part = of(40_000, 60_000);
    expect(shifted(part, whole, 0.5)).toEqual(of(50_000, 70_000));
    expect(shifted(part, whole, -0.5)).toEqual(of(30_000, 50_000));
    expect(shifted(part, whole, 9)).toEqual(of(81_000, 101_000));
    expect(shifted(part, whole, -9)).toEqual(of(1000, 21_000));
    expect(shifted(whole, whole, 0.5)).toBeUndefined();
  });

  it('times have milliseconds where seconds do not distinguish, and a date where a time of day does not', () => {
    const ms = new Date(2026, 2, 1, 9, 5, 7, 42).getTime();
    expect([clockText(ms, 1_000), clockText(ms, 60_000), clockText(ms, 2 * 86_400_000)]).toEqual([
      '09:05:07.042',
      '09:05:07',
      '2026-03-01 09:05:07',
    ]);
  });
});
