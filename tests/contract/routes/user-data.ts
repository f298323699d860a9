import { expect } from 'vitest';
import type { Cases } from './case.ts';
import { inUnknownWorkflow, ofUnknownWorkflow, unknown, unknownWorkflow, whole } from './usual.ts';
import { answer, parameters } from './world.ts';

export const userDataCases: Cases = {
  listMissingUserData: {
    answers: [
      { says: 'misses nothing that a job will make', params: { id: 1 }, reply: { user_data: [] } },
      {
        says: 'misses what a completed job should have made',
        before: (world) => world.finish(),
        params: { id: 1 },
        reply: { user_data: [2] },
      },
      {
        says: 'misses what is read and never made',
        before: ({ client }) => client.deleteJob({ params: { id: 1 } }),
        params: { id: 1 },
        reply: { user_data: [2] },
      },
    ],
    refuses: [inUnknownWorkflow],
  },

  createUserData: {
    answers: [
      {
        says: 'keeps any JSON, and null is nothing',
        body: { workflow_id: 1, name: 'new', data: null },
        reply: { workflow_id: 1, name: 'new', id: 4 },
      },
      {
        says: 'is read and made by the jobs that are named',
        query: { consumer_job_id: 2, producer_job_id: 1 },
        body: { workflow_id: 1, name: 'new', data: { 'ü\0': [1.5, -0.25, false] } },
        reply: { workflow_id: 1, name: 'new', data: { 'ü\0': [1.5, -0.25, false] }, id: 4 },
        after: async ({ client }) => {
          expect((await client.getJob({ params: { id: 1 } })).output_user_data_ids).toEqual([2, 4]);
          expect((await client.getJob({ params: { id: 2 } })).input_user_data_ids).toEqual([2, 4]);
        },
      },
    ],
    refuses: [
      { ...unknownWorkflow, body: { workflow_id: 9, name: 'new' } },
      {
        says: 'refuses a reader of another workflow',
        query: { consumer_job_id: 4 },
        body: { workflow_id: 1, name: 'new' },
        status: 422,
        code: 'REFERENCE_UNKNOWN',
        message: 'consumer_job_id 4 is not a job of workflow 1',
      },
    ],
  },

  createUserDataList: {
    answers: [
      {
        says: 'creates them in the order in which they came',
        body: {
          user_data: [
            { workflow_id: 1, name: 'b', data: 1 },
            { workflow_id: 1, name: 'a', is_ephemeral: true },
          ],
        },
        reply: {
          user_data: [
            { workflow_id: 1, name: 'b', data: 1, id: 4 },
            { workflow_id: 1, name: 'a', is_ephemeral: true, id: 5 },
          ],
        },
      },
    ],
    refuses: [
      {
        says: 'refuses none',
        body: { user_data: [] },
        status: 422,
        code: 'BODY_REFUSED',
        message: 'Bulk user_data creation requires a non-empty `user_data` array',
      },
      {
        says: 'refuses two workflows in one call',
        body: {
          user_data: [
            { workflow_id: 1, name: 'a' },
            { workflow_id: 2, name: 'b' },
          ],
        },
        status: 422,
        code: 'BODY_REFUSED',
        message: 'All user_data entries in a batch must have the same workflow_id. Found workflow_ids: 1 and 2',
      },
    ],
  },

  listUserData: {
    answers: [
      { says: 'lists all, those without a value too', query: { workflow_id: 1 }, reply: whole(parameters, answer) },
      { says: 'finds a part of a name in any case', query: { workflow_id: 1, name: 'ANS' }, reply: whole(answer) },
      { says: 'finds what is kept for a while', query: { workflow_id: 1, is_ephemeral: true }, reply: whole(answer) },
      { says: 'finds what a job reads', query: { workflow_id: 1, consumer_job_id: 1 }, reply: whole(parameters) },
      { says: 'finds what a job makes', query: { workflow_id: 1, producer_job_id: 1 }, reply: whole(answer) },
    ],
    refuses: [ofUnknownWorkflow],
  },

  getUserData: {
    answers: [{ says: 'returns it', params: { id: 1 }, reply: parameters }],
    refuses: [unknown('user_data')],
  },

  updateUserData: {
    answers: [
      { says: 'publishes a value', params: { id: 2 }, body: { data: [1] }, reply: { ...answer, data: [1] } },
      { says: 'keeps the value when null is given', params: { id: 1 }, body: { data: null }, reply: parameters },
      {
        says: 'removes the value where that is asked for',
        params: { id: 1 },
        query: { clear_data: true },
        body: { name: 'none' },
        reply: { id: 1, workflow_id: 1, name: 'none', is_ephemeral: false },
      },
    ],
    refuses: [{ ...unknown('user_data'), body: { data: 1 } }],
  },

  deleteUserData: {
    answers: [{ says: 'returns what it was', params: { id: 1 }, reply: parameters }],
    refuses: [unknown('user_data')],
  },

  deleteUserDataList: {
    answers: [
      {
        says: 'deletes all of a workflow and says how many',
        query: { workflow_id: 1 },
        reply: { message: 'Deleted 2 user data records for workflow 1', deleted_count: 2 },
      },
    ],
    refuses: [ofUnknownWorkflow],
  },
};
