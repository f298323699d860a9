import { describe, expect, it, test } from 'vitest';
import { allocationEndOf, correctedStatus, earlierRunOf } from './allocation-end.ts';

const at = (minute: number) => minute * 60_000;
/** A runner that registered that its allocation was submitted at minute 9, and began at minute 10. */
const runnerOf = (jobId: number) => ({ jobId, startedAtMs: at(10), submittedAtMs: at(9), restarts: 0 });
const running = (minute: number) => ({ state: 'running' as const, word: 'RUNNING', startedAtMs: at(minute) });
const waiting = (minute: number) => ({ state: 'queued' as const, word: 'PENDING', submittedAtMs: at(minute) });

describe('a runner in another allocation is gone', () => {
  it('a runner in another allocation is gone when the batch system says that the allocation has ended, and how', () => {
    expect(allocationEndOf({ jobId: 60 }, { state: 'ended', word: 'NODE_FAIL' })).toEqual({
      isRequeued: false,
      words: 'allocation 60 ended NODE_FAIL',
    });
  });

  it('a runner in another allocation is gone when the allocation was submitted again after the time that the runner registered', () => {
    expect(allocationEndOf(runnerOf(60), waiting(11))).toEqual({
      isRequeued: true,
      words: 'allocation 60 was requeued',
    });
  });

  it('a runner is not gone when its allocation waits since the time that the runner registered: the controller forgot the start', () => {
    expect(allocationEndOf(runnerOf(60), waiting(9))).toBeUndefined();
  });

  it('where the batch system prints no time of submission, an allocation that waits was requeued: a runner registered in it', () => {
    expect(allocationEndOf({ jobId: 60 }, { state: 'queued', word: 'PENDING' })?.words).toBe(
      'allocation 60 was requeued',
    );
  });

  it('a runner in another allocation is gone when it began after the time that the runner registered: it was requeued, or its id is that of another job now', () => {
    expect(allocationEndOf(runnerOf(60), running(12))).toEqual({
      isRequeued: true,
      words: 'allocation 60 has started again',
    });
  });

  it('a runner in another allocation is not gone when the allocation began at the time that the runner registered', () => {
    expect(allocationEndOf(runnerOf(60), running(10))).toBeUndefined();
  });

  it.each([
    ['runs since some time', running(12)],
    ['waits since some time', waiting(12)],
  ])('a runner that registered no times is not gone because its allocation %s', (_, known) => {
    expect(allocationEndOf({ jobId: 60 }, known)).toBeUndefined();
    expect(allocationEndOf({ jobId: 60, restarts: 0 }, known)).toBeUndefined();
  });

  test.each([
    [{ state: 'running', word: 'RUNNING' }],
    [{ state: 'queued', word: 'PENDING' }],
    [{ state: 'unknown', word: 'NEW_WORD' }],
    [undefined],
  ] as const)('a runner that registered its times is not gone when the batch system says %j', (known) => {
    expect(allocationEndOf(runnerOf(60), known)).toBeUndefined();
  });
});

describe('a runner in the own allocation is gone', () => {
  const own = { jobId: 7, restarts: 1 };

  it('a runner in the own allocation is gone when the allocation was requeued more often since', () => {
    expect(earlierRunOf(runnerOf(7), own)?.words).toBe('allocation 7 was requeued');
  });

  it('a runner in the own allocation is not gone when it is of the same run, of a later one, or of one that is not known', () => {
    expect(earlierRunOf({ ...runnerOf(7), restarts: 1 }, own)).toBeUndefined();
    expect(earlierRunOf({ ...runnerOf(7), restarts: 2 }, own)).toBeUndefined();
    expect(earlierRunOf({ jobId: 7, startedAtMs: at(1) }, own)).toBeUndefined();
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
