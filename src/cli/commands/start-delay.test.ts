import { describe, expect, it } from 'vitest';
import { startDelaySeconds } from './slurm-runner.ts';

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
