import { describe, expect, it } from 'vitest';
import { failedAtOnce, type SubmittedAllocation } from './failed-at-once.ts';

let next = 0;
const outcome = (over: Partial<SubmittedAllocation> = {}): SubmittedAllocation => ({
  recordId: (next += 1),
  state: 'ended',
  word: 'FAILED',
  seconds: 1,
  hasRunner: false,
  ...over,
});
const waits = () => outcome({ state: 'queued', word: 'PENDING', seconds: 0 });

describe('allocations that failed at once', () => {
  it('three in a row that ended within seconds without a runner are a fault, also between some that wait', () => {
    const three = [outcome(), outcome({ word: 'COMPLETED', seconds: 0 }), outcome({ seconds: 10 })];
    expect(failedAtOnce(three)).toEqual(three);
    const [first, second, third] = three as [SubmittedAllocation, SubmittedAllocation, SubmittedAllocation];
    expect(failedAtOnce([waits(), first, waits(), second, third, waits()])).toEqual(three);
  });

  it('two in a row are none, nor are three of which one had a runner, ran longer, or has an unknown time', () => {
    expect(failedAtOnce([outcome(), outcome()])).toEqual([]);
    for (const over of [{ hasRunner: true }, { seconds: 11 }, { seconds: undefined }])
      expect(failedAtOnce([outcome(), outcome(over), outcome()])).toEqual([]);
  });

  it('the last three count: a fault that was repaired is none any more', () => {
    expect(failedAtOnce([outcome(), outcome(), outcome(), outcome({ hasRunner: true, seconds: 60 })])).toEqual([]);
    const after = [outcome(), outcome(), outcome(), outcome({ state: 'running', hasRunner: true, seconds: 9 })];
    expect(failedAtOnce(after)).toEqual([]);
  });

  it('an allocation that a user canceled says nothing', () => {
    const canceled = () => outcome({ word: 'CANCELLED by 1000', seconds: 0 });
    expect(failedAtOnce([canceled(), canceled(), canceled()])).toEqual([]);
    expect(failedAtOnce([outcome(), outcome(), canceled(), outcome()])).toHaveLength(3);
  });
});
