import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { jobsOfId } from './slurm-job.ts';
import { nextBatch, tasksText } from './next-batch.ts';

const ids = [7, 8, 9, 12];

describe('the next submission', () => {
  it('the next submission has all that is planned, as one job array', () => {
    expect(nextBatch({ ids, room: undefined, mostTasks: 1001 })).toEqual({ ids, isArray: true });
  });

  it('the next submission has one allocation where there are no arrays, and where only one is planned or has room', () => {
    const alone = { ids: [7], isArray: false };
    expect(nextBatch({ ids, room: undefined, mostTasks: 1 })).toEqual(alone);
    expect(nextBatch({ ids: [7], room: 5, mostTasks: 1001 })).toEqual(alone);
    expect(nextBatch({ ids, room: 1, mostTasks: 1001 })).toEqual(alone);
  });

  it('the next submission has no more than the queue takes, and nothing if it is full', () => {
    expect(nextBatch({ ids, room: 2, mostTasks: 1001 })).toEqual({ ids: [7, 8], isArray: true });
    expect(nextBatch({ ids, room: 0, mostTasks: 1001 })).toBeUndefined();
    expect(nextBatch({ ids, room: -3, mostTasks: 1001 })).toBeUndefined();
    expect(nextBatch({ ids: [], room: undefined, mostTasks: 1001 })).toBeUndefined();
  });

  it('the next submission has no task whose number is beyond the largest array of the cluster', () => {
    expect(nextBatch({ ids, room: undefined, mostTasks: 5 })).toEqual({ ids: [7, 8, 9], isArray: true });
  });
});

test('submissions one after the other take every record once, whatever the limits are', () => {
  const records = fc.uniqueArray(fc.integer({ min: 1, max: 300 }), { maxLength: 40 });
  fc.assert(
    fc.property(records, fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 50 }), (given, room, mostTasks) => {
      const sorted = given.toSorted((a, b) => a - b);
      const taken: number[] = [];
      for (let left = sorted; left.length > 0; left = sorted.slice(taken.length)) {
        const batch = nextBatch({ ids: left, room, mostTasks });
        expect(batch?.ids.length).toBeLessThanOrEqual(room);
        taken.push(...(batch?.ids ?? []));
      }
      expect(taken).toEqual(sorted);
    }),
  );
});

test('the numbers of tasks are what Slurm shows of a job array', () => {
  expect(tasksText([7, 8, 9, 12], 7)).toBe('0-2,5');
  expect(jobsOfId(`34_[${tasksText([9, 7, 12], 7)}]`)).toEqual(['34_0', '34_2', '34_5']);
});
