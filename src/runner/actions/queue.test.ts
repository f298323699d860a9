import { expect, it } from 'vitest';
import { createActionQueue } from './queue.ts';

it('work is done one piece after the other, and the end of all of it is reported once', async () => {
  const events: string[] = [];
  const queue = createActionQueue(() => void events.push('done'));
  expect(queue.isBusy).toBe(false);
  const gate = Promise.withResolvers<void>();
  void queue.add(async () => {
    events.push('first begins');
    await gate.promise;
    events.push('first ends');
  });
  const second = queue.add(() => {
    events.push('second');
    return Promise.resolve();
  });
  expect(queue.isBusy).toBe(true);
  expect(queue.last).toBe(second);
  gate.resolve();
  await second;
  expect(events).toEqual(['first begins', 'first ends', 'second', 'done']);
  expect(queue.isBusy).toBe(false);
});
