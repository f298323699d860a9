import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect, it } from 'vitest';
import { inTurns } from './in-turns.ts';

const turn = () => new Promise((resolve) => void setImmediate(resolve));

/** Requests as numbers, in the place of their paths. */
function counting(atOnce: number, waitingWrites?: () => number) {
  const begun: number[] = [];
  const listener = inTurns(({ url }) => void begun.push(Number(url)), {
    atOnce,
    ...(waitingWrites && { waitingWrites }),
  });
  const arrive = (number: number, method = 'POST', socket: object = {}) =>
    listener({ method, url: String(number), socket } as IncomingMessage, {} as ServerResponse);
  return { begun, arrive };
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

it('reads do not wait behind many writes, nor writes behind many reads', async () => {
  const { begun, arrive } = counting(4);
  for (const each of numbers(20)) arrive(each);
  for (const each of numbers(20)) arrive(100 + each, 'GET');
  begun.length = 0;
  await turn();
  expect(begun).toEqual([100, 101, 4, 5]);
  for (const _ of numbers(20)) await turn();
  expect(begun.filter((each) => each < 100)).toEqual(numbers(20).slice(4));
  expect(begun.filter((each) => each >= 100)).toEqual(numbers(20).map((each) => each + 100));
});

it('reads of a connection that had a request before do not wait behind those of many new connections, nor these behind them', async () => {
  const known = {};
  const { begun, arrive } = counting(4);
  arrive(100, 'POST', known);
  for (const each of numbers(8)) arrive(each, 'GET');
  for (const each of numbers(4)) arrive(101 + each, 'GET', known);
  expect(begun).toEqual([100, 0, 1, 2]);
  await turn();
  expect(begun.slice(4)).toEqual([101, 102, 3, 4]);
  for (const _ of numbers(2)) await turn();
  expect(begun.slice(8)).toEqual([103, 104, 5, 6, 7]);
});

it('where no reads wait, writes have all places, and the other way round', async () => {
  for (const method of ['GET', 'POST']) {
    const { begun, arrive } = counting(4);
    for (const each of numbers(12)) arrive(each, method);
    await turn();
    expect(begun).toEqual(numbers(8));
  }
});

it('no write is begun while so many wait for their commit, in the order of their arrival as soon as fewer do, and reads are', async () => {
  let waiting = 3;
  const { begun, arrive } = counting(3, () => waiting);
  for (const each of numbers(4)) arrive(each);
  expect(begun).toEqual([]);
  arrive(100, 'GET');
  expect(begun).toEqual([100]);
  for (const _ of numbers(5)) await turn();
  expect(begun).toEqual([100]);
  waiting = 1;
  await turn();
  expect(begun).toEqual([100, 0, 1]);
  // One that arrives now is not begun before those that wait.
  arrive(4);
  waiting = 0;
  await turn();
  await turn();
  expect(begun).toEqual([100, 0, 1, 2, 3, 4]);
});

it('where fewer writes wait for their commit, those that arrive are begun at once', () => {
  const { begun, arrive } = counting(3, () => 2);
  for (const each of numbers(4)) arrive(each);
  expect(begun).toEqual([0, 1, 2]);
});
