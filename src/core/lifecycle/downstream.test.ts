import { expect, it } from 'vitest';
import { downstreamOf } from './downstream.ts';

const edges = (...pairs: readonly (readonly [job: number, waitsFor: number])[]) =>
  pairs.map(([job, upstream]) => ({ job_id: job, depends_on_job_id: upstream }));

it.each([
  ['a chain, to its end', [1], edges([2, 1], [3, 2]), [2, 3]],
  ['what waits for two of them, once', [1, 2], edges([3, 1], [3, 2]), [3]],
  ['nothing before a job', [3], edges([2, 1], [3, 2]), []],
  ['not the jobs themselves, though one waits for another', [1, 2], edges([2, 1], [3, 2]), [3]],
  ['a circle, without going round for ever', [1], edges([2, 1], [1, 2]), [2]],
  ['nothing of no jobs', [], edges([2, 1]), []],
])('downstream is %s', (_, ids, all, expected) => {
  expect([...downstreamOf(ids, all)].sort((a, b) => a - b)).toEqual(expected);
});
