import { expect, it } from 'vitest';
import { downstreamOf } from './downstream.ts';

const edges = (...pairs: readonly (readonly [job: number, waitsFor: number])[]) =>
  pairs.map(([job, upstream]) => ({ job_id: job, depends_on_job_id: upstream }));

it.each([
  ['of a chain, all later jobs', [1], edges([2, 1], [3, 2]), [2, 3]],
  ['of two jobs, a common dependent once', [1, 2], edges([3, 1], [3, 2]), [3]],
  ['of the last job, nothing before it', [3], edges([2, 1], [3, 2]), []],
  ['of two jobs, not the jobs themselves, although one depends on the other', [1, 2], edges([2, 1], [3, 2]), [3]],
  ['of a circle, each other job once', [1], edges([2, 1], [1, 2]), [2]],
  ['of no jobs, nothing', [], edges([2, 1]), []],
])('the downstream jobs: %s', (_, ids, all, expected) => {
  expect([...downstreamOf(ids, all)].sort((a, b) => a - b)).toEqual(expected);
});
