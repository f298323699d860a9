import { describe, expect, it } from 'vitest';
import { runtimeFit, spreadOf } from './runtime-fit.ts';

const job = (runtimeSeconds: number, ...labels: string[]) => ({ runtimeSeconds, labels });
const allocation = (secondsLeft: number | undefined, ...labels: string[]) => ({ secondsLeft, labels });

describe('ready jobs that wait for nothing but time', () => {
  it.each([
    ['none where a runner has no end', [job(9999)], [allocation(60), allocation(undefined)], [0, 1]],
    ['one that no runner has the time for', [job(600), job(60)], [allocation(300), allocation(100)], [1, 2]],
    ['none that ends within the grace behind an allocation', [job(420)], [allocation(300)], [0, 0]],
    ['one a second longer', [job(421)], [allocation(300)], [1, 1]],
    ['none where there is no runner at all: time is not what is missing', [job(600)], [], [0, 0]],
    ['none where no runner has the labels', [job(600, 'gpu')], [allocation(60)], [0, 0]],
    [
      'one with the labels of a runner that is too short',
      [job(600, 'gpu')],
      [allocation(60, 'gpu'), allocation(undefined)],
      [1, 1],
    ],
  ])('are %s', (_, jobs, allocations, [blocked, tooShort]) => {
    expect(runtimeFit(jobs, allocations)).toEqual({ blocked, tooShort });
  });
});

it.each([
  [[300, 100, 200], { count: 3, min_seconds: 100, median_seconds: 200, max_seconds: 300 }],
  [[400, 100, 200, 300], { count: 4, min_seconds: 100, median_seconds: 250, max_seconds: 400 }],
  [[7], { count: 1, min_seconds: 7, median_seconds: 7, max_seconds: 7 }],
  [[], { count: 0, min_seconds: null, median_seconds: null, max_seconds: null }],
])('the spread of %j', (seconds, expected) => {
  expect(spreadOf(seconds)).toEqual(expected);
});
