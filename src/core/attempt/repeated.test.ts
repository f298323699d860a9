import { expect, it } from 'vitest';
import type { CauseCode } from '../contract/cause-code.ts';
import { countRepeated, repeatedWords } from './repeated.ts';

const said = (...ends: readonly (readonly [times: number, code: number, cause?: CauseCode])[]) => {
  const counts = new Map<string, number>();
  for (const [times, code, cause] of ends)
    for (let each = 0; each < times; each += 1) countRepeated(counts, { return_code: code, cause_code: cause });
  return repeatedWords(counts);
};

it('repeated attempts are counted by exit code or cause, the most frequent first', () => {
  expect(said([2, 137, 'memory'], [12, 75, 'exit'])).toBe(
    '14 attempts were repeated: 12 exit code 75, 2 out of memory',
  );
  expect(said([1, 139, 'crash'], [1, 127, 'not_found'], [1, 152, 'time'])).toBe(
    '3 attempts were repeated: 1 SIGSEGV, 1 exit code 127, 1 out of time',
  );
});

it('of one kind there is one number, an end without a cause is counted by its exit code, and no attempt with no line', () => {
  expect(said([4, 75, 'exit'])).toBe('4 attempts were repeated: exit code 75');
  expect(said([1, 3])).toBe('1 attempt was repeated: exit code 3');
  expect(said()).toBeUndefined();
});

it('of many kinds the most frequent are named, and the others are counted', () => {
  expect(said([3, 1, 'exit'], ...[2, 3, 4, 5, 6, 7].map((code) => [1, code, 'exit'] as const))).toBe(
    '9 attempts were repeated: 3 exit code 1, 1 exit code 2, 1 exit code 3, 1 exit code 4, 1 exit code 5, 2 for other reasons',
  );
});
