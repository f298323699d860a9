import { expect } from 'vitest';
import type { Cases } from './case.ts';
import { inUnknownWorkflow, unknownJob } from './usual.ts';
import { action, job, node, requirements, resultOf, scheduler, workflow } from './world.ts';

const of = {
  workflow,
  slurm_schedulers: [scheduler],
  remote_workers: ['me@host:22'],
  actions: [expect.objectContaining({ id: action.id, action_type: action.action_type })],
  runners: [expect.objectContaining({ id: 1, hostname: node.hostname })],
  last_runner: expect.objectContaining({ id: 1, hostname: node.hostname }),
  allocations: [],
};

export const factCases: Cases = {
  getKnownWorkflow: {
    answers: [
      { says: 'answers with what its jobs run on', params: { id: 1 }, reply: of },
      {
        says: 'answers with the last runner when none is active any more, and with allocations that wait',
        async before({ client }) {
          await client.updateComputeNode({ params: { id: 1 }, body: { is_active: false } });
          const waiting = { scheduler_id: 813, scheduler_config_id: 1, scheduler_type: 'slurm', status: 'pending' };
          await client.createScheduledComputeNode({ body: { workflow_id: 1, ...waiting } });
        },
        params: { id: 1 },
        reply: { ...of, runners: [], allocations: [expect.objectContaining({ scheduler_id: 813, status: 'pending' })] },
      },
    ],
    refuses: [inUnknownWorkflow],
  },

  getKnownJob: {
    answers: [
      {
        says: 'answers with the jobs that a blocked one waits for',
        params: { id: 2 },
        reply: expect.objectContaining({
          upstream: [{ id: 1, name: 'first', status: 'ready' }],
          upstream_left_out: 0,
          results_left_out: 0,
          results: [],
          running: [],
        }),
      },
      {
        says: 'answers with the attempts of one that ended, and their runners',
        before: (world) => world.finish(1),
        params: { id: 1 },
        reply: {
          job: expect.objectContaining({ id: 1, name: job.name, status: 'failed' }),
          of: { ...of, workflow: expect.objectContaining({ id: 1 }) },
          requirements,
          upstream: [],
          upstream_left_out: 0,
          results_left_out: 0,
          results: [expect.objectContaining({ ...resultOf(1), id: 1 })],
          nodes: [expect.objectContaining({ id: 1 })],
          running: [],
          running_requirements: [],
        },
      },
    ],
    refuses: [{ ...unknownJob, params: { id: 9 } }],
  },
};
