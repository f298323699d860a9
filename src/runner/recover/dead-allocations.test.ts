import { describe, expect, it, test } from 'vitest';
import { reasonGone, ownAllocationOf } from './dead-allocations.ts';

const at = (minute: number) => new Date(minute * 60_000).toISOString();
const node = { start_time: at(10) };
const own = { jobId: '7', restarts: 0, startedAtMs: undefined };

describe('a runner in another allocation is gone', () => {
  it('a runner in another allocation is gone when Slurm says that the allocation has ended, and how', () => {
    expect(reasonGone(node, '60', { state: 'ended', word: 'NODE_FAIL' }, own)).toBe('allocation 60 ended NODE_FAIL');
  });

  it('a runner in another allocation is gone when the allocation waits, because a runner registered in it: it was requeued', () => {
    expect(reasonGone(node, '60', { state: 'queued', word: 'PENDING' }, undefined)).toBe('allocation 60 was requeued');
  });

  it('a runner that registered after its allocation was requeued is not gone, although the controller says that it waits', () => {
    const waiting = (minute: number) => ({ state: 'queued', word: 'PENDING', submittedAtMs: Date.parse(at(minute)) });
    expect(reasonGone({ start_time: at(12) }, '60', waiting(11), undefined)).toBeUndefined();
    expect(reasonGone({ start_time: at(12) }, '60', waiting(13), undefined)).toBe('allocation 60 was requeued');
  });

  it('a runner in another allocation is gone when that began after it registered: it was requeued, or its id is that of another job now', () => {
    const later = { state: 'running', word: 'RUNNING', startedAtMs: Date.parse(at(12)) };
    expect(reasonGone(node, '60', later, own)).toBe('allocation 60 has started again');
  });

  it('a runner in another allocation is not gone when that began before it registered, by clocks that differ a little', () => {
    const before = { state: 'running', word: 'RUNNING', startedAtMs: Date.parse(at(10)) + 30_000 };
    expect(reasonGone(node, '60', before, own)).toBeUndefined();
  });

  test.each([[{ state: 'running', word: 'RUNNING' }], [{ state: 'unknown', word: 'NEW_WORD' }], [undefined]])(
    'but not when Slurm says %j',
    (known) => {
      expect(reasonGone(node, '60', known, own)).toBeUndefined();
    },
  );
});

describe('a runner in the own allocation is gone', () => {
  const requeued = { ...own, restarts: 1, startedAtMs: 11 * 60_000 };

  it('a runner in the own allocation is gone when it registered before Slurm started the allocation again', () => {
    expect(reasonGone(node, '7', { state: 'running', word: 'RUNNING' }, requeued)).toBe('allocation 7 was requeued');
  });

  it('a runner in the own allocation is gone but not when it registered afterwards, when the start is unknown, or without a requeue', () => {
    expect(reasonGone({ start_time: at(12) }, '7', undefined, requeued)).toBeUndefined();
    expect(reasonGone(node, '7', undefined, { ...requeued, startedAtMs: undefined })).toBeUndefined();
    expect(reasonGone(node, '7', { state: 'running', word: 'RUNNING' }, own)).toBeUndefined();
  });
});

it('Slurm is asked for the start of the own allocation only after a requeue', async () => {
  const asked: number[] = [];
  const slurm = {
    startOf: async (jobId: number) => {
      asked.push(jobId);
      return 5;
    },
  };
  expect(await ownAllocationOf(undefined, slurm)).toBeUndefined();
  expect(await ownAllocationOf({ jobId: 7, restarts: 0 }, slurm)).toEqual(own);
  expect(asked).toEqual([]);
  const again = await ownAllocationOf({ jobId: 7, restarts: 2 }, slurm);
  expect(again).toEqual({ jobId: '7', restarts: 2, startedAtMs: 5 });
});
