import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { parseDuration } from '../core/quantity/duration.ts';
import { claimLimit, deadlineOf, scriptsEndAt } from './deadline.ts';

const HOUR_MS = 3_600_000;

describe('a runner that has an end', () => {
  it('asks its jobs to end the lead before it kills them, and kills them the headroom before its end', () => {
    expect(deadlineOf(0, HOUR_MS, 60, 30)).toEqual({
      askAtMs: HOUR_MS - 90_000,
      killAtMs: HOUR_MS - 60_000,
      abandonAtMs: HOUR_MS - 30_000,
      endAtMs: HOUR_MS,
    });
  });

  it('shortens both alike when they would take more than half of a short run', () => {
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
  ])('with a headroom of %i s and a lead of %i s asks, kills and gives up %j s before', (headroom, lead, expected) => {
    const { askAtMs, killAtMs, abandonAtMs } = deadlineOf(0, HOUR_MS, headroom, lead);
    expect([askAtMs, killAtMs, abandonAtMs].map((at) => (HOUR_MS - at) / 1000)).toEqual(expected);
  });

  it.each([
    ['has just as much time as both take, twice', 180_000, 90_000],
    ['has a little less', 178_000, 89_000],
  ])('that %s leaves half of it to the jobs', (_, endAtMs, askAtMs) => {
    expect(deadlineOf(0, endAtMs, 60, 30).askAtMs).toBeCloseTo(askAtMs);
  });

  it('ends everything at once when its end has passed before it began', () => {
    const atOnce = { askAtMs: 1_000, killAtMs: 1_000, abandonAtMs: 1_000, endAtMs: 1_000 };
    expect(deadlineOf(5_000, 1_000, 60, 30)).toEqual(atOnce);
  });

  it('lets jobs run for at least half of its time, then asks, then kills, then ends, whatever the figures', () => {
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

describe('a claim is made for jobs that end in the time that is left, with two minutes of grace', () => {
  it.each([
    [-1, 'PT1M'],
    [0, 'PT1M'],
    [1, 'PT2M'],
    [59, 'PT2M'],
    [60, 'PT3M'],
    [58 * 60, 'PT1H'],
    [3_600, 'PT1H2M'],
    [24 * 3_600, 'PT24H2M'],
  ])('%i s: %s', (seconds, limit) => {
    expect(claimLimit(1_000, 1_000 + seconds * 1000)).toBe(limit);
  });

  it('so that the server reads never more than that, and at most a minute less', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 * 86_400 }), (left) => {
        const limit = parseDuration(claimLimit(0, left * 1000));
        expect(limit).toBeLessThanOrEqual(left + 120);
        expect(limit).toBeGreaterThan(left + 60);
      }),
    );
  });
});

test('what the runner itself runs must have ended halfway between the last job and its own end', () => {
  expect(scriptsEndAt(deadlineOf(0, 1_000_000, 60, 30))).toBe(970_000);
});
