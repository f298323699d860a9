import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { temporaryFolder, torc } from '../../../tests/support/programs.ts';
import { durationOption } from './kinds.ts';
import { UsageError } from './failure.ts';

it.each([
  ['2h', 'PT2H'],
  ['10m', 'PT10M'],
  ['90s', 'PT1M30S'],
  ['1d12h', 'P1DT12H'],
  ['1h30m', 'PT1H30M'],
  [' 2H ', 'PT2H'],
  ['0s', 'PT0S'],
  ['PT2H', 'PT2H'],
  ['P2W', 'P2W'],
  ['PT90S', 'PT90S'],
])('the duration %s of an option is read as %s', (text, iso) => {
  expect(durationOption(text, '--time-limit')).toBe(iso);
});

it.each(['', '2', '02:00:00', '2 hours', '1.5h', '-2h', '30m2h', 'h', 'PT', '2hjunk', '999999999d', 'pt2h'])(
  'the duration "%s" of an option is refused with what to write, not guessed at',
  (text) => {
    expect(() => durationOption(text, '--time-limit')).toThrow(
      new UsageError(`--time-limit: expected a duration such as 2h, 10m, 90s, 1d12h or PT2H, found "${text}"`),
    );
  },
);

it('a time limit that is not understood is refused before anything is created', async () => {
  const cwd = temporaryFolder();
  const wrong = await torc(['-s', 'exec', '--time-limit', 'two hours', 'x'], { cwd });
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('expected a duration such as 2h')]);
  expect(readdirSync(cwd)).toEqual([]);
});
