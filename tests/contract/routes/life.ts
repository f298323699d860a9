import { expect } from 'vitest';
import { ask, type Cases } from './case.ts';
import { unknownJob } from './usual.ts';
import { job, resultOf, type World } from './world.ts';

const statusOf = async ({ client }: World, id: number) => (await client.getJob({ params: { id } })).status;

export const lifeCases: Cases = {
  startJob: {
    answers: [
      {
        says: 'runs then; the reply says where and since when',
        before: (world) => world.claim(),
        params: { id: 1, run_id: 1, compute_node_id: 1 },
        reply: { ...job, status: 'running' },
        after: async ({ client }) =>
          expect(await client.getJob({ params: { id: 1 } })).toMatchObject({
            status: 'running',
            compute_node_id: 1,
            start_time: '2026-03-01T12:00:00.000Z',
          }),
      },
    ],
    refuses: [
      { ...unknownJob, params: { id: 9, run_id: 1, compute_node_id: 1 } },
      {
        says: 'refuses a job that is not claimed',
        params: { id: 1, run_id: 1, compute_node_id: 1 },
        status: 422,
        code: 'STATUS_REFUSED',
        message: 'job_id=1 has invalid status=ready. Expected SubmittedPending for job start.',
      },
      {
        says: 'refuses another run',
        before: (world) => world.claim(),
        params: { id: 1, run_id: 2, compute_node_id: 1 },
        status: 422,
        code: 'RUN_SUPERSEDED',
        message: 'Run ID mismatch: provided 2 but workflow status has 1',
      },
      {
        says: 'refuses a runner of another workflow',
        before: (world) => world.claim(),
        params: { id: 1, run_id: 1, compute_node_id: 2 },
        status: 422,
        code: 'REFERENCE_UNKNOWN',
        message: 'compute node 2 is not one of workflow 1',
      },
    ],
  },

  completeJob: {
    answers: [
      {
        says: 'ends, and what waited for it is ready at once',
        before: (world) => world.start(),
        params: { id: 1, status: 'completed', run_id: 1 },
        body: resultOf(),
        reply: { ...job, status: 'completed' },
        after: async (world) => expect(await statusOf(world, 2)).toBe('ready'),
      },
      {
        says: 'fails, and what waited for it and asked for that is canceled',
        before: (world) => world.start(),
        params: { id: 1, status: 'failed', run_id: 1 },
        body: resultOf(1),
        reply: { ...job, status: 'failed' },
        after: async (world) => expect(await statusOf(world, 2)).toBe('canceled'),
      },
      {
        says: 'need not have run',
        params: { id: 1, status: 'completed', run_id: 1 },
        body: resultOf(),
        reply: { ...job, status: 'completed' },
      },
    ],
    refuses: [
      { ...unknownJob, params: { id: 9, status: 'completed', run_id: 1 }, body: resultOf() },
      {
        says: 'ends once',
        before: (world) => world.finish(),
        params: { id: 1, status: 'completed', run_id: 1 },
        body: { ...resultOf(), attempt_id: 2 },
        status: 422,
        code: 'STATUS_REFUSED',
        message: 'job_id=1 is already complete with status=completed',
      },
      {
        says: 'does not end with what is no end',
        params: { id: 1, status: 'ready', run_id: 1 },
        body: { ...resultOf(), status: 'ready' },
        status: 422,
        code: 'STATUS_REFUSED',
        message: "Status 'ready' is not a terminal status for job completion",
      },
      {
        says: 'refuses a report of another run, and keeps nothing of it',
        params: { id: 1, status: 'completed', run_id: 7 },
        body: { ...resultOf(), run_id: 7 },
        status: 422,
        code: 'RUN_SUPERSEDED',
        message: 'Run ID mismatch: provided 7 but workflow is at run 1',
      },
      ...(
        [
          ['job_id', 2, 1],
          ['workflow_id', 2, 1],
          ['run_id', 2, 1],
          ['status', "'failed'", "'completed'"],
        ] as const
      ).map(([field, reported, meant]) => ({
        says: `refuses a result whose ${field} is another`,
        params: { id: 1, status: 'completed', run_id: 1 },
        body: { ...resultOf(), [field]: typeof reported === 'string' ? 'failed' : reported },
        status: 422,
        code: 'BODY_REFUSED' as const,
        message: `ResultModel ${field}=${reported} does not match target ${field}=${meant}`,
      })),
      {
        says: 'refuses a runner of another workflow',
        params: { id: 1, status: 'completed', run_id: 1 },
        body: { ...resultOf(), compute_node_id: 2 },
        status: 422,
        code: 'REFERENCE_UNKNOWN',
        message: 'compute_node_id=2 is not a compute node of workflow 1',
      },
      {
        says: 'refuses a status that is none',
        params: { id: 1, status: 'done', run_id: 1 },
        body: resultOf(),
        status: 400,
        code: 'PARAMETER_REFUSED',
        message: 'Invalid URL: status: ',
      },
    ],
  },

  manageStatusChange: {
    answers: [
      {
        says: 'is set by hand',
        params: { id: 1, status: 'blocked', run_id: 1 },
        reply: { ...job, status: 'blocked' },
      },
      {
        says: 'does nothing when it is so already, whatever the run',
        params: { id: 1, status: 'ready', run_id: 7 },
        reply: job,
      },
      {
        says: 'takes what ran after it back when it is to run again',
        before: async (world) => {
          await world.finish();
          await ask(world, 'completeJob', {
            params: { id: 2, status: 'completed', run_id: 1 },
            body: { ...resultOf(), job_id: 2 },
          });
        },
        params: { id: 1, status: 'uninitialized', run_id: 1 },
        reply: { ...job, status: 'uninitialized' },
        after: async (world) => expect(await statusOf(world, 2)).toBe('uninitialized'),
      },
    ],
    refuses: [
      { ...unknownJob, params: { id: 9, status: 'ready', run_id: 1 } },
      {
        says: 'does not end a job',
        params: { id: 1, status: 'completed', run_id: 1 },
        status: 422,
        code: 'STATUS_REFUSED',
        message: "Cannot set completion status 'completed' via manage_status_change. Use complete_job API instead.",
      },
      {
        says: 'refuses another run',
        params: { id: 1, status: 'blocked', run_id: 2 },
        status: 422,
        code: 'RUN_SUPERSEDED',
        message: 'Run ID mismatch: provided 2 but workflow is at run 1',
      },
    ],
  },
};
