import { expect, it } from 'vitest';
import { AT_ONCE, madeUpCards } from '../../../tests/support/cards.ts';
import { createGpuUse, type GpuUseOfSteps } from './gpu-use.ts';

const [GIB, STEP, OTHER] = [2 ** 30, 'wf1_j1_r1_a1', 'wf1_j2_r1_a1'] as const;
const processesOf = (...steps: readonly (readonly [typeof STEP | typeof OTHER, ...number[]])[]) =>
  new Map(steps.map(([id, ...pids]) => [id, pids.map((pid) => ({ pid }))] as const));

it('a step has the most that its processes had at once on all cards, beside the memory of these cards', async () => {
  const cards = madeUpCards();
  const gpus = createGpuUse(cards.environment, AT_ONCE);
  gpus.begin(STEP);
  gpus.begin(OTHER);
  const processes = processesOf([STEP, 10, 11], [OTHER, 20]);
  cards.use([0, 10, 1024], [1, 11, 2048], [0, 99, 40_000]);
  await gpus.look(processes);
  cards.use([0, 10, 512]);
  await gpus.look(processes);
  expect(gpus.end(STEP)).toEqual({ peakGpuBytes: 3 * GIB, gpuBytes: 160 * GIB, gpuWatts: undefined });
  // A process of another user is nothing of a step, and one that ended is forgotten.
  expect([gpus.end(OTHER), gpus.end(STEP)]).toEqual([undefined, undefined]);
});

it('the power of cards is a mean over the readings with processes of the step, and of a shared card a part', async () => {
  const cards = madeUpCards();
  const gpus = createGpuUse(cards.environment, AT_ONCE);
  gpus.begin(STEP);
  gpus.begin(OTHER);
  const processes = processesOf([STEP, 10], [OTHER, 20]);
  for (const [watts, ...uses] of [[300, [0, 10, 1], [1, 20, 1]], [200, [0, 10, 1], [0, 20, 1]], [900]] as const) {
    cards.draw(watts);
    cards.use(...uses);
    await gpus.look(processes);
  }
  expect([gpus.end(STEP)?.gpuWatts, gpus.end(OTHER)?.gpuWatts]).toEqual([200, 200]);
});

it('where a card does not say its power in one reading, no mean is given', async () => {
  const cards = madeUpCards();
  const gpus = createGpuUse(cards.environment, AT_ONCE);
  gpus.begin(STEP);
  for (const watts of [300, 0, 300]) {
    cards.draw(watts);
    cards.use([0, 10, 1]);
    await gpus.look(processesOf([STEP, 10]));
  }
  expect(gpus.end(STEP)).toMatchObject({ peakGpuBytes: GIB / 1024, gpuWatts: undefined });
});

it('of a slice of a card no size is known', async () => {
  const cards = madeUpCards('Enabled');
  const gpus = createGpuUse(cards.environment, AT_ONCE);
  gpus.begin(STEP);
  cards.use([0, 10, 1024]);
  await gpus.look(processesOf([STEP, 10]));
  expect(gpus.end(STEP)).toEqual({ peakGpuBytes: GIB, gpuBytes: undefined, gpuWatts: undefined });
});

it('cards are read for steps with GPUs only, by one reading at a time, and not more often than every two seconds', async () => {
  const cards = madeUpCards();
  cards.use([0, 10, 1]);
  const [quiet, busy] = [1, 2].map(() => createGpuUse(cards.environment, { namespace: AT_ONCE.namespace })) as [
    GpuUseOfSteps,
    GpuUseOfSteps,
  ];
  await quiet.look(processesOf([STEP, 10]));
  busy.begin(STEP);
  const first = busy.look(processesOf([STEP, 10]));
  await busy.look(processesOf([STEP, 10]));
  await first;
  await busy.look(processesOf([STEP, 10]));
  expect(cards.readings()).toBe(1);
});

it('where no program knows a card, nothing is known of a step', async () => {
  const gpus = createGpuUse({ PATH: '/nowhere' }, AT_ONCE);
  gpus.begin(STEP);
  await gpus.look(processesOf([STEP, 10]));
  expect(gpus.end(STEP)).toBeUndefined();
});
