import { describe, expect, it } from 'vitest';
import { judge } from '../bench/night/judge.ts';
import { allocationsOf, type Attempt, attemptsOf, type Kill, type RunJob } from '../bench/night/records.ts';
import { usageOf } from '../bench/night/usage.ts';
import { CPUS, jobsOf } from '../bench/night/workload.ts';

const attempt = (over: Partial<Attempt> = {}): Attempt => ({
  job: 'a',
  run: 1,
  attempt: 1,
  allocation: 7,
  beganMs: 100_000,
  doneMs: 110_000,
  isBeside: false,
  ...over,
});
const job = (over: Partial<RunJob> = {}): RunJob => ({
  id: 1,
  name: 'a',
  seconds: 10,
  dependsOn: [],
  attempts: [attempt()],
  status: 'completed',
  completedIn: [{ run: 1, attempt: 1 }],
  ...over,
});
const crash = (fromMs: number, over: Partial<Kill> = {}): Kill => ({
  victim: 'node',
  fromMs,
  untilMs: fromMs + 500,
  allocations: [7],
  endsAllocation: true,
  ...over,
});
const again = attempt({ run: 2, allocation: 8, beganMs: 200_000, doneMs: 210_000 });
const faultsOf = (over: Partial<RunJob>, kills: readonly Kill[] = []) =>
  Object.entries(judge([job(over)], kills)).flatMap(([part, lines]) => lines.map(() => part));

describe('the judge of a night', () => {
  it('an attempt has a last line, or none, and knows whether another one was alive', () => {
    expect(attemptsOf('a', 'begin 1 1 7 100.5\ndone 1 1 7 110\nbeside 2 1 8 120\n')).toEqual([
      attempt({ beganMs: 100_500 }),
      attempt({ run: 2, allocation: 8, beganMs: 120_000, doneMs: undefined, isBeside: true }),
    ]);
  });

  it('a job that did its work once has no fault', () => {
    expect(faultsOf({})).toEqual([]);
  });

  it('a job is falsely done if its attempt has no last line, or wrote it too early, or if another attempt did the work', () => {
    expect(faultsOf({ attempts: [attempt({ doneMs: undefined })] })).toEqual(['falselyDone']);
    expect(faultsOf({ attempts: [attempt({ doneMs: 103_000 })] })).toEqual(['falselyDone']);
    expect(faultsOf({ completedIn: [{ run: 2, attempt: 1 }] })).toEqual(['falselyDone']);
    expect(faultsOf({ completedIn: [] })).toEqual(['falselyDone']);
  });

  it('a job that is not completed is open', () => {
    expect(faultsOf({ status: 'failed', completedIn: [], attempts: [] })).toEqual(['open']);
  });

  it('work that is done again is a fault, unless its first end met a kill of its allocation or of its own step', () => {
    const twice = { attempts: [attempt(), again], completedIn: [{ run: 2, attempt: 1 }] };
    expect(faultsOf(twice)).toEqual(['twice']);
    expect(faultsOf(twice, [crash(111_000)])).toEqual(['unknowable']);
    expect(faultsOf(twice, [crash(108_000)])).toEqual(['unknowable']);
    expect(faultsOf(twice, [crash(115_000)])).toEqual(['twice']);
    expect(faultsOf(twice, [crash(111_000, { allocations: [9] })])).toEqual(['twice']);
    const step = { jobId: 1, run: 1, attempt: 1 };
    expect(faultsOf(twice, [crash(111_000, { step })])).toEqual(['unknowable']);
    expect(faultsOf(twice, [crash(111_000, { step: { ...step, jobId: 2 } })])).toEqual(['twice']);
  });

  it('an attempt that began while another one was alive is a fault', () => {
    expect(faultsOf({ attempts: [attempt({ isBeside: true })] })).toEqual(['beside']);
  });
});

describe('the use of allocations', () => {
  const allocation = { id: 7, cpus: 2, startMs: 95_000, endMs: 120_000, state: 'COMPLETED' };

  it('rows of the accounting without a start or an end are not counted', () => {
    const rows = '7|2|95|120|COMPLETED\n7|2|130|Unknown|RUNNING\n8|0|Unknown|99|CANCELLED by 0\n';
    expect(allocationsOf(rows)).toEqual([allocation]);
  });

  it('what was paid is what jobs used, and what starts, ends and waits took', () => {
    const second = job({
      id: 2,
      name: 'b',
      dependsOn: ['a'],
      attempts: [attempt({ job: 'b', beganMs: 112_000, doneMs: 116_000 })],
    });
    expect(usageOf([allocation], [job(), second], [])).toEqual({
      paid: 50,
      used: 14,
      lost: 0,
      afterKill: 0,
      starting: 10,
      tail: 8,
      between: 18,
      withWork: 21,
    });
  });

  it('an attempt that a kill ended is lost, and so is the time until Slurm ends its allocation', () => {
    const attempts = [attempt({ doneMs: undefined }), { ...again, allocation: 7 }];
    const killed = job({ attempts, completedIn: [{ run: 2, attempt: 1 }] });
    // Slurm has requeued it.
    const next = { id: 7, cpus: 1, startMs: 200_000, endMs: 210_000, state: 'COMPLETED' };
    expect(usageOf([allocation, next], [killed], [crash(105_000, { untilMs: 105_000 })])).toEqual({
      paid: 60,
      used: 10,
      lost: 5,
      afterKill: 30,
      starting: 10,
      tail: 0,
      between: 5,
      withWork: 35,
    });
  });
});

describe('the jobs of a night', () => {
  it('all together take 80 % of the time of all CPUs, and the same seed gives the same jobs', () => {
    const size = { jobs: 500, allocations: 10, minutes: 15, seed: 3 };
    const jobs = jobsOf(size);
    expect(jobs.reduce((sum, { seconds }) => sum + seconds, 0) / (10 * CPUS * 15 * 60)).toBeCloseTo(0.8, 2);
    expect(jobsOf(size)).toEqual(jobs);
    expect(jobsOf({ ...size, seed: 4 })).not.toEqual(jobs);
    expect(jobs.filter(({ dependsOn }) => dependsOn.length > 0)).toHaveLength(100);
  });
});
