import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { counted } from '../../core/quantity/count-text.ts';
import { ageSeconds, bytesText, percentText, roughText, secondsText } from './words.ts';

describe('an amount of memory', () => {
  test.each([
    [0, '0 B'],
    [1023, '1023 B'],
    [1024, '1.0 KB'],
    [1536, '1.5 KB'],
    [2 ** 20 - 1, '1.0 MB'],
    [2 ** 20, '1.0 MB'],
    [1.5 * 2 ** 30, '1.5 GB'],
    [2 ** 40, '1.0 TB'],
    [2 ** 50, '1024.0 TB'],
  ])('%d bytes are shown as %s', (bytes, text) => {
    expect(bytesText(bytes)).toBe(text);
  });

  it('an unknown amount of memory is empty', () => {
    expect([bytesText(undefined), bytesText(null)]).toEqual(['', '']);
  });

  it('an amount of memory is always below 1024 of its unit, also after rounding', () => {
    const near = fc.tuple(fc.constantFrom(10, 20, 30, 40), fc.integer({ min: -999, max: 999 }));
    const bytesNear = near.map(([power, off]) => 2 ** power + off * 2 ** Math.max(0, power - 20));
    fc.assert(
      fc.property(fc.oneof(fc.integer({ min: 0, max: 2 ** 49 }), bytesNear), (bytes) => {
        expect(Number.parseFloat(bytesText(bytes))).toBeLessThan(1024);
      }),
    );
  });
});

describe('a time', () => {
  test.each([
    [0, '0ms'],
    [0.0854, '85ms'],
    [1, '1.0s'],
    [4.24, '4.2s'],
    [60, '1m 00s'],
    [192, '3m 12s'],
    [3600, '1h 00m'],
    [7500, '2h 05m'],
    [86_400, '1d 00h'],
    [90_000 + 86_400, '2d 01h'],
  ])('%d seconds are shown as %s', (seconds, text) => {
    expect(secondsText(seconds)).toBe(text);
  });

  test.each([
    [0.9996, '1.0s'],
    [59.96, '1m 00s'],
    [3599.6, '1h 00m'],
    [86_399.6, '1d 00h'],
  ])('%d seconds, just below the next unit, are shown in that unit: %s', (seconds, text) => {
    expect(secondsText(seconds)).toBe(text);
  });

  it('an unknown or infinite time is empty', () => {
    expect([undefined, null, Number.NaN, Infinity].map((seconds) => secondsText(seconds))).toEqual(['', '', '', '']);
  });
});

describe('a count', () => {
  test.each([
    [0, '0 jobs'],
    [1, '1 job'],
    [2, '2 jobs'],
    [12_345, '12,345 jobs'],
  ])('a count of %d is shown as %s', (count, text) => {
    expect(counted(count, 'job')).toBe(text);
  });

  it('a count uses an irregular plural if there is one', () => {
    expect([counted(1, 'entry', 'entries'), counted(2, 'entry', 'entries')]).toEqual(['1 entry', '2 entries']);
  });
});

describe('a percentage', () => {
  it('a percentage has one decimal, and an unknown one is empty', () => {
    expect([percentText(49.77), percentText(100), percentText(0), percentText(null), percentText(undefined)]).toEqual([
      '49.8%',
      '100.0%',
      '0.0%',
      '',
      '',
    ]);
  });
});

test.each([
  [0, '0m'],
  [30, '<1m'],
  [2700, '45m'],
  [3600, '1h'],
  [5400, '1h 30m'],
  [86_400, '1d'],
  [262_800, '3d 1h'],
  [90_000, '1d 1h'],
  [86_460, '1d'],
])('a planned time of %d seconds is shown as %s', (seconds, text) => {
  expect(roughText(seconds)).toBe(text);
});

describe('an age', () => {
  const at = '2026-01-31T18:00:00Z';
  it('an age is the time that passed since', () => {
    expect(ageSeconds(at, Date.parse(at) + 90_500)).toBe(90.5);
  });

  it('an age by a clock that is ahead of ours is zero, and never negative', () => {
    expect(ageSeconds(at, Date.parse(at) - 3_600_000)).toBe(0);
    expect(secondsText(ageSeconds(at, Date.parse(at) - 3_600_000))).toBe('0ms');
  });

  it('a negative age is shown as zero', () => {
    expect([secondsText(-0.4), secondsText(-3600)]).toEqual(['0ms', '0ms']);
  });
});
