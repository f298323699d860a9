import { expect } from 'vitest';
import type { Cases } from './case.ts';
import { negativeOffset, ofUnknownWorkflow, second, unknownJob, unknownWorkflow, whole } from './usual.ts';
import { job, relationships } from './world.ts';

const withoutWorkflow = {
  says: 'requires the workflow',
  status: 400,
  code: 'PARAMETER_REFUSED',
  message: 'workflow_id: ',
} as const;
const third = { ...second, id: 3, name: 'third', command: 'sleep 1', status: 'ready', labels: ['gpu'] };

/** Each list of ids that a job may bring, with an id of the other workflow. */
const foreign = [
  ['depends_on_job_ids', 4],
  ['input_file_ids', 3],
  ['output_file_ids', 3],
  ['input_user_data_ids', 3],
  ['output_user_data_ids', 3],
] as const;

export const jobCases: Cases = {
  createJob: {
    answers: [
      {
        says: 'echoes what was sent with the default requirements, uninitialized, labels in order and each once',
        body: { workflow_id: 1, name: 'new', command: 'true', labels: ['b', 'a', 'b'], status: 'ready', env: null },
        reply: {
          workflow_id: 1,
          name: 'new',
          command: 'true',
          labels: ['a', 'b'],
          status: 'uninitialized',
          resource_requirements_id: 1,
          id: 5,
        },
        after: async ({ client }) =>
          expect(await client.getJob({ params: { id: 5 } })).toEqual({
            ...second,
            id: 5,
            name: 'new',
            status: 'uninitialized',
            labels: ['a', 'b'],
          }),
      },
      {
        says: 'puts its own environment over that of the workflow, and keeps the requirements that it names',
        body: {
          workflow_id: 1,
          name: 'new',
          command: 'true',
          env: { LEVEL: '2', MODE: 'x' },
          resource_requirements_id: 3,
        },
        reply: {
          workflow_id: 1,
          name: 'new',
          command: 'true',
          env: { LEVEL: '2', MODE: 'x' },
          resource_requirements_id: 3,
          status: 'uninitialized',
          id: 5,
        },
        after: async ({ client }) =>
          expect((await client.getJob({ params: { id: 5 } })).env).toEqual({ LEVEL: '2', MODE: 'x' }),
      },
    ],
    refuses: [
      { ...unknownWorkflow, body: { workflow_id: 9, name: 'new', command: 'true' } },
      ...foreign.map(([field, id]) => ({
        says: `refuses ${field} of another workflow`,
        body: { workflow_id: 1, name: 'new', command: 'true', [field]: [id] },
        status: 422,
        code: 'REFERENCE_UNKNOWN' as const,
        message: `${field} of job 'new' names ${id}, which workflow 1 does not have`,
      })),
      {
        says: 'refuses requirements of another workflow',
        body: { workflow_id: 1, name: 'new', command: 'true', resource_requirements_id: 2 },
        status: 422,
        code: 'REFERENCE_UNKNOWN',
        message: "job 'new' names resource_requirements 2, which workflow 1 does not have",
      },
      {
        says: 'refuses a scheduler of another workflow',
        body: { workflow_id: 1, name: 'new', command: 'true', scheduler_id: 2 },
        status: 422,
        code: 'REFERENCE_UNKNOWN',
        message: "job 'new' names scheduler 2, which workflow 1 does not have",
      },
      {
        says: 'refuses a failure handler that does not exist',
        body: { workflow_id: 1, name: 'new', command: 'true', failure_handler_id: 2 },
        status: 422,
        code: 'REFERENCE_UNKNOWN',
        message: "job 'new' names failure_handler 2, which workflow 1 does not have",
      },
      {
        says: 'refuses a priority below zero',
        body: { workflow_id: 1, name: 'new', command: 'true', priority: -1 },
        status: 422,
        code: 'BODY_REFUSED',
        message: "priority must be >= 0, got -1 for job 'new'",
      },
      {
        says: 'refuses a label that a query could not name',
        body: { workflow_id: 1, name: 'new', command: 'true', labels: ['a,b'] },
        status: 422,
        code: 'BODY_REFUSED',
        message:
          'label must be non-empty with no comma and no leading or trailing whitespace, got "a,b" for job \'new\'',
      },
      {
        says: 'refuses a name that no shell could use for a variable',
        body: { workflow_id: 1, name: 'new', command: 'true', env: { '1': 'x' } },
        status: 422,
        code: 'BODY_REFUSED',
        message: "Invalid job env key '1'; expected [A-Za-z_][A-Za-z0-9_]*",
      },
      {
        says: 'refuses to wait for itself, whose id can only be guessed',
        body: { workflow_id: 1, name: 'new', command: 'true', depends_on_job_ids: [5] },
        status: 422,
        code: 'REFERENCE_UNKNOWN',
        message: "depends_on_job_ids of job 'new' names 5, which did not exist before this request",
      },
    ],
  },

  createJobs: {
    answers: [
      {
        says: 'takes dependencies among them by their places in the call',
        body: {
          jobs: ['b', 'a', 'c'].map((name) => ({ workflow_id: 1, name, command: 'true' })),
          depends_on_positions: [[], [0], [0, 1]],
        },
        reply: {
          jobs: [
            { workflow_id: 1, name: 'b', command: 'true', status: 'uninitialized', resource_requirements_id: 1, id: 5 },
            {
              workflow_id: 1,
              name: 'a',
              command: 'true',
              depends_on_job_ids: [5],
              status: 'uninitialized',
              resource_requirements_id: 1,
              id: 6,
            },
            {
              workflow_id: 1,
              name: 'c',
              command: 'true',
              depends_on_job_ids: [5, 6],
              status: 'uninitialized',
              resource_requirements_id: 1,
              id: 7,
            },
          ],
        },
      },
      {
        says: 'creates them in the order in which they came',
        body: {
          jobs: [
            { workflow_id: 1, name: 'b', command: 'true' },
            { workflow_id: 1, name: 'a', command: 'true', depends_on_job_ids: [3] },
          ],
        },
        reply: {
          jobs: [
            { workflow_id: 1, name: 'b', command: 'true', status: 'uninitialized', resource_requirements_id: 1, id: 5 },
            {
              workflow_id: 1,
              name: 'a',
              command: 'true',
              depends_on_job_ids: [3],
              status: 'uninitialized',
              resource_requirements_id: 1,
              id: 6,
            },
          ],
        },
      },
      {
        says: 'answers only the ids on request',
        query: { reply: 'ids' },
        body: { jobs: [{ workflow_id: 1, name: 'b', command: 'true' }] },
        reply: { job_ids: [5] },
      },
    ],
    refuses: [
      {
        says: 'refuses all of them for one, and names it',
        body: {
          jobs: [
            { workflow_id: 1, name: 'b', command: 'true' },
            { workflow_id: 1, name: 'a' },
          ],
        },
        status: 422,
        code: 'BODY_REFUSED',
        message: 'jobs[1].command: ',
      },
      {
        says: 'refuses none',
        body: { jobs: [] },
        status: 422,
        code: 'BODY_REFUSED',
        message: 'Bulk job creation requires a non-empty `jobs` array',
      },
      {
        says: 'refuses two of one name',
        body: {
          jobs: [
            { workflow_id: 1, name: 'q', command: 'true' },
            { workflow_id: 1, name: 'q', command: 'true' },
          ],
        },
        status: 422,
        code: 'DUPLICATE',
        message: "Duplicate job name 'q' in bulk create request",
      },
      {
        says: 'refuses two workflows in one call',
        body: {
          jobs: [
            { workflow_id: 1, name: 'a', command: 'true' },
            { workflow_id: 2, name: 'b', command: 'true' },
          ],
        },
        status: 422,
        code: 'BODY_REFUSED',
        message: 'All jobs in a batch must have the same workflow_id. Found workflow_ids: 1 and 2',
      },
      {
        says: 'refuses the place of a job that does not come before the one that depends on it',
        body: {
          jobs: ['b', 'a'].map((name) => ({ workflow_id: 1, name, command: 'true' })),
          depends_on_positions: [[], [1]],
        },
        status: 422,
        code: 'REFERENCE_UNKNOWN',
        message: "depends_on_positions of job 'a' names 1; expected 0 to 0",
      },
      {
        says: 'refuses a place before the first',
        body: {
          jobs: ['b', 'a'].map((name) => ({ workflow_id: 1, name, command: 'true' })),
          depends_on_positions: [[-1], []],
        },
        status: 422,
        code: 'REFERENCE_UNKNOWN',
        message: "depends_on_positions of job 'b' names -1; the first job has no job before it",
      },
      {
        says: 'refuses places for more jobs than there are',
        body: {
          jobs: ['b', 'a'].map((name) => ({ workflow_id: 1, name, command: 'true' })),
          depends_on_positions: [[], [], [0]],
        },
        status: 422,
        code: 'REFERENCE_UNKNOWN',
        message: 'depends_on_positions has 3 lists for 2 jobs',
      },
    ],
  },

  listJobs: {
    answers: [
      { says: 'lists all of a workflow', query: { workflow_id: 1 }, reply: whole(job, second, third) },
      { says: 'finds a status', query: { workflow_id: 1, status: 'blocked' }, reply: whole(second) },
      { says: 'finds a part of a name in any case', query: { workflow_id: 1, name: 'IR' }, reply: whole(job, third) },
      { says: 'treats % and _ as ordinary characters', query: { workflow_id: 1, command: '%' }, reply: whole() },
      { says: 'finds who reads a file', query: { workflow_id: 1, needs_file_id: 2 }, reply: whole(second) },
      { says: 'finds who waits for a job', query: { workflow_id: 1, upstream_job_id: 1 }, reply: whole(second) },
      {
        says: 'finds what a runner with labels could claim',
        query: { workflow_id: 1, labels: 'cpu,gpu' },
        reply: whole(third),
      },
      { says: 'finds what one without could', query: { workflow_id: 1, labels: '' }, reply: whole(job, second) },
      { says: 'finds what was not retried', query: { workflow_id: 1, origin_is_set: true }, reply: whole() },
      {
        says: 'returns relationships when they are asked for',
        query: { workflow_id: 1, include_relationships: true, limit: 1, offset: 1 },
        reply: {
          ...whole({ ...second, depends_on_job_ids: [1], input_file_ids: [2], input_user_data_ids: [2] }),
          offset: 1,
          total_count: 3,
          has_more: true,
        },
      },
      {
        says: 'finds what runs on a runner',
        before: (world) => world.start(),
        query: { workflow_id: 1, active_compute_node_id: 1 },
        reply: whole({ ...job, status: 'running', compute_node_id: 1, start_time: '2026-03-01T12:00:00.000Z' }),
      },
    ],
    refuses: [
      ofUnknownWorkflow,
      withoutWorkflow,
      { ...negativeOffset, query: { workflow_id: 1, offset: -1 } },
      {
        says: 'refuses a status that is none',
        query: { workflow_id: 1, status: 'done' },
        status: 400,
        code: 'PARAMETER_REFUSED',
        message: 'status: ',
      },
    ],
  },

  getJob: {
    answers: [{ says: 'returns it with its relationships', params: { id: 1 }, reply: { ...job, ...relationships } }],
    refuses: [{ ...unknownJob, params: { id: 9 } }],
  },
};
