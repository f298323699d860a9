import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseStepUses } from './sstat.ts';

it('the lines of sstat are read by step; those of other kinds and those without figures are passed over', () => {
  const uses = parseStepUses('12.batch|00:00:00|1K\n12.0|00:01:30|2048576K\n12.1||\n12.2|1-00:00:01|5844K\n12.3|00:0');
  expect([...uses]).toEqual([
    ['12.0', { cpuSeconds: 90, memoryBytes: 2_048_576 * 1024 }],
    ['12.2', { cpuSeconds: 86_401, memoryBytes: 5844 * 1024 }],
  ]);
});

it('any text is read without an error', () => {
  fc.assert(fc.property(fc.string(), (text) => void [parseStepUses(text)]));
});
