import { expect, it, vi } from 'vitest';
import type { StepFigures } from '../../../cluster/slurm/sstat.ts';
import type { StepId } from '../../../core/contract/files/job.ts';
import { createLiveUse } from './live-use.ts';

const ids: Readonly<Record<StepId, string>> = { a: '12.0', b: '12.1' };

function liveUse(answer: () => Promise<Record<string, StepFigures>>) {
  const write = vi.fn();
  const uses = vi.fn(async () => new Map(Object.entries(await answer())));
  const learn = vi.fn(async () => {});
  const use = createLiveUse({
    slurm: { uses },
    hasBegun: (id) => id !== 'queued',
    ids: { of: (id) => ids[id], learn },
    log: { write, close() {} },
  });
  return { use, uses, learn, levels: () => write.mock.calls.map(([level]) => level as string) };
}
const figures = (cpuSeconds: number) => ({ cpuSeconds, memoryBytes: 2 ** 20 });

it('one call of sstat measures all steps, and the first figures of a step are something to compare with', async () => {
  const { use, uses } = liveUse(async () => ({ '12.0': figures(10), '12.1': figures(20) }));
  const baselines = async () => [...(await use.of(new Set(['a', 'b'])))].map(([id, each]) => [id, each.isBaseline]);
  expect(await baselines()).toEqual([
    ['a', true],
    ['b', true],
  ]);
  expect(await baselines()).toEqual([
    ['a', false],
    ['b', false],
  ]);
  expect(uses).toHaveBeenCalledTimes(2);
});

it('a step whose id is not known has no sample, the others have theirs, and a queued step is not looked for', async () => {
  const { use, learn } = liveUse(async () => ({ '12.0': figures(10), '12.7': figures(1) }));
  expect([...(await use.of(new Set(['a', 'unknown', 'queued']))).keys()]).toEqual(['a']);
  expect(learn).toHaveBeenCalledWith(['a', 'unknown']);
});

it('a failure of sstat is a line at debug level and no sample, and the next call measures again', async () => {
  let isAway = true;
  const { use, levels } = liveUse(async () => {
    if (isAway) throw new Error('sstat: error: no steps running for job 12');
    return { '12.0': figures(10) };
  });
  expect([(await use.of(new Set(['a']))).size, levels()]).toEqual([0, ['debug']]);
  isAway = false;
  expect([(await use.of(new Set(['a']))).size, levels()]).toEqual([1, ['debug']]);
});
