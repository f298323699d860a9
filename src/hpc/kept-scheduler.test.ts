import { describe, expect, it, test } from 'vitest';
import { asksForWholeNodes, extraOf, gresOf, type KeptScheduler } from './kept-scheduler.ts';

const kept = (over: Partial<KeptScheduler>): KeptScheduler => ({ id: 1, account: 'a', ...over });

describe('the sbatch options of a new scheduler', () => {
  test.each<[string, string, Record<string, unknown>, string | undefined]>([
    [
      'are the old ones with the CPUs of the plan',
      '--constraint=fast --cpus-per-task=2',
      {},
      '--constraint=fast --cpus-per-task=8',
    ],
    ['are the CPUs of the plan alone', '', {}, '--cpus-per-task=8'],
    ['are the old ones where these ask for tasks', '--ntasks=4 --mem-bind=local', {}, '--ntasks=4 --mem-bind=local'],
    ['are none where the workflow asks for whole nodes', '--cpus-per-task=2', { exclusive: true }, undefined],
    [
      'have neither time, nodes nor dependency of the first allocation',
      '--begin=now+1hour --nodelist=n5 --exclude=n4 -d afterok:7 --deadline 12:00 --hold -w n3 --no-requeue',
      {},
      '--exclude=n4 --no-requeue --cpus-per-task=8',
    ],
  ])('the sbatch options of a new scheduler %s', (_, extra, defaults, expected) => {
    expect(extraOf(kept({ extra }), { cpus: 8, defaults })).toBe(expected);
  });
});

it('the qsub options of a new scheduler have neither time, hold nor dependency of the first allocation', () => {
  const of = (extra: string) => extraOf(kept({ extra, pbs: {} }), { cpus: 8, defaults: {} });
  expect(of('-W depend=afterok:7:8,afterany:9 -a 0800 -h -m e')).toBe('-m e --cpus-per-task=8');
  expect(of('-W depend=afterok:7,group_list=climate -W umask=022')).toBe(
    '-W group_list=climate -W umask=022 --cpus-per-task=8',
  );
  // Those letters mean something else to sbatch.
  expect(of('-w /scratch/a -A h -r n')).toBe('-w /scratch/a -A h -r n --cpus-per-task=8');
});

describe('the generic resources of a new scheduler', () => {
  test.each([
    ['gpu:1', 4, 'gpu:4'],
    ['gpu:a100:1', 4, 'gpu:a100:4'],
    ['nvme:1,gpu:h100:2', 2, 'gpu:h100:2,nvme:1'],
    ['gpu', 2, 'gpu:2'],
    ['gpu:2', 0, undefined],
    ['nvme:1', 0, 'nvme:1'],
    [undefined, 2, 'gpu:2'],
  ])('the generic resources of a new scheduler in place of %s, for %i GPUs, are %s', (gres, gpus, expected) => {
    expect(gresOf(kept({ gres }), gpus)).toBe(expected);
  });
});

it('whole nodes are asked for by the workflow or by the scheduler', () => {
  expect(asksForWholeNodes(kept({ extra: '--exclusive' }), {})).toBe(true);
  expect(asksForWholeNodes(kept({ extra: '--exclusive=user' }), {})).toBe(false);
  expect(asksForWholeNodes(undefined, { exclusive: true })).toBe(true);
  expect(asksForWholeNodes(undefined, { exclusive: false })).toBe(false);
  expect(asksForWholeNodes(kept({ extra: '--constraint=exclusive' }), {})).toBe(false);
});
