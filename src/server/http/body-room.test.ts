import { expect, it, vi } from 'vitest';
import type { Refusal } from '../../core/contract/refusals.ts';
import { createBodyRoom, type Held } from './body-room.ts';

const limits = { allBytes: 100, freeBytes: 10, patienceMs: 10_000, dueBytes: 5, dueMs: 1_000 };
const isSettled = (promise: Promise<unknown>) =>
  Promise.race([promise.then(() => true), new Promise<false>((done) => void setImmediate(() => done(false)))]);

function create(given = {}) {
  const room = createBodyRoom({ ...limits, ...given });
  return function body() {
    const reported: string[] = [];
    const held: Held = room.enter(({ code, message }: Refusal) => {
      reported.push(code);
      expect(message).not.toBe('');
      held.release();
    });
    return {
      ...held,
      reported,
      add: (bytes: number, allocatedBytes = bytes) =>
        held.take({ bytes, allocatedBytes }, () => void reported.push('resumed')),
    };
  };
}

it('bodies arrive while there is room, then the oldest alone, and the others in their order as it becomes free', () => {
  const body = create();
  const [first, second, third] = [body(), body(), body()];
  expect([first.add(60), second.add(40), second.add(1), third.add(10)]).toEqual([true, true, false, true]);
  // One body always ends, whatever its size.
  expect([third.add(20), first.add(500)]).toEqual([false, true]);
  first.whole();
  expect([second.reported, third.reported]).toEqual([[], []]);
  first.release();
  first.release();
  expect([second.reported, third.reported]).toEqual([['resumed'], ['resumed']]);
});

it('two bodies never exceed the room together, also when the first is worked on', () => {
  const body = create();
  const [first, second] = [body(), body()];
  expect([first.add(500), second.add(20)]).toEqual([true, false]);
  first.whole();
  expect(second.reported).toEqual([]);
  first.release();
  expect([second.reported, second.add(500)]).toEqual([['resumed'], true]);
});

it('an announced size takes no room, and a small body never waits', () => {
  const body = create();
  const [slow, small, next] = [body(), body(), body()];
  slow.add(11);
  expect([small.add(9), next.add(89), next.add(1), small.add(1)]).toEqual([true, true, false, true]);
});

it('the body for which others wait is refused if it arrives slowly, and not if it arrives or no other body waits', () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
  const body = create();
  const [slow, brisk, waiting] = [body(), body(), body()];
  slow.add(20);
  brisk.add(1, 20);
  vi.advanceTimersByTime(5_000);
  expect(slow.reported).toEqual([]);
  waiting.add(70);
  vi.advanceTimersByTime(900);
  // All of its memory is allocated.
  expect(brisk.add(5, 0)).toBe(true);
  expect(slow.reported).toEqual([]);
  vi.advanceTimersByTime(1_000);
  expect([slow.reported, brisk.reported, waiting.reported]).toEqual([['BODY_TOO_SLOW'], [], ['resumed']]);
  vi.useRealTimers();
});

it('a body that waits too long is refused, and gives its room back', () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
  const body = create();
  const [large, waiting, next] = [body(), body(), body()];
  large.add(90);
  large.whole();
  waiting.add(11);
  waiting.whole();
  expect(next.add(11)).toBe(false);
  vi.advanceTimersByTime(11_000);
  expect([next.reported, waiting.reported]).toEqual([['BODIES_WAIT'], []]);
  large.release();
  waiting.release();
  expect(body().add(100)).toBe(true);
  vi.useRealTimers();
});

it('very large bodies are worked on one by one, also where one of them failed, and small ones beside them', async () => {
  const body = create({ aloneBytes: 10 });
  const [first, second, third] = [body(), body(), body()];
  await first.alone(20);
  const waits = second.alone(20);
  expect([await isSettled(waits), await isSettled(third.alone(10))]).toEqual([false, true]);
  first.release();
  expect(await isSettled(waits)).toBe(true);
});
