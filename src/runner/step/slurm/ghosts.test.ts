import { expect, it, onTestFinished } from 'vitest';
import { until } from '../../../../tests/support/programs.ts';
import type { StepId } from '../../../core/contract/files/job.ts';
import { type GhostOptions, watchForGhosts } from './ghosts.ts';

const [old, young, foreign, late] = ['wf1_j1_r1_a1', 'wf1_j2_r1_a1', 'wf1_j3_r1_a1', 'wf1_j4_r1_a1'] as StepId[] as [
  StepId,
  StepId,
  StepId,
  StepId,
];

/** Looks at this list of Slurm; `looks` counts how often it was asked for. */
function watched(
  listed: readonly StepId[] | Error,
  waiting: readonly StepId[] = [late],
  fits: GhostOptions['fits'] = () => true,
) {
  const seen = { looks: 0, blocked: [] as StepId[], reported: [] as string[] };
  const ghosts = watchForGhosts({
    slurm: {
      async ids() {
        seen.looks += 1;
        if (listed instanceof Error) throw listed;
        return new Map(listed.map((name, at) => [name, `1.${at}`]));
      },
    },
    isRunning: (id) => id === late || id === young,
    waiting: () => waiting,
    fits,
    onBlocked: (ids) => seen.blocked.push(...ids),
    log: { write: (_, words) => void seen.reported.push(words) },
    lookMs: 5,
  });
  onTestFinished(() => ghosts.close());
  return { seen, ghosts };
}

it.each([
  ['that Slurm still lists', [old, young, 'wf1_r1_samples_n1' as StepId]],
  ['that Slurm does not even list', [young]],
])(
  'steps that wait behind a step that has ended and %s are reported, and others overlap from then on',
  async (_, listed) => {
    const { seen, ghosts } = watched(listed);
    ghosts.ended(old);
    expect(ghosts.areThere()).toBe(false);
    await until(
      () => seen.blocked.length,
      (count) => count > 1,
      'two looks that find it',
    );
    expect([ghosts.areThere(), new Set(seen.blocked), seen.reported]).toEqual([
      true,
      new Set([late]),
      [expect.stringContaining('from now on steps overlap')],
    ]);
  },
);

it('steps that wait behind those of another runner, or while the controller is away, go on waiting', async () => {
  for (const listed of [[foreign, young], new Error('away')]) {
    const { seen, ghosts } = watched(listed);
    ghosts.ended(old);
    await until(
      () => seen.looks,
      (count) => count > 2,
      'some looks',
    );
    expect([ghosts.areThere(), seen.blocked, seen.reported]).toEqual([false, [], []]);
  }
});

it.each<[string, StepId[], GhostOptions['fits']]>([
  [
    'for which the allocation has no room beside those that run',
    [young],
    (id, beside) => id !== late || beside[0] !== young,
  ],
  ['that Slurm lists, and so runs, though its mark is not seen', [young, late], () => true],
])('a step %s waits for no step that has ended', async (_, listed, fits) => {
  const { seen, ghosts } = watched(listed, [late], fits);
  ghosts.ended(old);
  await until(
    () => seen.looks,
    (count) => count > 2,
    'some looks',
  );
  expect([ghosts.areThere(), seen.blocked, seen.reported]).toEqual([false, [], []]);
});

it('Slurm is not asked while no step waits', async () => {
  const { seen, ghosts } = watched([old], []);
  const other = watched([old]);
  ghosts.ended(old);
  await until(
    () => other.seen.looks,
    (count) => count > 3,
    'looks of one beside which a step waits',
  );
  expect(seen.looks).toBe(0);
});
