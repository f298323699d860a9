import { expect } from 'vitest';
import type { Cases } from './case.ts';
import { counts, unknownWorkflow } from './usual.ts';
import { AT, resultOf } from './world.ts';

const offer = { num_cpus: 8, memory_gb: 16, num_gpus: 0, num_nodes: 1 };

const ended = {
  job_id: 1,
  attempt_id: 1,
  status: 'completed',
  return_code: 0,
  exec_time_minutes: 1,
  completion_time: AT,
};

export const runnerCases: Cases = {
  batchCompleteJobs: {
    answers: [
      {
        says: 'processes valid entries, and returns the reason for each refused one',
        params: { id: 1 },
        body: {
          completions: [
            { job_id: 1, status: 'completed', run_id: 1, result: resultOf() },
            { job_id: 1, status: 'completed', run_id: 1, result: resultOf() },
            { job_id: 4, status: 'completed', run_id: 1, result: { ...resultOf(), job_id: 4 } },
            { job_id: 9, status: 'completed', run_id: 1, result: { ...resultOf(), job_id: 9 } },
          ],
        },
        reply: {
          completed: [1],
          errors: [
            { job_id: 1, message: 'job_id=1 is already complete with status=completed', code: 'STATUS_REFUSED' },
            {
              job_id: 4,
              message: 'job_id=4 belongs to workflow_id=2 but batch target is workflow_id=1',
              code: 'STATUS_REFUSED',
            },
            { job_id: 9, message: 'Job not found with ID: 9', code: 'NOT_FOUND' },
          ],
        },
      },
      { says: 'takes none', params: { id: 1 }, body: { completions: [] }, reply: { completed: [], errors: [] } },
    ],
    refuses: [
      { ...unknownWorkflow, params: { id: 9 }, body: { completions: [] } },
      {
        says: 'names the entry that is malformed',
        params: { id: 1 },
        body: {
          completions: [{ job_id: 1, status: 'completed', run_id: 1, result: { ...resultOf(), return_code: 0.5 } }],
        },
        status: 422,
        code: 'BODY_REFUSED',
        message: 'completions[0].result.return_code: ',
      },
    ],
  },

  exchange: {
    answers: [
      {
        says: 'processes ends and assigns the jobs that they made ready, in one exchange',
        before: ({ client }) =>
          client.exchange({
            params: { id: 1 },
            body: { run_id: 1, compute_node_id: 1, want: { limit: 1, prefetch: 0, offer } },
          }),
        params: { id: 1 },
        body: { run_id: 1, compute_node_id: 1, completed: [ended], want: { limit: 1, prefetch: 0 } },
        reply: {
          jobs: [
            {
              id: 2,
              workflow_id: 1,
              name: 'second',
              command: 'true',
              env: { LEVEL: '1' },
              status: 'pending',
              cancel_on_blocking_job_failure: true,
              resource_requirements_id: 1,
              attempt_id: 1,
              priority: 0,
              need: { num_cpus: 1, memory_bytes: 1_048_576, num_gpus: 0, num_nodes: 1, runtime_seconds: 60 },
              input_files: [{ id: 2, path: 'data/out.csv' }],
            },
          ],
          errors: [],
          jobs_by_status: counts({ blocked: 0, ready: 1, pending: 1, completed: 1 }),
          is_complete: false,
          is_canceled: false,
          change_id: expect.any(Number),
        },
      },
      {
        says: 'may say nothing and want nothing',
        params: { id: 1 },
        body: { run_id: 1, compute_node_id: 1 },
        reply: {
          jobs: [],
          errors: [],
          jobs_by_status: counts(),
          is_complete: false,
          is_canceled: false,
          change_id: expect.any(Number),
        },
      },
    ],
    refuses: [
      { ...unknownWorkflow, params: { id: 9 }, body: { run_id: 1, compute_node_id: 1 } },
      {
        says: 'refuses a runner of another run',
        params: { id: 1 },
        body: { run_id: 2, compute_node_id: 1 },
        status: 422,
        code: 'RUN_SUPERSEDED',
        message: 'Run ID mismatch: provided 2 but workflow is at run 1',
      },
      {
        says: 'refuses a runner of another workflow',
        params: { id: 1 },
        body: { run_id: 1, compute_node_id: 2, want: { limit: 1, prefetch: 0 } },
        status: 422,
        code: 'REFERENCE_UNKNOWN',
        message: 'compute_node_id=2 is not a compute node of workflow 1',
      },
    ],
  },

  reportLostRunner: {
    answers: [
      {
        says: 'recovers its jobs: those that it started run again as the next attempt',
        before: (world) => world.start(),
        params: { id: 1, compute_node_id: 1 },
        body: { run_id: 1, reason: 'killed' },
        reply: { completed: [], requeued: [1], returned: [], errors: [] },
        after: async ({ client }) => {
          expect(await client.getJob({ params: { id: 1 } })).toMatchObject({ status: 'ready', attempt_id: 2 });
          expect(await client.getComputeNode({ params: { id: 1 } })).toMatchObject({ is_active: false });
          expect((await client.listResults({ query: { workflow_id: 1, all_runs: true } })).items).toMatchObject([
            { attempt_id: 1, return_code: -128 },
          ]);
        },
      },
    ],
    refuses: [
      {
        says: 'answers 404 for a runner of another workflow',
        params: { id: 1, compute_node_id: 2 },
        body: { run_id: 1, reason: 'killed' },
        status: 404,
        code: 'NOT_FOUND',
        message: 'Resource not found in compute_node with ID: 2',
      },
      {
        says: 'refuses another run',
        params: { id: 1, compute_node_id: 1 },
        body: { run_id: 2, reason: 'killed' },
        status: 422,
        code: 'RUN_SUPERSEDED',
        message: 'Run ID mismatch: provided 2 but workflow is at run 1',
      },
    ],
  },
};
