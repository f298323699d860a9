import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { deadlineOf, scriptsEndAt } from './deadline.ts';

const HOUR_MS = 3_600_000;

describe('a runner with a time limit', () => {
  it('a runner signals its jobs the lead time before it kills them, and kills them the headroom before its end', () => {
    expect(deadlineOf(0, HOUR_MS, 60, 30)).toEqual({
      askAtMs: HOUR_MS - 90_000,
      killAtMs: HOUR_MS - 60_000,
      abandonAtMs: HOUR_MS - 30_000,
      endAtMs: HOUR_MS,
    });
  });

  it('a short run shortens lead time and headroom in proportion to half of the run', () => {
    expect(deadlineOf(0, 90_000, 60, 30)).toEqual({
      askAtMs: 45_000,
      killAtMs: 60_000,
      abandonAtMs: 75_000,
      endAtMs: 90_000,
    });
  });

  // Seconds before the end, of a run of an hour.
  it.each([
    [60, 30, [90, 60, 30]],
    [0, 0, [0, 0, 0]],
    [60, 0, [60, 60, 30]],
    [0, 30, [30, 0, 0]],
    [90, 60, [150, 90, 45]],
    [300, 120, [420, 300, 150]],
  ])(
    'with a headroom of %i s and a lead of %i s the runner signals, kills and gives up %j s before its end',
    (headroom, lead, expected) => {
      const { askAtMs, killAtMs, abandonAtMs } = deadlineOf(0, HOUR_MS, headroom, lead);
      expect([askAtMs, killAtMs, abandonAtMs].map((at) => (HOUR_MS - at) / 1000)).toEqual(expected);
    },
  );

  it.each([
    ['of exactly twice lead time and headroom', 180_000, 90_000],
    ['of slightly less than that', 178_000, 89_000],
  ])('a run %s leaves half of its time to the jobs', (_, endAtMs, askAtMs) => {
    expect(deadlineOf(0, endAtMs, 60, 30).askAtMs).toBeCloseTo(askAtMs);
  });

  it('a runner whose end has passed before it starts ends everything at once', () => {
    const atOnce = { askAtMs: 1_000, killAtMs: 1_000, abandonAtMs: 1_000, endAtMs: 1_000 };
    expect(deadlineOf(5_000, 1_000, 60, 30)).toEqual(atOnce);
  });

  it('for any figures, jobs run for at least half of the time, then are signaled, then killed, before the runner ends', () => {
    const anySeconds = fc.nat(100_000);
    fc.assert(
      fc.property(fc.nat(1e9), fc.nat(1e9), anySeconds, anySeconds, (startMs, lengthMs, headroom, lead) => {
        const { askAtMs, killAtMs, abandonAtMs, endAtMs } = deadlineOf(startMs, startMs + lengthMs, headroom, lead);
        expect(askAtMs - startMs).toBeGreaterThanOrEqual(lengthMs / 2 - 1);
        expect(askAtMs).toBeLessThanOrEqual(killAtMs);
        expect(killAtMs).toBeLessThanOrEqual(abandonAtMs);
        expect(abandonAtMs).toBeLessThanOrEqual(endAtMs);
      }),
    );
  });
});

test("scripts of the runner end by halfway between the last job and the runner's end", () => {
  expect(scriptsEndAt(deadlineOf(0, 1_000_000, 60, 30))).toBe(970_000);
});
