import { expect, it } from 'vitest';
import { createKept } from './kept.ts';

function counted() {
  let made = 0;
  let now = 0;
  const kept = createKept(
    async (id) => {
      made += 1;
      const number = made;
      await Promise.resolve();
      now += 10;
      if (id === 0) throw new Error('no such workflow');
      return number;
    },
    () => now,
  );
  return { kept, later: (ms: number) => (now += ms) };
}

it('a reply is used for fifty times the time that it took, and made again after that', async () => {
  const { kept, later } = counted();
  expect(await kept(1)).toBe(1);
  later(499);
  expect(await kept(1)).toBe(1);
  later(1);
  expect(await kept(1)).toBe(2);
});

it('requests at the same time share one reply, and another workflow has its own', async () => {
  const { kept } = counted();
  expect(await Promise.all([kept(1), kept(1), kept(2)])).toEqual([1, 1, 2]);
});

it('a reply that failed is made again, and a reply that was not requested lately is dropped', async () => {
  const { kept } = counted();
  await expect(kept(0)).rejects.toThrow('no such workflow');
  await expect(kept(0)).rejects.toThrow('no such workflow');
  expect(await kept(1)).toBe(3);
  for (let id = 2; id <= 9; id += 1) await kept(id);
  expect(await kept(1)).toBe(12);
});

it('the last reply is there at once while a new one is made, and a reply that was never made is waited for', async () => {
  const { kept, later } = counted();
  expect(await kept.held(1)).toBe(1);
  later(500);
  expect(await kept.held(1)).toBe(1);
  // The new one was begun, and is there for the next request.
  expect(await kept(1)).toBe(2);
  expect(await kept.held(1)).toBe(2);
  await expect(kept.held(0)).rejects.toThrow('no such workflow');
});
