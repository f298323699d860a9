import { expect } from 'vitest';
import type { Cases } from './case.ts';
import { ofUnknownWorkflow, unknown, unknownWorkflow, whole } from './usual.ts';
import { AT_MS, resultOf, type World } from './world.ts';

const result = { ...resultOf(), id: 1, job_name: 'first' };
const event = { id: 1, workflow_id: 2, timestamp: AT_MS, data: { category: 'note' } };

const finished = (world: World) => world.finish();
/** Job 1 failed and ran again: two results, of which the second is the one that counts. */
const twice = async (world: World) => {
  await world.finish(1);
  await world.client.retryJob({ params: { id: 1, run_id: 1 }, query: { max_retries: 3 } });
  await world.client.completeJob({
    params: { id: 1, status: 'completed', run_id: 1 },
    body: { ...resultOf(), attempt_id: 2 },
  });
};
const first = { ...resultOf(1), id: 1, job_name: 'first' };
const secondAttempt = { ...result, id: 2, attempt_id: 2 };

export const outcomeCases: Cases = {
  listResults: {
    answers: [
      {
        says: 'returns the current one of each job',
        before: twice,
        query: { workflow_id: 1 },
        reply: whole(secondAttempt),
      },
      {
        says: 'returns the history on request',
        before: twice,
        query: { workflow_id: 1, all_runs: true },
        reply: whole(first, secondAttempt),
      },
      {
        says: 'finds a return code',
        before: twice,
        query: { workflow_id: 1, all_runs: true, return_code: 1 },
        reply: whole(first),
      },
      {
        says: 'finds a status',
        before: twice,
        query: { workflow_id: 1, all_runs: true, status: 'completed', job_id: 1, run_id: 1, compute_node_id: 1 },
        reply: whole(secondAttempt),
      },
    ],
    refuses: [
      ofUnknownWorkflow,
      {
        says: 'refuses a status that is none',
        query: { workflow_id: 1, status: 'done' },
        status: 400,
        code: 'PARAMETER_REFUSED',
        message: 'status: ',
      },
    ],
  },

  getResult: {
    answers: [{ says: 'returns it with the name of its job', before: finished, params: { id: 1 }, reply: result }],
    refuses: [unknown('result')],
  },

  createResult: {
    answers: [
      {
        says: 'stores it as the current one of its job, whose status stays',
        body: { ...resultOf(), avg_memory_bytes: null },
        reply: { ...resultOf(), id: 1 },
        after: async ({ client }) => {
          expect(await client.getResult({ params: { id: 1 } })).toEqual(result);
          expect(await client.getJob({ params: { id: 1 } })).toMatchObject({ status: 'ready' });
          expect((await client.listResults({ query: { workflow_id: 1 } })).items).toEqual([result]);
        },
      },
      {
        says: 'puts it in the place of an earlier one: in lists, and in the times of the status',
        before: async (world) => {
          await world.finish();
          const { total_exec_time_minutes: minutes } = await world.client.getWorkflowStatus({ params: { id: 1 } });
          expect(minutes).toBe(resultOf().exec_time_minutes);
        },
        body: { ...resultOf(), run_id: 2, exec_time_minutes: 30, completion_time: '2026-03-01T14:00:00.000Z' },
        reply: {
          ...resultOf(),
          id: 2,
          run_id: 2,
          exec_time_minutes: 30,
          completion_time: '2026-03-01T14:00:00.000Z',
        },
        after: async ({ client }) => {
          const { items } = await client.listResults({ query: { workflow_id: 1 } });
          expect(items.map(({ id }) => id)).toEqual([2]);
          expect((await client.listResults({ query: { workflow_id: 1, all_runs: true } })).count).toBe(2);
          const status = await client.getWorkflowStatus({ params: { id: 1 } });
          expect(status).toMatchObject({ total_exec_time_minutes: 30, walltime_seconds: 1800 });
        },
      },
    ],
    refuses: [
      {
        says: 'keeps one of an attempt',
        before: finished,
        body: resultOf(),
        status: 422,
        code: 'DUPLICATE',
        message: 'job_id=1 has a result for run 1, attempt 1 already',
      },
      {
        says: 'refuses a job of another workflow',
        body: { ...resultOf(), job_id: 4 },
        status: 422,
        code: 'REFERENCE_UNKNOWN',
        message: 'job 4 is not one of workflow 1',
      },
      {
        says: 'refuses a runner of another workflow',
        body: { ...resultOf(), compute_node_id: 2 },
        status: 422,
        code: 'REFERENCE_UNKNOWN',
        message: 'compute_node_id=2 is not a compute node of workflow 1',
      },
      {
        says: 'refuses a duration that could not be added up',
        body: { ...resultOf(), exec_time_minutes: 1e308 },
        status: 422,
        code: 'BODY_REFUSED',
        message: 'exec_time_minutes: Too big',
      },
    ],
  },

  updateResult: {
    answers: [
      {
        says: 'keeps what is not given',
        before: finished,
        params: { id: 1 },
        body: { return_code: 3, status: 'failed' },
        reply: { ...result, return_code: 3, status: 'failed', cause_code: 'exit' },
      },
    ],
    refuses: [{ ...unknown('result'), body: {} }],
  },

  deleteResult: {
    answers: [
      {
        says: 'returns what it was; the job has none then',
        before: finished,
        params: { id: 1 },
        reply: result,
        after: async ({ client }) =>
          expect((await client.listResults({ query: { workflow_id: 1 } })).total_count).toBe(0),
      },
    ],
    refuses: [unknown('result')],
  },

  deleteResults: {
    answers: [
      { says: 'deletes all of a workflow', before: twice, query: { workflow_id: 1 }, reply: { count: 2 } },
      { says: 'leaves those of another alone', before: twice, query: { workflow_id: 2 }, reply: { count: 0 } },
    ],
    refuses: [ofUnknownWorkflow],
  },

  createEvent: {
    answers: [
      {
        says: 'has the time of the server, regardless of the request',
        body: { workflow_id: 1, timestamp: 5, data: ['anything'] },
        reply: { workflow_id: 1, timestamp: AT_MS, data: ['anything'], id: 3 },
      },
    ],
    refuses: [
      { ...unknownWorkflow, body: { workflow_id: 9, timestamp: 0, data: {} } },
      {
        says: 'requires a time',
        body: { workflow_id: 1, data: {} },
        status: 422,
        code: 'BODY_REFUSED',
        message: 'timestamp: ',
      },
      {
        says: 'requires at least one setting',
        body: { workflow_id: 1, timestamp: 0 },
        status: 422,
        code: 'BODY_REFUSED',
        message: 'data: ',
      },
    ],
  },

  listEvents: {
    answers: [
      { says: 'lists what was written down', query: { workflow_id: 2 }, reply: whole(event) },
      { says: 'finds a category exactly', query: { workflow_id: 2, category: 'not' }, reply: whole() },
      {
        says: 'leaves out an event and those behind it',
        query: { workflow_id: 2, before_id: event.id },
        reply: whole(),
      },
      { says: 'finds what came after', query: { workflow_id: 2, after_timestamp: AT_MS - 1 }, reply: whole(event) },
      { says: 'leaves out what came just then', query: { workflow_id: 2, after_timestamp: AT_MS }, reply: whole() },
    ],
    refuses: [ofUnknownWorkflow],
  },

  getEvent: {
    answers: [{ says: 'returns it', params: { id: 1 }, reply: event }],
    refuses: [unknown('event')],
  },

  updateEvent: {
    answers: [
      {
        says: 'replaces what it says',
        params: { id: 1 },
        body: { b: [null] },
        reply: { ...event, data: { b: [null] } },
      },
    ],
    refuses: [{ ...unknown('event'), body: {} }],
  },

  deleteEvent: {
    answers: [{ says: 'returns what it was', params: { id: 1 }, reply: event }],
    refuses: [unknown('event')],
  },

  deleteEvents: {
    answers: [
      {
        says: 'deletes all of a workflow and none of another',
        query: { workflow_id: 2 },
        reply: { count: 1 },
        after: async ({ client }) => expect((await client.listEvents({ query: { workflow_id: 1 } })).count).toBe(1),
      },
    ],
    refuses: [ofUnknownWorkflow],
  },
};
