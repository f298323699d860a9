import { expect, it } from 'vitest';
import { partlyIdle } from './idle-nodes.ts';

const runner = (hostname: string, scheduler: Record<string, unknown> | null, nodes = 1) => ({
  hostname,
  num_nodes: nodes,
  scheduler: scheduler as Record<string, string> | null,
});
const of3 = { type: 'slurm', slurm_job_id: '7', slurm_num_nodes: 3 };

it('an allocation of several nodes with a runner on one of them has idle nodes', () => {
  expect(partlyIdle([runner('n1', of3)])).toEqual([{ slurm_job_id: '7', nodes: 3, idle_nodes: 2 }]);
  expect(partlyIdle([runner('n1', of3), runner('n1', of3), runner('n2', of3)])).toEqual([
    { slurm_job_id: '7', nodes: 3, idle_nodes: 1 },
  ]);
});

it('no node is idle with a runner on each, with one that uses all, or where nothing is known', () => {
  expect(partlyIdle([runner('n1', of3), runner('n2', of3), runner('n3', of3)])).toEqual([]);
  expect(partlyIdle([runner('n1', of3, 3)])).toEqual([]);
  expect(partlyIdle([runner('n1', { slurm_job_id: '7' }), runner('laptop', null)])).toEqual([]);
});
