import { describe, expect, it } from 'vitest';
import { leftByVariables, startDelaySeconds } from './slurm-runner.ts';

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

/** A thousand runners of one job array: their ids differ in a digit or two. */
const thousand = Array.from({ length: 1000 }, (_, index) => `${4_000_000 + index}.0.${20_000 + index * 3}`);

describe('runners that start together', () => {
  it('runners start spread over the whole window', () => {
    const delays = thousand.map((who) => startDelaySeconds(60, who));
    const perSecond = Array.from({ length: 60 }, (_, second) => delays.filter((each) => each === second).length);
    expect(perSecond.reduce((sum, each) => sum + each)).toBe(1000);
    expect(Math.max(...perSecond)).toBeLessThan(40);
    expect(Math.min(...perSecond)).toBeGreaterThan(5);
  });

  it('runners wait as long again when they are restarted', () => {
    expect(startDelaySeconds(60, '7.0.42')).toBe(startDelaySeconds(60, '7.0.42'));
  });

  it('runners do not wait without a window', () => {
    expect(startDelaySeconds(0, '7.0.42')).toBe(0);
    expect(startDelaySeconds(1, '7.0.42')).toBe(0);
  });
});
