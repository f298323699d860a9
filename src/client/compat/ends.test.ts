import { expect, it } from 'vitest';
import { endedStatus } from './ends.ts';

it("the status of a job that has ended is read from the text of Torc's own server, and other texts have none", () => {
  expect(endedStatus('Job 7 is already complete with status=Failed')).toBe('failed');
  expect(endedStatus('Job 7 was not found')).toBeUndefined();
});
