import { describe, expect, it, test } from 'vitest';
import { allocationEndOf, correctedStatus, earlierRunOf } from './allocation-end.ts';

const at = (minute: number) => minute * 60_000;
const runnerOf = (jobId: number, minute = 10) => ({ jobId, registeredAtMs: at(minute) });
const own = { jobId: 7, restarts: 0, startedAtMs: undefined };

describe('a runner in another allocation is gone', () => {
  it('a runner in another allocation is gone when the batch system says that the allocation has ended, and how', () => {
    expect(allocationEndOf(runnerOf(60), { state: 'ended', word: 'NODE_FAIL' })).toEqual({
      isRequeued: false,
      words: 'allocation 60 ended NODE_FAIL',
    });
  });

  it('a runner in another allocation is gone when the allocation waits, because a runner registered in it: it was requeued', () => {
    expect(allocationEndOf(runnerOf(60), { state: 'queued', word: 'PENDING' })).toEqual({
      isRequeued: true,
      words: 'allocation 60 was requeued',
    });
  });

  it('a runner that registered after its allocation was requeued is not gone, although the controller says that it waits', () => {
    const waiting = (minute: number) => ({ state: 'queued' as const, word: 'PENDING', submittedAtMs: at(minute) });
    expect(allocationEndOf(runnerOf(60, 12), waiting(11))).toBeUndefined();
    expect(allocationEndOf(runnerOf(60, 12), waiting(13))?.words).toBe('allocation 60 was requeued');
  });

  it('a runner in another allocation is gone when that began after it registered: it was requeued, or its id is that of another job now', () => {
    const later = { state: 'running' as const, word: 'RUNNING', startedAtMs: at(12) };
    expect(allocationEndOf(runnerOf(60), later)).toEqual({
      isRequeued: true,
      words: 'allocation 60 has started again',
    });
  });

  it('a runner in another allocation is not gone when that began before it registered, by clocks that differ a little', () => {
    const before = { state: 'running' as const, word: 'RUNNING', startedAtMs: at(10) + 30_000 };
    expect(allocationEndOf(runnerOf(60), before)).toBeUndefined();
  });

  test.each([[{ state: 'running', word: 'RUNNING' }], [{ state: 'unknown', word: 'NEW_WORD' }], [undefined]] as const)(
    'a runner in another allocation is not gone when the batch system says %j',
    (known) => {
      expect(allocationEndOf(runnerOf(60), known)).toBeUndefined();
    },
  );
});

describe('a runner in the own allocation is gone', () => {
  const requeued = { ...own, restarts: 1, startedAtMs: 11 * 60_000 };

  it('a runner in the own allocation is gone when it registered before the allocation was started again', () => {
    expect(earlierRunOf(runnerOf(7), requeued)?.words).toBe('allocation 7 was requeued');
  });

  it('a runner in the own allocation is not gone when it registered afterwards, when the start is unknown, or without a requeue', () => {
    expect(earlierRunOf(runnerOf(7, 12), requeued)).toBeUndefined();
    expect(earlierRunOf(runnerOf(7), { ...requeued, startedAtMs: undefined })).toBeUndefined();
    expect(earlierRunOf(runnerOf(7), own)).toBeUndefined();
  });
});

test.each([
  ['active', 'ended', 'complete'],
  ['pending', 'ended', 'complete'],
  ['complete', 'ended', undefined],
  ['canceled', 'ended', undefined],
  ['active', 'queued', 'pending'],
  ['complete', 'queued', 'pending'],
  ['pending', 'queued', undefined],
  ['canceled', 'queued', undefined],
  ['active', 'running', undefined],
  ['pending', 'running', undefined],
  ['active', 'unknown', undefined],
  ['active', undefined, undefined],
] as const)('a record that is %s becomes, when its allocation is %s: %s', (status, state, corrected) => {
  expect(correctedStatus(status, state)).toBe(corrected);
});
