import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatWalltime, parseCpuTime, parseWalltime } from './slurm-time.ts';

test.each([
  ['04:30:00', 16_200],
  ['1-00:00:00', 86_400],
  ['30:00', 1800],
  ['45', 2700],
  ['01:00', 60],
  [' 60 ', 3600],
  ['1-12', 86_400 + 12 * 60],
  ['1-2:30', 86_400 + 150],
])('a walltime of %s is %d seconds', (text, seconds) => expect(parseWalltime(text)).toBe(seconds));

test.each(['2h', '30m', '1h 30m', 'PT1H', 'abc', '', '1-', '1:2:3:4', 'UNLIMITED', '-1:00:00'])(
  '"%s" is refused as a walltime',
  (text) => expect(() => parseWalltime(text)).toThrow(expect.objectContaining({ code: 'WALLTIME_MALFORMED' })),
);

test.each([
  [3600, '01:00:00'],
  [86_399, '23:59:59'],
  [86_400, '1-00:00:00'],
  [93_600, '1-02:00:00'],
  [90_061, '1-01:01:01'],
])('%d seconds are written as %s', (seconds, text) => expect(formatWalltime(seconds)).toBe(text));

test('a written walltime parses back to the same seconds', () => {
  fc.assert(fc.property(fc.nat(), (seconds) => parseWalltime(formatWalltime(seconds)) === seconds));
});

test.each([
  ['00:01:30', 90],
  ['1-02:30:00', 95_400],
  ['00:00:01.5', 1.5],
  ['04:05.125', 245.125],
  ['', undefined],
])('a CPU time of "%s" is %s seconds', (text, seconds) => expect(parseCpuTime(text)).toBe(seconds));

test.each(['5', 'soon', '1:2:3:4'])('"%s" is refused as a CPU time', (text) =>
  expect(() => parseCpuTime(text)).toThrow(expect.objectContaining({ code: 'WALLTIME_MALFORMED' })),
);
