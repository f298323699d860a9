import { utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { temporaryFolder } from '../../../../tests/support/programs.ts';
import type { RunningStep } from './running-step.ts';
import { createStepStarts } from './starts.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

/** A step that waits in srun for two minutes and begins then, on a node whose files are so many seconds ahead. */
function waited(aheadSeconds: number): number {
  const mark = join(temporaryFolder(), 'mark');
  const begun: number[] = [];
  const step = { mark, begun: (agoMs: number) => void begun.push(agoMs), launchedAt: 0 } as unknown as RunningStep;
  const starts = createStepStarts();
  starts.add(
    'wf1_j1_r1_a1',
    step,
    () => 1,
    () => {},
  );
  vi.advanceTimersByTime(120_000);
  expect(begun).toEqual([]);
  writeFileSync(mark, 'began\n');
  const seconds = (performance.timeOrigin + performance.now()) / 1000 + aheadSeconds;
  utimesSync(mark, seconds, seconds);
  vi.advanceTimersByTime(1_000);
  starts.close();
  return begun[0] as number;
}

it('a step began when its mark was written, and its waiting time is not its own', () => {
  expect(waited(0)).toBeLessThan(2_000);
});

it.each([600, -600])(
  'the clock of a file system that is %i s ahead adds at most the minute in which a mark may be unseen',
  (aheadSeconds) => {
    expect(waited(aheadSeconds)).toBeLessThan(62_000);
  },
);
