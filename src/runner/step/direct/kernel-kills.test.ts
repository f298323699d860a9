import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createKernelKills } from './kernel-kills.ts';

describe('a kill of the kernel', () => {
  let kills = 5;
  beforeEach(() => {
    kills = 5;
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });
  const created = () => {
    const kernelKills = createKernelKills(() => kills);
    onTestFinished(() => kernelKills.close());
    return kernelKills;
  };

  it('explains one end, and no second one', () => {
    const kernelKills = created();
    kills += 1;
    expect([kernelKills.explain(), kernelKills.explain()]).toEqual([true, false]);
  });

  it('explains nothing if it was before the runner, or some seconds ago', () => {
    const kernelKills = created();
    expect(kernelKills.explain()).toBe(false);
    kills += 1;
    vi.advanceTimersByTime(5000);
    expect(kernelKills.explain()).toBe(false);
  });

  it('explains nothing where the kernel does not count', () => {
    const kernelKills = createKernelKills(() => undefined);
    expect(kernelKills.explain()).toBe(false);
  });
});
