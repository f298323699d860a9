import { expect, it } from 'vitest';
import { createBodyRoom, type Held } from './body-room.ts';

const stays = () => false;
const isSettled = (promise: Promise<unknown>) =>
  Promise.race([promise.then(() => true), new Promise<false>((done) => void setImmediate(() => done(false)))]);

it('bodies are let in while there is room, the others in their order when some is released', async () => {
  const room = createBodyRoom({ allBytes: 100 });
  const first = await room.take(60, stays);
  const second = room.take(50, stays);
  const third = room.take(10, stays);
  // A small one does not pass a large one for ever.
  expect([await isSettled(second), await isSettled(third)]).toEqual([false, false]);
  first.release();
  first.release();
  (await second).release();
  (await third).release();
  expect(await isSettled(room.take(100, stays))).toBe(true);
});

it('a body that is larger than all the room is let in alone', async () => {
  const room = createBodyRoom({ allBytes: 100 });
  const held = await room.take(500, stays);
  const next = room.take(1, stays);
  expect(await isSettled(next)).toBe(false);
  held.release();
  expect(await isSettled(next)).toBe(true);
});

it('a body that waits too long is refused, and one whose client has gone is forgotten', async () => {
  const room = createBodyRoom({ allBytes: 100, patienceMs: 20 });
  const held = await room.take(100, stays);
  await expect(room.take(10, stays)).rejects.toThrow(expect.objectContaining({ code: 'BODIES_WAIT' }));
  const patient = createBodyRoom({ allBytes: 100 });
  await patient.take(100, stays);
  await expect(patient.take(10, () => true)).rejects.toThrow(expect.objectContaining({ code: 'BODIES_WAIT' }));
  held.release();
  expect(await isSettled(room.take(100, stays))).toBe(true);
});

it('very large bodies are worked on one by one, also where one of them failed, and small ones beside them', async () => {
  const room = createBodyRoom({ aloneBytes: 10 });
  const [first, second, third] = (await Promise.all([1, 2, 3].map(() => room.take(20, stays)))) as [Held, Held, Held];
  await first.alone(20);
  const waits = second.alone(20);
  expect([await isSettled(waits), await isSettled(third.alone(10))]).toEqual([false, true]);
  first.release();
  expect(await isSettled(waits)).toBe(true);
});
