import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { createStepIds } from './step-ids.ts';

beforeEach(() => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
});

/** What squeue answers at each call; an error where it fails. */
function idsOf(...answers: readonly (Record<string, string> | Error)[]) {
  const write = vi.fn();
  const ids = vi.fn(async () => {
    const answer = answers[Math.min(ids.mock.calls.length, answers.length) - 1] ?? {};
    if (answer instanceof Error) throw answer;
    return new Map(Object.entries(answer));
  });
  const stepIds = createStepIds({ ids }, () => true, { write, close() {} });
  return { stepIds, ids, levels: () => write.mock.calls.map(([level]) => level as string) };
}

it('the ids of steps are asked for five times, 200 ms apart, and a step without one stays without', async () => {
  const { stepIds, ids } = idsOf({});
  const learned = vi.fn();
  void stepIds.learn(['a']).then(learned);
  for (const expected of [1, 2, 3, 4, 5]) {
    await vi.advanceTimersByTimeAsync(expected === 1 ? 0 : 200);
    expect(ids).toHaveBeenCalledTimes(expected);
  }
  await vi.advanceTimersByTimeAsync(10_000);
  expect([ids.mock.calls.length, learned.mock.calls.length, stepIds.of('a')]).toEqual([5, 1, undefined]);
});

it('one answer has the ids of all steps, and a known step is not asked for again', async () => {
  const { stepIds, ids } = idsOf({ a: '12.0' }, { a: '12.0', b: '12.1' });
  const learned = stepIds.learn(['a', 'b']);
  await vi.advanceTimersByTimeAsync(200);
  await learned;
  expect([stepIds.of('a'), stepIds.of('b'), ids.mock.calls.length]).toEqual(['12.0', '12.1', 2]);
  await stepIds.learn(['a', 'b']);
  expect(ids).toHaveBeenCalledTimes(2);
});

it('a failure of squeue is a line at debug level, and squeue is asked again', async () => {
  const { stepIds, levels } = idsOf(new Error('the controller is away'), { a: '12.0' });
  const learned = stepIds.learn(['a']);
  await vi.advanceTimersByTimeAsync(200);
  await learned;
  expect([stepIds.of('a'), levels()]).toEqual(['12.0', ['debug']]);
});
