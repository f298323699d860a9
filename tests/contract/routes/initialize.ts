import { expect } from 'vitest';
import type { Cases } from './case.ts';
import { inUnknownWorkflow, whole } from './usual.ts';
import { AT_MS, type World } from './world.ts';

const statusOf = async ({ client }: World, id: number) => (await client.getJob({ params: { id } })).status;

const edge = {
  job_id: 2,
  job_name: 'second',
  depends_on_job_id: 1,
  depends_on_job_name: 'first',
  workflow_id: 1,
};

export const initializeCases: Cases = {
  listJobDependencies: {
    answers: [
      {
        says: 'returns who waits for whom, once they were initialized',
        params: { id: 1 },
        reply: whole(edge),
      },
      {
        says: 'uses the nearest valid page',
        params: { id: 1 },
        query: { offset: -1, limit: 100_001 },
        reply: whole(edge),
      },
    ],
    refuses: [inUnknownWorkflow],
  },

  listJobFileRelationships: {
    answers: [
      {
        says: 'returns who makes and who reads a file, and leaves out whom there is not',
        params: { id: 1 },
        reply: whole(
          {
            file_id: 1,
            file_name: 'in',
            file_path: 'data/in.csv',
            workflow_id: 1,
            consumer_job_id: 1,
            consumer_job_name: 'first',
          },
          {
            file_id: 2,
            file_name: 'out',
            file_path: 'data/out.csv',
            workflow_id: 1,
            producer_job_id: 1,
            producer_job_name: 'first',
            consumer_job_id: 2,
            consumer_job_name: 'second',
          },
        ),
      },
    ],
    refuses: [inUnknownWorkflow],
  },

  listJobUserDataRelationships: {
    answers: [
      {
        says: 'returns who makes and who reads a value',
        params: { id: 1 },
        reply: whole(
          {
            user_data_id: 1,
            user_data_name: 'parameters',
            workflow_id: 1,
            consumer_job_id: 1,
            consumer_job_name: 'first',
          },
          {
            user_data_id: 2,
            user_data_name: 'answer',
            workflow_id: 1,
            producer_job_id: 1,
            producer_job_name: 'first',
            consumer_job_id: 2,
            consumer_job_name: 'second',
          },
        ),
      },
    ],
    refuses: [inUnknownWorkflow],
  },

  listJobIds: {
    answers: [{ says: 'returns the ids and how many', params: { id: 1 }, reply: { job_ids: [1, 2, 3], count: 3 } }],
    refuses: [inUnknownWorkflow],
  },

  processChangedJobInputs: {
    answers: [
      { says: 'finds nothing when nothing changed', params: { id: 1 }, reply: { reinitialized_jobs: [] } },
      {
        says: 'makes those uninitialized that read what changed',
        before: ({ client }) => client.updateUserData({ params: { id: 1 }, body: { data: { a: 2 } } }),
        params: { id: 1 },
        reply: { reinitialized_jobs: ['first'] },
        after: async (world) => expect(await statusOf(world, 1)).toBe('uninitialized'),
      },
      {
        says: 'only says which when it is tried',
        before: ({ client }) => client.updateUserData({ params: { id: 1 }, body: { data: { a: 2 } } }),
        params: { id: 1 },
        query: { dry_run: true },
        reply: { reinitialized_jobs: ['first'] },
        after: async (world) => expect(await statusOf(world, 1)).toBe('ready'),
      },
    ],
    refuses: [inUnknownWorkflow],
  },

  initializeJobs: {
    answers: [
      {
        says: 'makes jobs ready or blocked',
        before: ({ client }) => client.resetJobStatus({ params: { id: 1 } }),
        params: { id: 1 },
        reply: { message: 'Initialized job status' },
        after: async (world) =>
          expect([await statusOf(world, 1), await statusOf(world, 2)]).toEqual(['ready', 'blocked']),
      },
      {
        says: 'answers a task before the work on request',
        params: { id: 1 },
        query: { async: true, only_uninitialized: true },
        status: 202,
        reply: { id: 1, workflow_id: 1, operation: 'initialize_jobs', status: 'queued', created_at_ms: AT_MS },
      },
    ],
    refuses: [
      inUnknownWorkflow,
      {
        says: 'refuses a second task that is another',
        before: ({ client }) => client.initializeJobs({ params: { id: 1 }, query: { async: true } }),
        params: { id: 1 },
        query: { async: true, only_uninitialized: false },
        status: 409,
        code: 'TASK_ACTIVE',
        goesOn: 'async_handle',
        message: 'initialize_jobs task already active with different parameters: ',
      },
    ],
  },
};
