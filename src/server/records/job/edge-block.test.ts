import fc from 'fast-check';
import { expect, it } from 'vitest';
import { EdgeBlock } from './edge-block.ts';

it('a block returns each relationship once, in the order of the other record and of the jobs, and is empty then', () => {
  const jobs = fc.array(fc.array(fc.nat(40), { maxLength: 30 }), { maxLength: 40 });
  fc.assert(
    fc.property(jobs, (lists) => {
      const block = new EdgeBlock();
      for (const [jobId, others] of lists.entries()) for (const otherId of others) block.add(jobId, otherId);
      const expected = lists
        .flatMap((others, jobId) => [...new Set(others)].map((otherId) => ({ jobId, otherId })))
        .toSorted((left, right) => left.otherId - right.otherId || left.jobId - right.jobId);
      const pages = [...block.take()];
      expect(pages.flat()).toEqual(expected);
      expect(pages.every((page) => page.length <= 256)).toBe(true);
      expect([...block.take()]).toEqual([]);
    }),
  );
});

it('a block is full before it takes much memory, and not again after it was taken', () => {
  const block = new EdgeBlock();
  let added = 0;
  for (; !block.isFull; added += 1) block.add(1, added);
  expect(added).toBeLessThan(100_000);
  expect([...block.take()].flat()).toHaveLength(added);
  expect(block.isFull).toBe(false);
});
