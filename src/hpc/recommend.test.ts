import { expect, test } from 'vitest';
import { minutesText, recommend } from './recommend.ts';

const situation = (ideal: number, idle: number, pressure: number) => ({
  ideal,
  nodesEach: 1,
  nodes: { idle, mixed: 0, allocated: 0, down: 0, total: 100 },
  queue: { pendingJobs: 1, pendingNodes: pressure * 100, runningJobs: 0 },
  isOffline: false,
});
const shape = (given: Parameters<typeof recommend>[0]) => {
  const { strategy, allocations, nodesPerAllocation } = recommend(given);
  return [strategy, allocations, nodesPerAllocation];
};

test.each([
  [10, 12, 0.1, ['single', 1, 10]],
  [10, 12, 0.6, ['chunked', 2, 5]],
  [10, 3, 0, ['many-small', 10, 1]],
  [10, 6, 1, ['chunked', 4, 3]],
  [10, 12, 2.5, ['many-small', 10, 1]],
  [1, 0, 5, ['single', 1, 1]],
] as const)(
  '%i nodes with %i idle ones and a pressure of %d are asked for as %j',
  (ideal, idle, pressure, expected) => {
    expect(shape(situation(ideal, idle, pressure))).toEqual(expected);
  },
);

test.each([
  [12, 0.1, ['many-small', 10, 4]],
  [40, 0.1, ['single', 1, 40]],
  [24, 0.6, ['chunked', 4, 12]],
] as const)(
  '%i idle nodes for ten jobs of four nodes, with a pressure of %d, are asked for as %j',
  (idle, pressure, expected) => {
    expect(shape({ ...situation(10, idle, pressure), nodesEach: 4 })).toEqual(expected);
  },
);

test('allocations of more nodes than there are in all are not recommended', () => {
  const nodes = { idle: 4, mixed: 0, allocated: 0, down: 0, total: 6 };
  expect(shape({ ...situation(3, 4, 0.6), nodes, nodesEach: 4 })).toEqual(['many-small', 3, 4]);
});

test('without a look at the cluster each node is an allocation', () => {
  expect(shape({ ...situation(10, 12, 0), isOffline: true })).toEqual(['default', 10, 1]);
});

test.each([
  [180, ['single', 1, 10]],
  [200, ['many-small', 10, 1]],
] as const)('a large allocation that finishes in %i min is compared with ten small ones', (largeFinish, expected) => {
  const estimates = { largeFinish, smallWait: 10, smallFinish: 100 };
  expect(shape({ ...situation(10, 3, 0), estimates })).toEqual(expected);
});

test.each([
  [0.75, '45s'],
  [45, '45min'],
  [120, '2h'],
  [150, '2h 30min'],
  [-5, '0s'],
])('%d minutes are written as %s', (minutes, text) => {
  expect(minutesText(minutes)).toBe(text);
});
