import { expect } from 'vitest';
import type { Cases } from './case.ts';
import { inUnknownWorkflow, ofUnknownWorkflow, second, unknownJob } from './usual.ts';
import { job, relationships, type World } from './world.ts';

const withoutWorkflow = {
  says: 'requires the workflow',
  status: 400,
  code: 'PARAMETER_REFUSED',
  message: 'workflow_id: ',
} as const;
const statusOf = async ({ client }: World, id: number) => (await client.getJob({ params: { id } })).status;

export const reviseJobCases: Cases = {
  bindJobs: {
    answers: [
      {
        says: 'binds jobs to a scheduler, and says how many were not bound to it before',
        before: ({ client }) =>
          client.updateJob({
            params: { id: 1 },
            body: { name: 'first', command: 'python first.py', scheduler_id: 1 },
          }),
        params: { id: 1 },
        body: { scheduler_id: 1, job_ids: [1, 2] },
        reply: { bound: 1 },
        after: async ({ client }) => {
          expect((await client.getJob({ params: { id: 2 } })).scheduler_id).toBe(1);
        },
      },
      {
        says: 'binds nothing for an empty list',
        params: { id: 1 },
        body: { scheduler_id: 1, job_ids: [] },
        reply: { bound: 0 },
      },
    ],
    refuses: [
      { ...inUnknownWorkflow, body: { scheduler_id: 1, job_ids: [1] } },
      {
        says: 'binds none of them if one is of another workflow',
        params: { id: 1 },
        body: { scheduler_id: 1, job_ids: [1, 4] },
        status: 404,
        code: 'NOT_FOUND',
        message: 'Job not found with ID: 4; no job was bound',
      },
      {
        says: 'names a scheduler that the workflow does not have',
        params: { id: 1 },
        body: { scheduler_id: 9, job_ids: [1] },
        status: 422,
        code: 'REFERENCE_UNKNOWN',
        message: 'scheduler 9',
      },
    ],
  },

  updateJob: {
    answers: [
      {
        says: 'changes at any time what a claim looks at',
        params: { id: 1 },
        body: { name: 'first', command: 'python first.py', priority: 1, labels: ['z', 'a'], scheduler_id: 1 },
        reply: { ...job, priority: 1, labels: ['a', 'z'], scheduler_id: 1 },
      },
      {
        says: 'takes back what it returned, with something changed',
        params: { id: 1 },
        body: { ...job, ...relationships, priority: 9 },
        reply: { ...job, priority: 9 },
      },
      {
        says: 'changes the rest as long as it is uninitialized',
        params: { id: 4 },
        body: { name: 'new', command: 'false', status: 'disabled' },
        reply: {
          ...second,
          id: 4,
          workflow_id: 2,
          name: 'new',
          command: 'false',
          status: 'disabled',
          resource_requirements_id: 2,
          env: undefined,
        },
      },
    ],
    refuses: [
      {
        says: 'does not change what it reads',
        before: ({ client }) => client.resetJobStatus({ params: { id: 1 } }),
        params: { id: 1 },
        body: { name: 'first', command: 'python first.py', input_file_ids: [1, 2] },
        status: 422,
        code: 'FIELD_IMMUTABLE',
        message: 'Cannot modify input_file_ids - this field is immutable after job creation',
      },
      { ...unknownJob, params: { id: 9 }, body: { name: 'a', command: 'b' } },
      {
        says: 'requires name and command',
        params: { id: 1 },
        body: { priority: 1 },
        status: 422,
        code: 'BODY_REFUSED',
        message: 'name: ',
      },
      {
        says: 'does not change the command of one that is ready',
        params: { id: 1 },
        body: { name: 'first', command: 'new' },
        status: 422,
        code: 'FIELD_IMMUTABLE',
        message: "Cannot update job 1 when status is 'ready'",
      },
      {
        says: 'refuses requirements of another workflow',
        params: { id: 1 },
        body: { name: 'first', command: 'python first.py', resource_requirements_id: 2 },
        status: 422,
        code: 'REFERENCE_UNKNOWN',
        message: "job 'first' names resource_requirements 2, which workflow 1 does not have",
      },
      {
        says: 'refuses to wait for itself',
        params: { id: 4 },
        body: { name: 'elsewhere', command: 'true', depends_on_job_ids: [4] },
        status: 422,
        code: 'CIRCLE',
        message: 'depends_on_job_ids of job 4 makes it wait for itself',
      },
      {
        says: 'refuses to wait for what waits for it',
        before: ({ client }) => client.resetJobStatus({ params: { id: 1 } }),
        params: { id: 1 },
        body: { name: 'first', command: 'python first.py', depends_on_job_ids: [2] },
        status: 422,
        code: 'CIRCLE',
        message: 'depends_on_job_ids of job 1 makes it wait for itself',
      },
      {
        says: 'refuses to wait for a job of another workflow',
        before: ({ client }) => client.resetJobStatus({ params: { id: 1 } }),
        params: { id: 1 },
        body: { name: 'first', command: 'python first.py', depends_on_job_ids: [4] },
        status: 422,
        code: 'REFERENCE_UNKNOWN',
        message: 'depends_on_job_ids names 4, which is no job of the workflow',
      },
    ],
  },

  deleteJob: {
    answers: [
      {
        says: 'returns what it was; who waited for it need not any more',
        params: { id: 1 },
        reply: job,
        after: async (world) => expect(await statusOf(world, 2)).toBe('ready'),
      },
    ],
    refuses: [
      { ...unknownJob, params: { id: 9 } },
      {
        says: 'refuses one that a runner holds',
        before: (world) => world.start(),
        params: { id: 1 },
        status: 422,
        code: 'STATUS_REFUSED',
        message: 'job 1 is running: a runner holds it',
      },
    ],
  },

  deleteJobs: {
    answers: [
      {
        says: 'deletes all of a workflow and none of another',
        query: { workflow_id: 1 },
        reply: { count: 3 },
        after: async (world) => expect(await statusOf(world, 4)).toBe('uninitialized'),
      },
    ],
    refuses: [
      ofUnknownWorkflow,
      withoutWorkflow,
      {
        says: 'refuses while one runs',
        before: (world) => world.start(),
        query: { workflow_id: 1 },
        status: 422,
        code: 'STATUS_REFUSED',
        message: '1 jobs of workflow 1 are pending or running',
      },
    ],
  },
};
