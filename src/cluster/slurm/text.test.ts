import { expect, test } from 'vitest';
import { parseTime } from './text.ts';

test.each([
  ['2026-11-21T16:30:00\n', Date.parse('2026-11-21T16:30:00')],
  ['NONE', undefined],
  ['N/A', undefined],
  ['', undefined],
])('the end time %j of squeue is parsed', (text, expected) => {
  expect(parseTime(text)).toBe(expected);
});
