import { expect } from 'vitest';
import { recordedChanges } from '../../support/service.ts';
import type { Cases } from './case.ts';
import { inUnknownWorkflow, ofUnknownWorkflow, unknown, unknownWorkflow, whole } from './usual.ts';
import { AT, node, type World } from './world.ts';

const started = (world: World) => world.start();
const worker = { worker: 'me@host:22', workflow_id: 1 };
const stats = { id: 1, workflow_id: 1, job_id: 1, run_id: 1, attempt_id: 1, max_rss_bytes: 7 };
const { id: _, ...registering } = node;

export const nodeCases: Cases = {
  createComputeNode: {
    answers: [
      {
        says: 'echoes it, labels as they were sent; they are in order, each once, when it is read',
        body: { ...registering, labels: ['b', 'a', 'b'], is_active: null },
        reply: { ...registering, is_active: undefined, labels: ['b', 'a', 'b'], id: 3 },
        after: async ({ client }) =>
          expect(await client.getComputeNode({ params: { id: 3 } })).toEqual({
            ...node,
            id: 3,
            is_active: false,
            labels: ['a', 'b'],
          }),
      },
    ],
    refuses: [
      { ...unknownWorkflow, body: { ...registering, workflow_id: 9 } },
      {
        says: 'refuses a label with blanks at its ends',
        body: { ...registering, labels: [' a'] },
        status: 422,
        code: 'BODY_REFUSED',
        message: 'label must be non-empty with no comma and no leading or trailing whitespace, got " a"',
      },
    ],
  },

  listComputeNodes: {
    answers: [
      { says: 'lists all of a workflow', query: { workflow_id: 1 }, reply: whole(node) },
      { says: 'finds a part of a name in any case', query: { workflow_id: 1, hostname: 'CLUS' }, reply: whole(node) },
      { says: 'finds those that ended', query: { workflow_id: 1, is_active: false }, reply: whole() },
      {
        says: 'has a node posted without is_active neither among the active ones nor among those that ended',
        before: async (world) => {
          await world.client.createComputeNode({ body: { ...registering, is_active: undefined } });
          const listed = async (isActive?: boolean) =>
            (await world.client.listComputeNodes({ query: { workflow_id: 1, is_active: isActive } })).items.map(
              ({ id }) => id,
            );
          expect([await listed(), await listed(true), await listed(false)]).toEqual([[1, 3], [1], []]);
          // Once its runner says that it has ended it is among those that did.
          await world.client.updateComputeNode({ params: { id: 3 }, body: { is_active: false } });
        },
        query: { workflow_id: 1, is_active: false },
        reply: whole({ ...node, id: 3, is_active: false }),
      },
      {
        says: 'finds those of an allocation',
        query: { workflow_id: 1, scheduled_compute_node_id: 1 },
        reply: whole(node),
      },
    ],
    refuses: [ofUnknownWorkflow],
  },

  getComputeNode: {
    answers: [{ says: 'returns it', params: { id: 1 }, reply: node }],
    refuses: [unknown('compute_node')],
  },

  updateComputeNode: {
    answers: [
      {
        says: 'keeps what is not given, and its labels whatever is given',
        params: { id: 1 },
        body: { is_active: false, duration_seconds: 1.5, peak_memory_bytes: 9, labels: ['x'] },
        reply: { ...node, is_active: false, duration_seconds: 1.5, peak_memory_bytes: 9 },
        after: async ({ store }) =>
          expect(recordedChanges(store, 1).map(({ event_type }) => event_type)).toContain('compute_node_stopped'),
      },
    ],
    refuses: [{ ...unknown('compute_node'), body: {} }],
  },

  deleteComputeNode: {
    answers: [{ says: 'returns what it was', params: { id: 1 }, reply: node }],
    refuses: [
      unknown('compute_node'),
      {
        says: 'refuses as long as it holds jobs',
        before: started,
        params: { id: 1 },
        status: 422,
        code: 'IN_USE',
        message: 'compute node 1 of workflow 1: 1 job is pending or running there',
      },
    ],
  },

  deleteComputeNodes: {
    answers: [{ says: 'deletes all of a workflow', query: { workflow_id: 1 }, reply: { count: 1 } }],
    refuses: [
      ofUnknownWorkflow,
      {
        says: 'refuses as long as any holds jobs',
        before: started,
        query: { workflow_id: 1 },
        status: 422,
        code: 'IN_USE',
        message: 'runners of workflow 1: 1 job is pending or running there',
      },
    ],
  },

  addRemoteWorkers: {
    answers: [
      {
        says: 'answers one for each that was named, in that order, those that were there too',
        params: { id: 1 },
        body: ['z', 'me@host:22', 'z'],
        reply: [{ worker: 'z', workflow_id: 1 }, worker, { worker: 'z', workflow_id: 1 }],
        after: async ({ client }) =>
          expect(await client.listRemoteWorkers({ params: { id: 1 } })).toEqual([
            worker,
            { worker: 'z', workflow_id: 1 },
          ]),
      },
    ],
    refuses: [
      { ...unknownWorkflow, params: { id: 9 }, body: ['a'] },
      {
        says: 'refuses what ssh would take for an option, and adds none of the others',
        params: { id: 1 },
        body: ['a', '-oProxyCommand=sh'],
        status: 422,
        code: 'BODY_REFUSED',
        message: 'worker 1 is "-oProxyCommand=sh": expected [user@]host[:port]',
      },
    ],
  },

  listRemoteWorkers: {
    answers: [{ says: 'lists all by name', params: { id: 1 }, reply: [worker] }],
    refuses: [inUnknownWorkflow],
  },

  removeRemoteWorker: {
    answers: [{ says: 'returns which it was', params: { id: 1, worker: 'me@host:22' }, reply: worker }],
    refuses: [
      {
        says: 'answers 404 for one of another workflow',
        params: { id: 2, worker: 'me@host:22' },
        status: 404,
        code: 'NOT_FOUND',
        message: "Worker 'me@host:22' not found for workflow 2",
      },
    ],
  },

  createSlurmStats: {
    answers: [
      {
        says: 'echoes them with an id',
        body: { workflow_id: 1, job_id: 1, run_id: 1, attempt_id: 2, node_list: 'n[1-2]', ave_cpu_seconds: null },
        reply: { workflow_id: 1, job_id: 1, run_id: 1, attempt_id: 2, node_list: 'n[1-2]', id: 2 },
      },
    ],
    refuses: [
      {
        says: 'keeps those of an attempt once',
        body: { workflow_id: 1, job_id: 1, run_id: 1, attempt_id: 1 },
        status: 422,
        code: 'DUPLICATE',
        message: 'job_id=1 has Slurm statistics for run 1, attempt 1 already',
      },
      {
        says: 'refuses a job of another workflow',
        body: { workflow_id: 1, job_id: 4, run_id: 1, attempt_id: 1 },
        status: 422,
        code: 'REFERENCE_UNKNOWN',
        message: 'job 4 is not one of workflow 1',
      },
    ],
  },

  listSlurmStats: {
    answers: [
      { says: 'lists all of a workflow', query: { workflow_id: 1 }, reply: whole(stats) },
      { says: 'finds an attempt', query: { workflow_id: 1, job_id: 1, run_id: 1, attempt_id: 2 }, reply: whole() },
    ],
    refuses: [ofUnknownWorkflow],
  },

  listRunningJobs: {
    answers: [
      { says: 'returns nothing before a job runs', params: { id: 1 }, reply: whole() },
      {
        says: 'returns where each runs, and in which job of Slurm',
        before: started,
        params: { id: 1 },
        reply: whole({
          job_id: 1,
          job_name: 'first',
          compute_node_name: 'n01.cluster',
          scheduler_type: 'slurm',
          scheduler_job_id: '812',
          start_time: AT,
        }),
      },
    ],
    refuses: [inUnknownWorkflow],
  },

  listSlurmJobCorrelations: {
    answers: [
      {
        says: 'returns in which job of Slurm each job ended',
        before: (world) => world.finish(),
        params: { id: 1 },
        reply: whole({ slurm_job_id: '812', job_id: 1, job_name: 'first' }),
      },
    ],
    refuses: [inUnknownWorkflow],
  },
};
