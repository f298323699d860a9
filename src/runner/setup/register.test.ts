import { expect, it } from 'vitest';
import { clockAheadSeconds } from './register.ts';

async function ask(aheadSeconds: number | undefined) {
  const said: string[] = [];
  const now_ms = aheadSeconds === undefined ? undefined : Date.now() - aheadSeconds * 1000;
  const found = await clockAheadSeconds(
    { ping: async () => ({ status: 'Server is running', now_ms }) },
    { write: (_, words) => void said.push(words), close() {} },
  );
  return { found, said };
}

it.each([
  [600, '600 s ahead of that of the server'],
  [-180, '180 s behind that of the server'],
])('a runner knows that its clock is %i s ahead of that of the server, and its log says so', async (seconds, words) => {
  const { found, said } = await ask(seconds);
  expect(Math.abs((found ?? 0) - seconds)).toBeLessThan(5);
  expect(said).toEqual([expect.stringContaining(words)]);
});

it('a clock that is right, and a server that does not say its time, are not worth a line', async () => {
  expect((await ask(1)).said).toEqual([]);
  expect(await ask(undefined)).toEqual({ found: undefined, said: [] });
});
