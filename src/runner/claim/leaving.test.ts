import { expect, it } from 'vitest';
import { type ReportedCounts, leavingOf } from './leaving.ts';

const NONE = { ready: 0, pending: 0, running: 0, blocked: 0, uninitialized: 0, pending_failed: 0 };
const counts = (over: Partial<ReportedCounts>) => ({ ...NONE, ...over }) as ReportedCounts;

it('an idle runner exits after its idle time while jobs are ready or run elsewhere, and never without an idle time', () => {
  const left = counts({ ready: 2, running: 1, pending: 3 });
  expect(leavingOf(left, { idleMs: 60_000, stuckMs: 0 })).toEqual({
    ending: 'idle',
    reason: 'no job for 60 s that this runner could take: 2 ready, 4 elsewhere',
    afterMs: 60_000,
  });
  expect(leavingOf(left, { idleMs: 0, stuckMs: 0 })).toBeUndefined();
});

it('a runner leaves jobs that cannot start at once, or after a while where the server releases them later', () => {
  const left = counts({ blocked: 2, pending_failed: 1, uninitialized: 3 });
  const stuck = {
    ending: 'stuck',
    reason:
      'no job that is left can start, and no running job can change that: 2 blocked, 1 waiting for a decision, 3 uninitialized',
  };
  expect(leavingOf(left, { idleMs: 0, stuckMs: 0 })).toEqual({ ...stuck, afterMs: 'at once' });
  expect(leavingOf(left, { idleMs: 60_000, stuckMs: 5_000 })).toEqual({ ...stuck, afterMs: 5_000 });
});
