import { describe, expect, it } from 'vitest';
import { runtimeFit, spreadOf } from './runtime-fit.ts';

const job = (runtimeSeconds: number, ...labels: string[]) => ({ runtimeSeconds, labels });
const allocation = (seconds: number | undefined, ...labels: string[]) => ({
  time: seconds === undefined ? undefined : { claimableSeconds: seconds },
  labels,
});

describe('ready jobs that lack only runtime', () => {
  it.each([
    ['none if a runner has no time limit', [job(9999)], [allocation(60), allocation(undefined)], [0, 1]],
    ['a job for which no runner has enough time', [job(600), job(60)], [allocation(300), allocation(100)], [1, 2]],
    ['no job as long as a runner takes', [job(300)], [allocation(300)], [0, 0]],
    ['a job that is longer by one second', [job(301)], [allocation(300)], [1, 1]],
    ['none without runners, because a runner is missing and not time', [job(600)], [], [0, 0]],
    ['none if no runner has the labels', [job(600, 'gpu')], [allocation(60)], [0, 0]],
    [
      'a job whose labels only a runner with too little time has',
      [job(600, 'gpu')],
      [allocation(60, 'gpu'), allocation(undefined)],
      [1, 1],
    ],
  ])('ready jobs that lack only runtime: %s', (_, jobs, allocations, [blocked, tooShort]) => {
    expect(runtimeFit(jobs, allocations)).toEqual({ blocked, tooShort });
  });
});

it.each([
  [[300, 100, 200], { count: 3, min_seconds: 100, median_seconds: 200, max_seconds: 300 }],
  [[400, 100, 200, 300], { count: 4, min_seconds: 100, median_seconds: 250, max_seconds: 400 }],
  [[7], { count: 1, min_seconds: 7, median_seconds: 7, max_seconds: 7 }],
  [[], { count: 0, min_seconds: null, median_seconds: null, max_seconds: null }],
])('minimum, median and maximum of %j', (seconds, expected) => {
  expect(spreadOf(seconds)).toEqual(expected);
});
