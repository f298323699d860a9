import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect, it } from 'vitest';
import { inTurns } from './in-turns.ts';

const turn = () => new Promise((resolve) => void setImmediate(resolve));

/** Requests as numbers: the listener that is tested looks at neither of its arguments. */
function counting(atOnce: number) {
  const begun: number[] = [];
  const listener = inTurns((request) => void begun.push(request as unknown as number), atOnce);
  return { begun, arrive: (request: number) => listener(request as unknown as IncomingMessage, {} as ServerResponse) };
}

const numbers = (count: number) => [...Array(count).keys()];

it('of requests that arrive together only so many are begun in an iteration of the event loop, in their order', async () => {
  const { begun, arrive } = counting(3);
  for (const each of numbers(8)) arrive(each);
  const seen = [begun.length];
  while (begun.length < 8) {
    await turn();
    seen.push(begun.length);
    // One that arrives later is not begun before those that wait.
    if (seen.length === 2) arrive(8);
  }
  await turn();
  expect(seen).toEqual([3, 6, 9]);
  expect(begun).toEqual(numbers(9));
});

it('a request that arrives alone is begun at once, and so are as many as fit into an iteration', async () => {
  const { begun, arrive } = counting(3);
  for (const each of numbers(3)) arrive(each);
  expect(begun).toEqual([0, 1, 2]);
  await turn();
  arrive(3);
  expect(begun).toEqual(numbers(4));
});
