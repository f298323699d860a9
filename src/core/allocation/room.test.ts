import { describe, expect, it, test } from 'vitest';
import type { SlurmScheduler } from '../contract/scheduling.ts';
import { roomOfAllocation } from './room.ts';

const scheduler: SlurmScheduler = { id: 3, workflow_id: 1, account: 'any', nodes: 2, walltime: '00:10:00', mem: '4g' };
const facts = { defaults: {}, countsJobs: false };

describe('the room of an allocation that has not started', () => {
  it('an allocation that has not started has the memory, nodes and time of its scheduler, no GPUs, and any number of CPUs', () => {
    expect(roomOfAllocation(scheduler, facts)).toEqual({
      labels: [],
      schedulerId: 3,
      isStrict: false,
      countsJobs: false,
      cpus: Infinity,
      memoryBytes: 4 * 2 ** 30,
      gpus: 0,
      nodes: 2,
      secondsLeft: 600,
    });
  });

  test.each<[string, Partial<SlurmScheduler>, object]>([
    ['unlimited memory where none is named', { mem: undefined }, { memoryBytes: Infinity }],
    ['unlimited memory where all of the node is asked for', { mem: '0' }, { memoryBytes: Infinity }],
    ['unlimited memory where the text cannot be read', { mem: 'much' }, { memoryBytes: Infinity }],
    ['the GPUs of its gres', { gres: 'gpu:a100:2' }, { gpus: 2 }],
    ['unlimited time where the text cannot be read', { walltime: 'long' }, { secondsLeft: undefined }],
    ...['--time=10:00:00', '--constraint=a -t 10', '--mem-per-cpu=4g', '-N2', '--gpus-per-task=1'].map(
      (extra): [string, Partial<SlurmScheduler>, object] => [
        `no limit at all with the sbatch options ${extra}`,
        { extra },
        { memoryBytes: Infinity, gpus: Infinity, nodes: Infinity, secondsLeft: undefined },
      ],
    ),
    [
      'its limits with other sbatch options',
      { extra: '--cpus-per-task=8 --reservation=night --constraint=N2' },
      { memoryBytes: 4 * 2 ** 30, nodes: 2, secondsLeft: 600 },
    ],
  ])('an allocation that has not started has %s', (_, change, room) => {
    expect(roomOfAllocation({ ...scheduler, ...change }, facts)).toMatchObject(room);
  });

  it('an allocation that has not started may have GPUs that all allocations of its workflow ask for', () => {
    expect(roomOfAllocation(scheduler, { ...facts, defaults: { 'gpus-per-node': 1 } }).gpus).toBe(Infinity);
  });

  it('an allocation of a scheduler that was deleted has no limit', () => {
    expect(roomOfAllocation(undefined, facts)).toMatchObject({ schedulerId: null, nodes: Infinity, gpus: Infinity });
  });
});
