import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { StepUse } from '../step/steps.ts';
import { guardAllocationMemory } from './allocation-memory.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const use = (memoryBytes: number, exact?: number): StepUse => ({
  cpuSeconds: 0,
  processes: 1,
  memoryBytes,
  ...(exact === undefined ? {} : { exactly: async () => exact }),
});

/** An allocation of 1000 bytes with a runner of 100. */
function guardOf(uses: Record<string, StepUse>, needs: Record<string, number>, ownBytes = 100) {
  const killed: string[] = [];
  const said: string[] = [];
  const guard = guardAllocationMemory({
    limitBytes: 1000,
    needs: () => new Map(Object.entries(needs)),
    observe: () => new Map(Object.entries(uses)),
    kill: (id) => killed.push(id),
    ownBytes: () => ownBytes,
    log: { write: (_, words) => void said.push(words) },
  });
  onTestFinished(() => guard.close());
  return { killed, said };
}

describe('the memory of an allocation', () => {
  it('the job most above its request is killed when the sum exceeds it, also if another one is larger', async () => {
    const { killed } = guardOf({ large: use(500), greedy: use(400) }, { large: 500, greedy: 50 });
    await vi.advanceTimersByTimeAsync(1000);
    expect(killed).toEqual(['greedy']);
  });

  it('jobs above their request are left alone while there is room', async () => {
    const { killed } = guardOf({ greedy: use(700) }, { greedy: 50 });
    await vi.advanceTimersByTimeAsync(5000);
    expect(killed).toEqual([]);
  });

  it('memory that processes share counts once', async () => {
    const { killed } = guardOf({ one: use(900, 300), two: use(900, 300) }, { one: 50, two: 50 });
    await vi.advanceTimersByTimeAsync(5000);
    expect(killed).toEqual([]);
  });

  it('an allocation in which only the runner has room is named as such', () => {
    expect(guardOf({}, {}, 900).said).toEqual([expect.stringContaining('hardly more memory than the runner')]);
  });
});
