import { expect } from 'vitest';
import type { Cases } from './case.ts';
import { inUnknownWorkflow, ofUnknownWorkflow, unknownWorkflow, whole } from './usual.ts';
import { defaultRequirements, handler, requirements } from './world.ts';

export const requirementsCases: Cases = {
  createResourceRequirements: {
    answers: [
      {
        says: 'echoes the words; what was left out has its default when it is read',
        body: { workflow_id: 1, name: 'new', memory: '512K' },
        reply: { workflow_id: 1, name: 'new', memory: '512K', id: 4 },
        after: async ({ client }) =>
          expect(await client.getResourceRequirements({ params: { id: 4 } })).toEqual({
            id: 4,
            workflow_id: 1,
            name: 'new',
            num_cpus: 1,
            num_gpus: 0,
            num_nodes: 1,
            memory: '512K',
            runtime: 'PT1M',
          }),
      },
    ],
    refuses: [
      { ...unknownWorkflow, body: { workflow_id: 9, name: 'new' } },
      {
        says: 'refuses no CPU',
        body: { workflow_id: 1, name: 'new', num_cpus: 0 },
        status: 422,
        code: 'BODY_REFUSED',
        message: 'num_cpus must be > 0, got 0',
      },
      {
        says: 'refuses a unit of two letters',
        body: { workflow_id: 1, name: 'new', memory: '1gb' },
        status: 422,
        code: 'MEMORY_MALFORMED',
        message: "Invalid memory format '1gb': ",
      },
      {
        says: 'refuses a runtime that is none',
        body: { workflow_id: 1, name: 'new', runtime: '1h' },
        status: 422,
        code: 'DURATION_MALFORMED',
        message: "Invalid runtime format '1h': ",
      },
      {
        says: 'keeps the name of those that it makes itself',
        body: { workflow_id: 1, name: 'default' },
        status: 422,
        code: 'DUPLICATE',
        message: "Cannot create resource requirement named 'default' via external API",
      },
    ],
  },

  listResourceRequirements: {
    answers: [
      { says: 'lists all', query: { workflow_id: 1 }, reply: whole(defaultRequirements, requirements) },
      { says: 'finds a runtime in seconds', query: { workflow_id: 1, runtime: 3600 }, reply: whole(requirements) },
      { says: 'finds CPUs', query: { workflow_id: 1, num_cpus: 1 }, reply: whole(defaultRequirements) },
    ],
    refuses: [
      ofUnknownWorkflow,
      {
        says: 'names the number that is none',
        query: { workflow_id: 1, num_cpus: '1.5' },
        status: 400,
        code: 'PARAMETER_REFUSED',
        message: 'num_cpus: Invalid input: expected a whole number',
      },
    ],
  },

  getResourceRequirements: {
    answers: [{ says: 'returns them', params: { id: 3 }, reply: requirements }],
    refuses: [
      {
        says: 'answers 404 for what does not exist',
        params: { id: 9 },
        status: 404,
        code: 'NOT_FOUND',
        message: 'Resource not found in resource_requirements with ID: 9',
      },
    ],
  },

  updateResourceRequirements: {
    answers: [
      {
        says: 'replaces them whole, and creates an event',
        params: { id: 3 },
        body: { workflow_id: 1, name: 'big', memory: '4g' },
        reply: { ...requirements, num_cpus: 1, memory: '4g', runtime: 'PT1M' },
        after: async ({ client }) => {
          const { items } = await client.listEvents({ query: { workflow_id: 1, category: 'user_action' } });
          expect(items.at(-1)?.data).toMatchObject({ action: 'update_resource_requirements', user: 'ada' });
        },
      },
    ],
    refuses: [
      {
        says: 'refuses no node',
        params: { id: 3 },
        body: { workflow_id: 1, name: 'big', num_nodes: -1 },
        status: 422,
        code: 'BODY_REFUSED',
        message: 'num_nodes must be > 0, got -1',
      },
      {
        says: 'answers 404 for what does not exist',
        params: { id: 9 },
        body: { workflow_id: 1, name: 'big' },
        status: 404,
        code: 'NOT_FOUND',
        message: 'Resource not found in resource_requirements with ID: 9',
      },
    ],
  },

  deleteResourceRequirements: {
    answers: [
      {
        says: 'returns what they were',
        before: ({ client }) => client.deleteJob({ params: { id: 1 } }),
        params: { id: 3 },
        reply: requirements,
      },
    ],
    refuses: [
      {
        says: 'refuses as long as a job has them',
        params: { id: 3 },
        status: 422,
        code: 'IN_USE',
        message: 'resource requirements 3 of workflow 1: 1 job uses them',
      },
    ],
  },

  deleteResourceRequirementsList: {
    answers: [
      {
        says: 'deletes all of a workflow and none of another',
        before: ({ client }) => client.deleteJobs({ query: { workflow_id: 1 } }),
        query: { workflow_id: 1 },
        reply: { count: 2 },
        after: async ({ client }) =>
          expect((await client.listResourceRequirements({ query: { workflow_id: 2 } })).total_count).toBe(1),
      },
    ],
    refuses: [
      ofUnknownWorkflow,
      {
        says: 'refuses as long as jobs have any',
        query: { workflow_id: 1 },
        status: 422,
        code: 'IN_USE',
        message: 'resource requirements of workflow 1: 3 jobs use them',
      },
    ],
  },

  createFailureHandler: {
    answers: [
      {
        says: 'keeps the rules as they were written',
        body: { workflow_id: 1, name: 'new', rules: 'not json' },
        reply: { workflow_id: 1, name: 'new', rules: 'not json', id: 2 },
      },
    ],
    refuses: [
      { ...unknownWorkflow, body: { workflow_id: 9, name: 'new', rules: '[]' } },
      {
        says: 'refuses rules that are no text',
        body: { workflow_id: 1, name: 'new', rules: [] },
        status: 422,
        code: 'BODY_REFUSED',
        message: 'rules: ',
      },
    ],
  },

  listFailureHandlers: {
    answers: [{ says: 'lists all', params: { id: 1 }, reply: whole(handler) }],
    refuses: [inUnknownWorkflow],
  },

  getFailureHandler: {
    answers: [{ says: 'returns it', params: { id: 1 }, reply: handler }],
    refuses: [
      {
        says: 'answers 404 for what does not exist',
        params: { id: 9 },
        status: 404,
        code: 'NOT_FOUND',
        message: 'Resource not found in failure_handler with ID: 9',
      },
    ],
  },

  deleteFailureHandler: {
    answers: [
      {
        says: 'deletes it',
        params: { id: 1 },
        reply: { message: 'Failure handler deleted successfully' },
      },
    ],
    refuses: [
      {
        says: 'answers 404 for what does not exist',
        params: { id: 9 },
        status: 404,
        code: 'NOT_FOUND',
        message: 'Resource not found in failure_handler with ID: 9',
      },
    ],
  },
};
