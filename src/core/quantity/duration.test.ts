import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatDuration, formatRuntime, parseDuration } from './duration.ts';

test.each([
  ['PT30M', 1800],
  ['PT2H30M', 9000],
  ['P0DT1M', 60],
  ['P0DT48H', 172_800],
  ['P1DT12H', 129_600],
  ['P1M', 2_629_800],
  ['P1Y', 31_557_600],
  ['P1W', 604_800],
  ['PT1H0.9S', 3600],
  ['PT1,5S', 1],
  ['PT0S', 0],
  ['  PT1H  ', 3600],
])('%s is %d seconds', (text, seconds) => expect(parseDuration(text)).toBe(seconds));

test.each(['P', '1h', '3600', 'p1d', 'P0.5D', 'P1.5W', 'P1H'])('"%s" is refused as a duration', (text) => {
  expect(() => parseDuration(text)).toThrow(expect.objectContaining({ code: 'DURATION_MALFORMED' }));
  expect(() => parseDuration(text)).toThrow('Invalid ISO 8601 duration format: ');
});

test.each(['', '   '])('an empty duration "%s" is refused with its own message', (text) =>
  expect(() => parseDuration(text)).toThrow('Duration string cannot be empty'),
);

test.each(['PT', 'PT0.5H', 'PT1.5M', 'PT-5M', 'PT1D', 'PT9999999999S'])(
  '"%s" is refused where Torc reads 0 seconds',
  (text) => expect(() => parseDuration(text)).toThrow(expect.objectContaining({ code: 'DURATION_MALFORMED' })),
);

test.each(['PT1S1H', 'PT1Hjunk', 'PT1H30', 'P1W2D', 'P1Y1W'])(
  '"%s" is refused where Torc ignores the text after the first part',
  (text) => expect(() => parseDuration(text)).toThrow(expect.objectContaining({ code: 'DURATION_MALFORMED' })),
);

test.each([
  [5400, 'PT1H30M'],
  [90_061, 'P1DT1H1M1S'],
  [86_400, 'P1D'],
  [0, 'PT0S'],
])('%d seconds are printed as %s', (seconds, text) => expect(formatDuration(seconds)).toBe(text));

test('a printed duration parses back to the same seconds', () => {
  fc.assert(fc.property(fc.nat(), (seconds) => parseDuration(formatDuration(seconds)) === seconds));
});

test.each([
  [9000, 'PT2H30M'],
  [7200, 'PT2H'],
  [900, 'PT15M'],
  [30, 'PT1M'],
  [61, 'PT2M'],
  [172_800, 'PT48H'],
])('a runtime of %d seconds is requested as %s', (seconds, text) => expect(formatRuntime(seconds)).toBe(text));

test('a requested runtime is never shorter than needed, and less than a minute longer', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 10 ** 8 }), (seconds) => {
      const asked = parseDuration(formatRuntime(seconds));
      expect(asked).toBeGreaterThanOrEqual(seconds);
      expect(asked).toBeLessThan(seconds + 60);
    }),
  );
});
