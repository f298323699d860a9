import { expect, it, onTestFinished } from 'vitest';
import { streamPlaces } from './stream-places.ts';

/** The windows of a browser, with the storage that they share. */
function windows() {
  const kept = new Map<string, string>();
  const storage = {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, value: string) => void kept.set(name, value),
    removeItem: (name: string) => void kept.delete(name),
  };
  let now = 1_000_000;
  const take = streamPlaces('torc', storage, () => now);
  const taken = () => {
    const place = take();
    if (place !== undefined) onTestFinished(place.leave);
    return place;
  };
  return { taken, kept, pass: (ms: number) => (now += ms) };
}

it('four windows have a stream, and the fifth has none until one leaves, also twice', () => {
  const { taken } = windows();
  const places = [taken(), taken(), taken(), taken()];
  expect(places).not.toContain(undefined);
  expect(taken()).toBeUndefined();
  places[2]?.leave();
  const next = taken();
  expect(next).toBeDefined();
  places[2]?.leave();
  expect(taken()).toBeUndefined();
});

it('the place of a window that ended and did not leave is free after a while, and before that it is not', () => {
  const { taken, kept, pass } = windows();
  for (let at = 0; at < 4; at += 1) kept.set(`torc ${at}`, '1-2 1000000');
  pass(60_000);
  expect(taken()).toBeUndefined();
  pass(31_000);
  expect(taken()).toBeDefined();
});

it('what another program left in the storage is no place that is held', () => {
  const { taken, kept } = windows();
  for (let at = 0; at < 4; at += 1) kept.set(`torc ${at}`, 'odd');
  expect(taken()).toBeDefined();
});
