import { expect, it } from 'vitest';
import type { Job } from '../../contract/job.ts';
import type { ResourceRequirements } from '../../contract/resources.ts';
import type { Result } from '../../contract/result.ts';
import { adjustmentsOf, raisedResults, type Adjustment, type UsedJob, usedJobsOf } from './used-jobs.ts';
import { USUAL_MULTIPLIERS } from './family-use.ts';
import { lackOf, lacksAnything, limitsOf } from './resource-use.ts';

const before = { id: 5, name: 'small', num_cpus: 1, memory: '200m', runtime: 'PT1H' } as ResourceRequirements;
const after = { ...before, num_cpus: 2, memory: '300m', runtime: 'PT2H' };
const jobWith = (id: number, cause?: string): UsedJob => ({
  id,
  name: `job${id}`,
  requirementsId: 5,
  isCompleted: false,
  use: undefined,
  limits: limitsOf(before),
  requirements: before,
  result: { id: 70 + id, cause } as Result,
});
const adjustment = (jobs: readonly UsedJob[], raised: Partial<Adjustment['correction']>): Adjustment => ({
  correction: {
    requirementsId: 5,
    direction: 'upscale',
    jobs,
    sharing: jobs,
    isSplit: false,
    memoryBytes: undefined,
    numCpus: undefined,
    runtimeSeconds: undefined,
    ...raised,
  },
  before,
  after,
});

it('the result of an attempt says what a recovery gives to the next one, behind what it said before', () => {
  const jobs = [jobWith(1, 'it used 394 of 200 MiB'), jobWith(2)];
  expect(raisedResults([adjustment(jobs, { memoryBytes: 300 * 2 ** 20 })], jobs)).toEqual([
    { resultId: 71, cause: 'it used 394 of 200 MiB; it had 200 MiB; the next attempt has 300 MiB (recovery)' },
    { resultId: 72, cause: 'it had 200 MiB; the next attempt has 300 MiB (recovery)' },
  ]);
});

it('all that a recovery raises is named, and a recovery that was killed and is repeated says it once', () => {
  const raised = { memoryBytes: 300 * 2 ** 20, numCpus: 2, runtimeSeconds: 7200 };
  const jobs = [jobWith(1)];
  const [first] = raisedResults([adjustment(jobs, raised)], jobs);
  expect(first?.cause).toBe('it had 200 MiB, 1 CPU, PT1H; the next attempt has 300 MiB, 2 CPUs, PT2H (recovery)');
  const again = [jobWith(1, first?.cause)];
  expect(raisedResults([adjustment(again, raised)], again)).toEqual([]);
});

it('jobs that name no requirements lack none of them, however they end: no advice and no recovery raises their record', () => {
  const needs = { ...before, name: 'default', num_cpus: 1, memory: '1m', runtime: 'PT1M' };
  const result = {
    id: 1,
    job_id: 1,
    status: 'failed',
    return_code: 1,
    exec_time_minutes: 90,
    peak_memory_bytes: 2 ** 30,
    avg_cpu_percent: 400,
  } as Result;
  const jobs = [{ id: 1, name: 'plain', status: 'failed', resource_requirements_id: 5 } as Job];
  const used = usedJobsOf({ jobs, results: [result], requirements: [needs], execution: undefined });
  expect(used.map(({ limits, use }) => use && lacksAnything(lackOf(limits, use)))).toEqual([false]);
  for (const purpose of ['advice', 'recovery'] as const)
    expect(
      adjustmentsOf(used, { multipliers: USUAL_MULTIPLIERS, downsizes: true, purpose, isChosen: () => true }),
    ).toEqual([]);
});
