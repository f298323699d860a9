import { expect, it } from 'vitest';
import type { ResourceRequirements } from '../../contract/resources.ts';
import { familyAdvice, nothingBecause } from './family-advice.ts';
import { USUAL_MULTIPLIERS } from './family-use.ts';
import { limitsOf } from './resource-use.ts';
import { adjustmentsOf, type UsedJob } from './used-jobs.ts';

const small: ResourceRequirements = {
  id: 5,
  workflow_id: 1,
  name: 'small',
  num_cpus: 4,
  memory: '4g',
  runtime: 'PT30M',
};
const GIB = 2 ** 30;

/** A job that completed in an hour of one CPU. */
const job = (id: number, name: string, peakMemoryBytes: number, requirements = small): UsedJob => ({
  id,
  name,
  requirementsId: requirements.id as number,
  isCompleted: true,
  requirements,
  limits: { ...limitsOf(requirements), runtimeSeconds: 3_600 },
  result: undefined,
  use: {
    isSuccess: true,
    causeCode: undefined,
    isEndedForTime: false,
    mayBeMemory: false,
    seconds: 3_600,
    peakMemoryBytes,
    peakCpuPercent: 101,
    meanCpuPercent: 100,
  },
});
const adviceFor = (jobs: readonly UsedJob[], downsizes = true) =>
  familyAdvice(
    jobs,
    adjustmentsOf(jobs, { multipliers: USUAL_MULTIPLIERS, downsizes, purpose: 'advice', isChosen: () => true }),
    { downsizes },
  );

it('a family has the median and the greatest use, what is advised, and the core hours that this saves', () => {
  expect(adviceFor([job(1, 'align_1', GIB), job(2, 'align_2', 2 * GIB), job(3, 'align_3', 1.5 * GIB)])).toMatchObject([
    {
      name: 'align_#',
      jobs: 3,
      memoryBytes: { jobs: 3, median: 1.5 * GIB, most: 2 * GIB },
      cpuPercent: { jobs: 3, median: 100, most: 100 },
      asked: { num_cpus: 4, memory: '4g' },
      advised: { num_cpus: 1, memory: '3g' },
      coreHours: { asked: 12, used: 3, saved: 9 },
      unchangedBecause: undefined,
    },
  ]);
});

it('a family has what its jobs had of GPUs, beside the memory of the cards of the one that had most', () => {
  const using = (id: number, peakGpuBytes: number | undefined, gpuBytes?: number): UsedJob => {
    const { use, ...rest } = job(id, `train_${id}`, GIB);
    return { ...rest, use: { ...(use as NonNullable<typeof use>), peakGpuBytes, gpuBytes } };
  };
  const [gpus] = adviceFor([using(1, 2 * GIB, 80 * GIB), using(2, 12 * GIB, 40 * GIB), using(3, undefined)]);
  expect(gpus).toMatchObject({ gpuMemoryBytes: { jobs: 2, median: 7 * GIB, most: 12 * GIB }, gpuBytes: 40 * GIB });
  const [none] = adviceFor([1, 2, 3].map((id) => using(id, undefined)));
  expect([none?.gpuMemoryBytes, none?.gpuBytes]).toEqual([undefined, undefined]);
});

it.each([
  ['it has no jobs', []],
  ['2 jobs say too little: 3 are needed', [job(1, 'a', GIB), job(2, 'b', GIB)]],
  ['they asked for nothing, and nothing limits them', [job(1, 'a', GIB, { ...small, name: 'default' })]],
])('nothing changes, because %s', (reason, jobs) => {
  expect(nothingBecause(adviceFor(jobs))).toBe(reason);
});

it('where differences are small, the reason says how large they have to be, and where nothing is lowered it says that', () => {
  const needs = { ...small, num_cpus: 1, memory: '1200m', runtime: 'PT1H' };
  const jobs = [1, 2, 3].map((id) => job(id, `a_${id}`, GIB, needs));
  const [reason] = adviceFor(jobs).map(({ unchangedBecause }) => unchangedBecause);
  expect(reason).toBe('no difference is large enough: 10 %, 30 min of time, 3 jobs for more CPUs');
  const large = [1, 2, 3].map((id) => job(id, `a_${id}`, GIB, { ...needs, memory: '9g' }));
  expect(adviceFor(large)[0]?.unchangedBecause).toBeUndefined();
  expect(adviceFor(large, false)[0]?.unchangedBecause).toBe(
    'no job lacked memory or time, and --no-downsize lowers nothing',
  );
});
