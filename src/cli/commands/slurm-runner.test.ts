import { expect, it } from 'vitest';
import { leftByVariables } from './slurm-runner.ts';

const MINUTE_MS = 60_000;

it.each([
  ['is right', 4, 360],
  ['is ten minutes behind: never more than the allocation has', -6, 600],
])(
  'without Slurm, the time that is left is that of the variables by the clock of the node, which %s',
  (_, minute, left) => {
    expect(leftByVariables({ beganAtMs: 0, endsAtMs: 10 * MINUTE_MS }, minute * MINUTE_MS)).toBe(left);
  },
);

it('an allocation that runs is not over because the clock of its node says so: the time that is left is unknown then', () => {
  expect(leftByVariables({ beganAtMs: 0, endsAtMs: 10 * MINUTE_MS }, 14 * MINUTE_MS)).toBeUndefined();
  expect(leftByVariables({}, 0)).toBeUndefined();
});

it('where the variables do not say when it began, the clock of the node counts', () => {
  expect(leftByVariables({ endsAtMs: 10 * MINUTE_MS }, -6 * MINUTE_MS)).toBe(960);
});
