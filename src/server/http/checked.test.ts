import { expect, it } from 'vitest';
import * as z from 'zod';
import { checked, checkedInSlices } from './checked.ts';

const shape = z.object({
  status: z.enum(['ready', 'done']),
  jobs: z.array(z.object({ mode: z.enum(['a', 'b']) })).optional(),
});
const refusalOf = (value: unknown): string => {
  try {
    checked(shape, value, 'PARAMETER_REFUSED', 'Refused');
    return '';
  } catch (error) {
    return (error as Error).message;
  }
};

it('a value that is none of the expected ones is named beside them', () => {
  expect(refusalOf({ status: 'bogus' })).toBe(
    'Refused: status: Invalid option: expected one of "ready"|"done", found "bogus"',
  );
  expect(refusalOf({ status: 'done', jobs: [{ mode: 'a' }, { mode: 'x'.repeat(500) }] })).toBe(
    `Refused: jobs[1].mode: Invalid option: expected one of "a"|"b", found "${'x'.repeat(60)}"`,
  );
});

it('a value of another kind, and one that is missing, are not repeated', () => {
  expect(refusalOf({ status: 7 })).not.toContain('found');
  expect(refusalOf({})).not.toContain('found');
  expect(refusalOf({ status: 'done' })).toBe('');
});

it('a wrong value far behind in a long list is named, too', async () => {
  const jobs = Array.from({ length: 200 }, (_, index) => ({ mode: index === 170 ? 'wrong' : 'a' }));
  await expect(checkedInSlices(shape, { status: 'done', jobs }, 'BODY_REFUSED', 'Refused')).rejects.toThrow(
    'jobs[170].mode: Invalid option: expected one of "a"|"b", found "wrong"',
  );
});
