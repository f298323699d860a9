import { expect } from 'vitest';
import { recordedChanges } from '../../support/service.ts';
import type { Cases } from './case.ts';
import { inUnknownWorkflow, ofUnknownWorkflow, unknown, unknownWorkflow, whole } from './usual.ts';
import { allocation, scheduler, type World } from './world.ts';

const local = { id: 1, workflow_id: 1, memory: '4g', num_cpus: 2 };
const { id: _, ...scheduling } = scheduler;
const { id: __, ...allocating } = allocation;
const plan = { allocations: 2, max_parallel_jobs: 4, action_id: 1 };
const planned = { ...allocating, scheduler_id: 0, status: 'planned', plan };
const planTwo = ({ client }: World) =>
  client.createScheduledComputeNodes({ body: { scheduled_compute_nodes: [planned, planned] } });

export const schedulerCases: Cases = {
  createSlurmScheduler: {
    answers: [
      {
        says: 'echoes it with an id',
        body: { ...scheduling, gres: 'gpu:1', mem: null },
        reply: { ...scheduling, gres: 'gpu:1', id: 3 },
      },
      {
        says: 'says that allocations are not serialized where the body does not ask for it',
        body: { ...scheduling, serialize_allocations: null },
        reply: { ...scheduling, serialize_allocations: false, id: 3 },
      },
    ],
    refuses: [
      { ...unknownWorkflow, body: { ...scheduling, workflow_id: 9 } },
      {
        says: 'requires a name',
        body: { ...scheduling, name: null },
        status: 422,
        code: 'BODY_REFUSED',
        message: 'a Slurm scheduler needs a name',
      },
    ],
  },

  listSlurmSchedulers: {
    answers: [{ says: 'lists all of a workflow', query: { workflow_id: 1 }, reply: whole(scheduler) }],
    refuses: [ofUnknownWorkflow],
  },

  getSlurmScheduler: {
    answers: [{ says: 'returns it', params: { id: 1 }, reply: scheduler }],
    refuses: [unknown('slurm_scheduler')],
  },

  updateSlurmScheduler: {
    answers: [
      {
        says: 'keeps what is not given',
        params: { id: 1 },
        body: { nodes: 4, qos: 'high' },
        reply: { ...scheduler, nodes: 4, qos: 'high' },
      },
    ],
    refuses: [
      { ...unknown('slurm_scheduler'), body: {} },
      {
        says: 'refuses half a node',
        params: { id: 1 },
        body: { nodes: 0.5 },
        status: 422,
        code: 'BODY_REFUSED',
        message: 'nodes: ',
      },
    ],
  },

  deleteSlurmScheduler: {
    answers: [{ says: 'returns what it was', params: { id: 1 }, reply: scheduler }],
    refuses: [unknown('slurm_scheduler')],
  },

  deleteSlurmSchedulers: {
    answers: [
      {
        says: 'deletes all of a workflow and none of another',
        query: { workflow_id: 1 },
        reply: { count: 1 },
        after: async ({ client }) =>
          expect((await client.listSlurmSchedulers({ query: { workflow_id: 2 } })).count).toBe(1),
      },
    ],
    refuses: [ofUnknownWorkflow],
  },

  createScheduledComputeNode: {
    answers: [
      {
        says: 'echoes it and reports it',
        body: { ...allocating, status: 'pending' },
        reply: { ...allocating, status: 'pending', id: 2 },
        after: async ({ store }) =>
          expect(recordedChanges(store, 1).at(-1)).toMatchObject({
            event_type: 'scheduler_node_created',
            entries: [{ category: 'scheduler', scheduled_compute_node_id: 2, scheduler_id: 812, status: 'pending' }],
          }),
      },
    ],
    refuses: [{ ...unknownWorkflow, body: { ...allocating, workflow_id: 9 } }],
  },

  createScheduledComputeNodes: {
    answers: [
      {
        says: 'echoes them in order and reports them together',
        body: { scheduled_compute_nodes: [planned, { ...planned, held: 'max_queued 1' }] },
        reply: {
          scheduled_compute_nodes: [
            { ...planned, id: 2 },
            { ...planned, held: 'max_queued 1', id: 3 },
          ],
        },
        after: async ({ client, store }) => {
          expect(await client.getScheduledComputeNode({ params: { id: 3 } })).toEqual({
            ...planned,
            held: 'max_queued 1',
            id: 3,
          });
          expect(recordedChanges(store, 1).at(-1)?.entries).toMatchObject([
            { scheduled_compute_node_id: 2, status: 'planned' },
            { scheduled_compute_node_id: 3, status: 'planned' },
          ]);
        },
      },
    ],
    refuses: [
      { ...unknownWorkflow, body: { scheduled_compute_nodes: [{ ...planned, workflow_id: 9 }] } },
      {
        says: 'refuses allocations of two workflows',
        body: { scheduled_compute_nodes: [planned, { ...planned, workflow_id: 2 }] },
        status: 422,
        code: 'BODY_REFUSED',
        message: 'All allocations in a batch must have the same workflow_id. Found workflow_ids: 1 and 2',
      },
    ],
  },

  changeScheduledComputeNodes: {
    answers: [
      {
        says: 'makes planned allocations tasks of an array, numbered by their ids, and changes none with another status',
        before: planTwo,
        params: { id: 1 },
        body: { ids: [1, 2, 3], from: 'planned', status: 'submitting', array_record_id: 2 },
        reply: { changed: [2, 3] },
        after: async ({ client }) => {
          const change = { from: 'submitting', status: 'pending', scheduler_id: 34, array_job_id: 34 };
          await client.changeScheduledComputeNodes({ params: { id: 1 }, body: { ids: [2, 3], ...change } });
          const { items } = await client.listScheduledComputeNodes({ query: { workflow_id: 1, status: 'pending' } });
          const task = { ...planned, status: 'pending', scheduler_id: 34, array_job_id: 34 };
          expect(items).toEqual([
            { ...task, id: 2, array_task_id: 0 },
            { ...task, id: 3, array_task_id: 1 },
          ]);
        },
      },
      {
        says: 'makes them no tasks any more when they are planned again, and says why they are held back',
        before: async (world) => {
          await planTwo(world);
          const body = { ids: [2], from: 'planned', status: 'submitting', array_record_id: 2 };
          await world.client.changeScheduledComputeNodes({ params: { id: 1 }, body });
        },
        params: { id: 1 },
        body: { ids: [2], from: 'submitting', status: 'planned', held: 'max_queued 1', max_queued: 1 },
        reply: { changed: [2] },
        after: async ({ client }) =>
          expect(await client.getScheduledComputeNode({ params: { id: 2 } })).toEqual({
            ...planned,
            plan: { ...planned.plan, max_queued: 1 },
            held: 'max_queued 1',
            id: 2,
          }),
      },
      {
        says: 'changes none of another workflow',
        before: planTwo,
        params: { id: 2 },
        body: { ids: [2], from: 'planned', status: 'canceled' },
        reply: { changed: [] },
      },
    ],
    refuses: [{ ...inUnknownWorkflow, body: { ids: [1], from: 'planned', status: 'canceled' } }],
  },

  listScheduledComputeNodes: {
    answers: [
      { says: 'lists all of a workflow', query: { workflow_id: 1 }, reply: whole(allocation) },
      { says: 'finds the job of Slurm', query: { workflow_id: 1, scheduler_id: 812 }, reply: whole(allocation) },
      { says: 'finds a status', query: { workflow_id: 1, status: 'active' }, reply: whole() },
    ],
    refuses: [ofUnknownWorkflow],
  },

  getScheduledComputeNode: {
    answers: [{ says: 'returns it', params: { id: 1 }, reply: allocation }],
    refuses: [unknown('scheduled_compute_node')],
  },

  updateScheduledComputeNode: {
    answers: [
      {
        says: 'keeps what is not given, and its workflow',
        params: { id: 1 },
        body: { status: 'active', workflow_id: 2 },
        reply: { ...allocation, status: 'active' },
      },
    ],
    refuses: [{ ...unknown('scheduled_compute_node'), body: {} }],
  },

  deleteScheduledComputeNode: {
    answers: [{ says: 'returns what it was', params: { id: 1 }, reply: allocation }],
    refuses: [unknown('scheduled_compute_node')],
  },

  deleteScheduledComputeNodes: {
    answers: [
      { says: 'deletes all of a workflow', query: { workflow_id: 1 }, reply: { count: 1 } },
      { says: 'leaves those of another alone', query: { workflow_id: 2 }, reply: { count: 0 } },
    ],
    refuses: [ofUnknownWorkflow],
  },

  createLocalScheduler: {
    answers: [
      {
        says: 'echoes it; the name is not kept',
        body: { workflow_id: 1, name: 'n', memory: '1g', num_cpus: 1 },
        reply: { workflow_id: 1, name: 'n', memory: '1g', num_cpus: 1, id: 2 },
        after: async ({ client }) =>
          expect(await client.getLocalScheduler({ params: { id: 2 } })).not.toHaveProperty('name'),
      },
    ],
    refuses: [
      {
        says: 'requires memory and CPUs',
        body: { workflow_id: 1, name: 'n', memory: '1g' },
        status: 422,
        code: 'BODY_REFUSED',
        message: 'a local scheduler needs memory and num_cpus',
      },
    ],
  },

  listLocalSchedulers: {
    answers: [{ says: 'lists all of a workflow', query: { workflow_id: 1 }, reply: whole(local) }],
    refuses: [ofUnknownWorkflow],
  },

  getLocalScheduler: {
    answers: [{ says: 'returns it', params: { id: 1 }, reply: local }],
    refuses: [unknown('local_scheduler')],
  },

  updateLocalScheduler: {
    answers: [
      { says: 'keeps what is not given', params: { id: 1 }, body: { num_cpus: 3 }, reply: { ...local, num_cpus: 3 } },
    ],
    refuses: [{ ...unknown('local_scheduler'), body: {} }],
  },

  deleteLocalScheduler: {
    answers: [{ says: 'returns what it was', params: { id: 1 }, reply: local }],
    refuses: [unknown('local_scheduler')],
  },

  deleteLocalSchedulers: {
    answers: [{ says: 'deletes all of a workflow', query: { workflow_id: 1 }, reply: { count: 1 } }],
    refuses: [ofUnknownWorkflow],
  },
};
