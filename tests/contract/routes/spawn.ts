import { expect } from 'vitest';
import type { Cases } from './case.ts';
import { unknownJob } from './usual.ts';
import { job } from './world.ts';

export const spawnCases: Cases = {
  retryJob: {
    answers: [
      {
        says: 'is ready again as the next attempt',
        before: (world) => world.finish(1),
        params: { id: 1, run_id: 1 },
        query: { max_retries: 2 },
        reply: { ...job, attempt_id: 2, origin: 'retry' },
      },
    ],
    refuses: [
      { ...unknownJob, params: { id: 9, run_id: 1 }, query: { max_retries: 2 } },
      {
        says: 'requires the maximum number of attempts',
        params: { id: 1, run_id: 1 },
        status: 400,
        code: 'PARAMETER_REFUSED',
        message: 'max_retries: ',
      },
      {
        says: 'refuses one that waits',
        params: { id: 1, run_id: 1 },
        query: { max_retries: 2 },
        status: 422,
        code: 'STATUS_REFUSED',
        message: 'Job cannot be retried: status is Ready, must be Running, Failed, or Terminated',
      },
      {
        says: 'refuses one that was tried often enough',
        before: (world) => world.finish(1),
        params: { id: 1, run_id: 1 },
        query: { max_retries: 1 },
        status: 422,
        code: 'STATUS_REFUSED',
        message: 'Job cannot be retried: attempt_id=1 >= max_retries=1',
      },
    ],
  },

  spawnJobs: {
    answers: [
      {
        says: 'adds jobs that wait for the one that speaks, and for each other',
        before: (world) => world.start(),
        params: { id: 1 },
        body: {
          jobs: [
            { name: 'x', command: 'true' },
            { name: 'y', command: 'true', depends_on: ['x', 'third'], resource_requirements: 'big' },
          ],
        },
        reply: { spawned_job_ids: [5, 6], iteration: 1 },
        after: async ({ client }) => {
          expect(await client.getJob({ params: { id: 6 } })).toMatchObject({
            status: 'blocked',
            origin: 'spawn',
            depends_on_job_ids: [1, 3, 5],
            resource_requirements_id: 3,
            env: { LEVEL: '1', TORC_ORCHESTRATOR_LINEAGE_ID: 'first' },
          });
        },
      },
    ],
    refuses: [
      { ...unknownJob, params: { id: 9 }, body: { jobs: [] } },
      {
        says: 'refuses a job that does not run',
        params: { id: 1 },
        body: { jobs: [{ name: 'x', command: 'true' }] },
        status: 422,
        code: 'STATUS_REFUSED',
        message: 'spawn_jobs requires the calling job to be Running (job_id=1 is Ready)',
      },
      {
        says: 'names the field that a closed schema does not have',
        before: (world) => world.start(),
        params: { id: 1 },
        body: { jobs: [{ name: 'x', command: 'true', env: {} }] },
        status: 422,
        code: 'BODY_REFUSED',
        message: 'jobs[0]: Unrecognized key: "env"',
      },
      {
        says: 'refuses a circle',
        before: (world) => world.start(),
        params: { id: 1 },
        body: {
          jobs: [
            { name: 'x', command: 'true', depends_on: ['y'] },
            { name: 'y', command: 'true', depends_on: ['x'] },
          ],
        },
        status: 422,
        code: 'CIRCLE',
        message: 'spawn jobs dependency graph contains a cycle',
      },
      {
        says: 'refuses to wait for a job that does not exist',
        before: (world) => world.start(),
        params: { id: 1 },
        body: { jobs: [{ name: 'x', command: 'true', depends_on: ['elsewhere'] }] },
        status: 422,
        code: 'REFERENCE_UNKNOWN',
        message: "spawn job 'x' depends on unknown job 'elsewhere'",
      },
    ],
  },
};
