import { expect, it } from 'vitest';
import { unsubmittedLines } from './status.ts';

const linesOf = (...held: (string | undefined)[]) =>
  unsubmittedLines(
    held.map((each) => ({ held: each })),
    7,
    (command) => command,
  );

it('allocations that an interrupted command left are counted, with the command that completes them', () => {
  expect(linesOf(undefined, undefined)).toEqual(['2 allocations are not submitted yet: torc submit 7 completes them']);
  expect(linesOf()).toEqual([]);
});

it('allocations that a limit holds back name the limit, and a pause says what it waits for', () => {
  expect(
    linesOf('max_queued 4', undefined, 'max_queued 4', 'paused: the last 3 allocations ended within seconds'),
  ).toEqual([
    '2 allocations are not submitted yet (max_queued 4): they follow as others start or end, or with torc submit 7',
    '1 allocation is not submitted yet: torc submit 7 completes it',
    '1 allocation is not submitted yet (paused: the last 3 allocations ended within seconds). To go on after a repair: torc submit 7',
  ]);
});
