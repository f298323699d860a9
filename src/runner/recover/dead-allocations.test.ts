import { expect, it } from 'vitest';
import { ownAllocationOf } from './dead-allocations.ts';

it('Slurm is asked for the start of the own allocation only after a requeue', async () => {
  const asked: number[] = [];
  const slurm = {
    startOf: async (jobId: number) => {
      asked.push(jobId);
      return 5;
    },
  };
  expect(await ownAllocationOf(undefined, slurm)).toBeUndefined();
  expect(await ownAllocationOf({ jobId: 7, restarts: 0 }, slurm)).toEqual({
    jobId: 7,
    restarts: 0,
    startedAtMs: undefined,
  });
  expect(asked).toEqual([]);
  const again = await ownAllocationOf({ jobId: 7, restarts: 2 }, slurm);
  expect(again).toEqual({ jobId: 7, restarts: 2, startedAtMs: 5 });
});
