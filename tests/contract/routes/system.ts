import { API_VERSION, VERSION } from '../../../src/core/contract/version.ts';
import type { Cases } from './case.ts';
import { AT_MS } from './world.ts';

const task = { id: 1, workflow_id: 1, operation: 'initialize_jobs', created_at_ms: AT_MS };

/** Asks for the initialization in the background; it is under way, but has not begun, when this returns. */
const begin = { params: { id: 1 }, query: { async: true } };

export const systemCases: Cases = {
  ping: {
    answers: [
      {
        says: 'says that the server is there, and its time of day',
        reply: { status: 'Server is running', now_ms: AT_MS },
      },
    ],
    refuses: [],
  },
  getVersion: {
    answers: [
      {
        says: 'returns the version of the program, that of the contract, and the commit, which sources do not know',
        reply: { version: VERSION, api_version: API_VERSION, git_hash: 'unknown' },
      },
    ],
    refuses: [],
  },
  getTask: {
    answers: [
      {
        says: 'returns how a task went',
        before: async ({ client, store }) => {
          await client.initializeJobs(begin);
          await store.turns.idle();
          // The work is a write of a later turn, which is over when one that is asked for after it is.
          await client.createEvent({ body: { workflow_id: 1, timestamp: 0, data: 0 } });
          await client.createEvent({ body: { workflow_id: 1, timestamp: 0, data: 0 } });
        },
        params: { id: 1 },
        reply: { ...task, status: 'succeeded', started_at_ms: AT_MS, finished_at_ms: AT_MS },
      },
    ],
    refuses: [
      {
        says: 'answers 404 for a task that does not exist',
        params: { id: 9 },
        status: 404,
        code: 'NOT_FOUND',
        message: 'Task not found',
      },
    ],
  },
  getActiveTask: {
    answers: [
      { says: 'says that no task is active', params: { id: 1 }, reply: { task: null } },
      {
        says: 'returns the active task',
        before: ({ client }) => client.initializeJobs(begin),
        params: { id: 1 },
        reply: { task: { ...task, status: 'queued' } },
      },
    ],
    refuses: [
      {
        says: 'answers 404 for a workflow that does not exist',
        params: { id: 9 },
        status: 404,
        code: 'NOT_FOUND',
        message: 'Workflow not found with ID: 9',
      },
    ],
  },
};
