import { expect, it } from 'vitest';
import type { PlainJob } from './reads.ts';
import { stillPending } from './claims.ts';

const job = (id: number, status: PlainJob['status'], attempt?: number) =>
  ({ id, status, attempt_id: attempt }) as PlainJob;
const kept = (claimed: PlainJob, now: PlainJob) => stillPending([claimed], [now]).length === 1;

it('a claimed job is kept while it is pending in the claimed attempt, also if the claim named no attempt', () => {
  expect(kept(job(1, 'pending', 2), job(1, 'pending', 2))).toBe(true);
  expect(kept(job(1, 'pending'), job(1, 'pending', 2))).toBe(true);
  expect(kept(job(1, 'pending', 1), job(1, 'pending'))).toBe(true);
});

it('a claimed job is dropped that was canceled, is in another attempt, or is gone', () => {
  expect(kept(job(1, 'pending', 2), job(1, 'canceled', 2))).toBe(false);
  expect(kept(job(1, 'pending', 2), job(1, 'pending', 3))).toBe(false);
  expect(kept(job(1, 'pending', 2), job(2, 'pending', 2))).toBe(false);
});
