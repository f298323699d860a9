import { expect, it } from 'vitest';
import { isKnownEnd } from './ends.ts';

it('an end is known if the server has the job with the same status, and not with another one', () => {
  const message = 'Job 7 is already complete with status=Failed';
  expect(isKnownEnd(message, 'failed')).toBe(true);
  expect(isKnownEnd(message, 'completed')).toBe(false);
  expect(isKnownEnd('Job 7 was not found', 'failed')).toBe(false);
});
