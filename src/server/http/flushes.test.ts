import { expect, it } from 'vitest';
import { createFlushes } from './flushes.ts';

const turn = () => new Promise<void>((resolve) => void setImmediate(resolve));

it('a thousand messages take twenty iterations of the event loop, in their order', async () => {
  const flushSoon = createFlushes(50);
  const sent: number[] = [];
  for (let client = 0; client < 1_000; client += 1) flushSoon(() => void sent.push(client));
  expect(sent).toEqual([]);
  const after: number[] = [];
  while (sent.length < 1_000) {
    await turn();
    after.push(sent.length);
  }
  expect(after).toEqual(Array.from({ length: 20 }, (_, index) => (index + 1) * 50));
  expect(sent).toEqual(Array.from({ length: 1_000 }, (_, index) => index));
});

it('a few messages are sent before the next iteration, also those that are asked for meanwhile', async () => {
  const flushSoon = createFlushes(2);
  const sent: string[] = [];
  flushSoon(() => {
    sent.push('first');
    flushSoon(() => void sent.push('second'));
  });
  await Promise.resolve();
  expect(sent).toEqual(['first']);
  await Promise.resolve();
  expect(sent).toEqual(['first', 'second']);
});
