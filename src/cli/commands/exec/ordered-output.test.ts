import { describe, expect, it } from 'vitest';
import { createOrderedOutput } from './ordered-output.ts';

const job = (number: number) => ({ id: 100 + number, attempt_id: 1, name: `job${number}` });

/** Output of jobs that end in the order of `ends`; of those in `absent` there is none. */
async function printed(
  ends: readonly number[],
  { count = ends.length, elsewhere = [] as readonly number[], absent = [] as readonly number[] } = {},
) {
  const numbers: number[] = [];
  let isPrinting = false;
  const ordered = createOrderedOutput({
    count,
    numberOf: ({ id }) => id - 100,
    async print({ id }) {
      expect(isPrinting).toBe(false);
      isPrinting = true;
      await new Promise(setImmediate);
      isPrinting = false;
      if (absent.includes(id - 100)) return false;
      numbers.push(id - 100);
      return true;
    },
  });
  for (const number of ends) {
    ordered.ended(job(number));
    if (number % 3 === 0) await new Promise(setImmediate);
  }
  const missing = ordered.missing();
  const unprinted = await ordered.finish(elsewhere.map(job));
  return { numbers, missing: missing.filter((number) => !ends.includes(number)), unprinted };
}

describe('output in order', () => {
  it.each([[[1, 2, 3, 4, 5]], [[5, 4, 3, 2, 1]], [[3, 1, 5, 2, 4]], [[]]])(
    'is that of the jobs by their numbers, whatever the order %j in which they end',
    async (ends) => {
      expect((await printed(ends)).numbers).toEqual(ends.toSorted((one, other) => one - other));
    },
  );

  it('output in order leaves out what never ended, at the end of all', async () => {
    expect(await printed([4, 2], { count: 5 })).toEqual({ numbers: [2, 4], missing: [1, 3, 5], unprinted: [] });
  });

  it('output in order has what ended elsewhere in its place, and once what ended here', async () => {
    expect((await printed([1, 4], { count: 4, elsewhere: [1, 2, 4] })).numbers).toEqual([1, 2, 4]);
  });

  it('output in order continues after a job without output, and prints its number', async () => {
    expect(await printed([1, 2, 3], { absent: [2] })).toMatchObject({ numbers: [1, 3], unprinted: [2] });
  });

  it('output in order that cannot be printed fails at the end, and nothing more is printed', async () => {
    const numbers: number[] = [];
    const ordered = createOrderedOutput({
      count: 3,
      numberOf: ({ id }) => id - 100,
      print({ id }) {
        numbers.push(id - 100);
        return id === 102 ? Promise.reject(new Error('no space')) : Promise.resolve(true);
      },
    });
    for (const number of [1, 2, 3]) ordered.ended(job(number));
    await expect(ordered.finish([])).rejects.toThrow('no space');
    expect(numbers).toEqual([1, 2]);
  });
});
