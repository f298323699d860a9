import { expect, it } from 'vitest';
import type { Allocation } from '../../cluster/batch/allocation.ts';
import { offeredNodes } from './offered-nodes.ts';

const own = { name: 'host', cpus: 4, memoryBytes: 4000, devices: ['0', '1'] };
const allocation: Allocation = {
  jobId: 7,
  nodeId: 0,
  taskPid: 1,
  nodes: 2,
  cpus: 4,
  cpusPerNode: [4, 2],
  memoryBytes: 4000,
  memoryPerNode: [4000, 1000],
  gpusPerNode: [2, 1],
  restarts: 0,
  step: '',
  isInStep: false,
  canStartSteps: false,
};
const given = { mode: 'direct', batch: { nodesOf: async () => ['n1', 'n2'] }, allocation, own } as const;
const log = { write() {}, close() {} };

it('a runner that starts processes on all nodes offers what the allocation has of each', async () => {
  expect(await offeredNodes({ ...given, startsFar: true, log })).toEqual([
    { ...own, name: 'n1' },
    { name: 'n2', cpus: 2, memoryBytes: 1000, devices: ['0'] },
  ]);
});

it('a runner of processes offers its own node alone where it can start none elsewhere', async () => {
  expect(await offeredNodes({ ...given, startsFar: false, log })).toEqual([own]);
});
