import { expect } from 'vitest';
import type { Cases } from './case.ts';
import { inUnknownWorkflow, negativeOffset, whole } from './usual.ts';
import { AT, type World, workflow } from './world.ts';

const { env: _, description: __, access_groups: ___, ...plain } = workflow;
const other = { ...plain, id: 2, name: 'other', user: 'bob', run_id: 0 };
const lastEvent = async ({ client }: World) =>
  (await client.listEvents({ query: { workflow_id: 1, sort_by: 'id', reverse_sort: true } })).items[0]?.data;

export const workflowCases: Cases = {
  createWorkflow: {
    answers: [
      {
        says: 'echoes what was sent with an id, and nothing that was null; the default requirements are there',
        body: { name: 'new', user: 'eve', metadata: { a: { b: null } }, description: null, access_groups: ['team'] },
        reply: {
          name: 'new',
          user: 'eve',
          metadata: { a: { b: null } },
          access_groups: ['team'],
          id: 3,
          timestamp: AT,
        },
        after: async ({ client }) => {
          const { items } = await client.listResourceRequirements({ query: { workflow_id: 3 } });
          expect(items).toEqual([expect.objectContaining({ name: 'default', memory: '1m', runtime: 'P0DT1M' })]);
          expect(await client.getWorkflow({ params: { id: 3 } })).toMatchObject({ run_id: 0, is_canceled: false });
          expect((await client.listWorkflowGroups({ params: { id: 3 } })).items).toMatchObject([{ name: 'team' }]);
        },
      },
      {
        says: 'echoes groups sorted, and an empty environment not at all',
        before: ({ client }) => client.createAccessGroup({ body: { name: 'aides' } }),
        body: { name: 'new', user: 'eve', env: {}, access_groups: ['team', 'aides'] },
        reply: { name: 'new', user: 'eve', access_groups: ['aides', 'team'], id: 3, timestamp: AT },
      },
      {
        says: 'echoes an environment, and an empty list of groups not at all',
        body: { name: 'new', user: 'eve', env: { A: '1' }, access_groups: [] },
        reply: { name: 'new', user: 'eve', env: { A: '1' }, id: 3, timestamp: AT },
      },
    ],
    refuses: [
      {
        says: 'refuses a group that does not exist, and creates nothing',
        body: { name: 'new', user: 'eve', access_groups: ['team', 'unknown'] },
        status: 422,
        code: 'REFERENCE_UNKNOWN',
        message: "Unknown access group 'unknown': create the group before referencing it",
      },
      {
        says: 'refuses a group that is named twice',
        body: { name: 'new', user: 'eve', access_groups: ['team', 'team'] },
        status: 422,
        code: 'DUPLICATE',
        message: "access_groups contains duplicate entry 'team'",
      },
      {
        says: 'refuses a name that no shell could use for a variable',
        body: { name: 'new', user: 'eve', env: { 'A-B': '1' } },
        status: 422,
        code: 'BODY_REFUSED',
        message: "Invalid workflow env key 'A-B'; expected [A-Za-z_][A-Za-z0-9_]*",
      },
      {
        says: 'refuses a cap of no generations',
        body: { name: 'new', user: 'eve', dynamic_jobs: { max_iterations: 0 } },
        status: 422,
        code: 'BODY_REFUSED',
        message: 'dynamic_jobs.max_iterations must be >= 1 (got 0); omit the field to use the server default',
      },
      {
        says: 'names the field that is missing',
        body: { name: 'new' },
        status: 422,
        code: 'BODY_REFUSED',
        message: 'user: ',
      },
      {
        says: 'names the field that a closed schema does not have',
        body: { name: 'new', user: 'eve', execution_config: { modes: 'direct' } },
        status: 422,
        code: 'BODY_REFUSED',
        message: 'execution_config: Unrecognized key: "modes"',
      },
      {
        says: 'refuses settings of direct mode in slurm mode, each by its name',
        body: {
          name: 'new',
          user: 'eve',
          execution_config: { mode: 'slurm', limit_resources: false, oom_exit_code: 1, timeout_exit_code: 2 },
        },
        status: 422,
        code: 'EXECUTION_REFUSED',
        message:
          'limit_resources is only supported in direct mode. Slurm mode requires resource limits for correct srun behavior. oom_exit_code is only supported in direct mode. In slurm mode, Slurm manages OOM detection.',
      },
      {
        says: 'refuses settings of slurm mode in direct mode, which is the one that is not named',
        body: { name: 'new', user: 'eve', execution_config: { srun_termination_signal: 'TERM@120' } },
        status: 422,
        code: 'EXECUTION_REFUSED',
        message:
          'srun_termination_signal is only supported in slurm mode. In direct mode, use termination_signal instead.',
      },
    ],
  },

  listSharedWorkflows: {
    answers: [
      {
        says: 'lists those of others that are shared with a user or his groups',
        params: { user_name: 'eve' },
        reply: whole(workflow),
      },
      { says: 'leaves out those of the user', params: { user_name: 'ada' }, reply: whole() },
      { says: 'finds archived ones', params: { user_name: 'eve' }, query: { is_archived: true }, reply: whole() },
    ],
    refuses: [{ ...negativeOffset, params: { user_name: 'ada' }, query: { offset: -1 } }],
  },
  listWorkflows: {
    answers: [
      { says: 'lists all, by id', reply: whole(workflow, other) },
      { says: 'finds a name exactly', query: { name: 'stud' }, reply: whole() },
      { says: 'finds a part of a description in any case', query: { description: 'a stud' }, reply: whole(workflow) },
      { says: 'finds what is of a user', query: { user: 'bob' }, reply: whole(other) },
      { says: 'finds what a group may see', query: { access_group: 'team' }, reply: whole(workflow) },
      {
        says: 'sorts, turns round and pages',
        query: { sort_by: 'name', reverse_sort: true, limit: 1 },
        reply: { ...whole(workflow), total_count: 2, has_more: true },
      },
      {
        says: 'passes a column over that it does not know, and turns round all the same',
        query: { sort_by: 'password', reverse_sort: true },
        reply: whole(other, workflow),
      },
    ],
    refuses: [
      { ...negativeOffset, query: { offset: -1 } },
      {
        says: 'refuses a page that is larger than any',
        query: { limit: 100_001 },
        status: 400,
        code: 'PARAMETER_REFUSED',
        message: 'Limit cannot exceed 100000',
      },
      {
        says: 'names the flag that is none',
        query: { is_archived: 'yes' },
        status: 400,
        code: 'PARAMETER_REFUSED',
        message: 'is_archived: ',
      },
    ],
  },

  getWorkflow: {
    answers: [{ says: 'returns all that is known of it', params: { id: 1 }, reply: workflow }],
    refuses: [
      inUnknownWorkflow,
      {
        says: 'names the id that is none',
        params: { id: 'one' },
        status: 400,
        code: 'PARAMETER_REFUSED',
        message: 'Invalid URL: id: Invalid input: expected a whole number',
      },
    ],
  },

  updateWorkflow: {
    answers: [
      {
        says: 'keeps what is not given, and what stands for ever',
        params: { id: 1 },
        body: { description: 'better', user: 'eve', description_of: 1, compute_node_min_time_for_new_jobs_seconds: 5 },
        reply: { ...workflow, description: 'better', user: 'eve' },
      },
      {
        says: 'takes what cannot change when it is what it was',
        params: { id: 1 },
        body: { env: { LEVEL: '1' } },
        reply: workflow,
      },
    ],
    refuses: [
      { ...inUnknownWorkflow, body: {} },
      {
        says: 'does not change the environment',
        params: { id: 1 },
        body: { env: { LEVEL: '2' } },
        status: 422,
        code: 'FIELD_IMMUTABLE',
        message: 'Cannot modify env - this field is immutable after workflow creation',
      },
      {
        says: 'does not change who may see it',
        params: { id: 1 },
        body: { access_groups: [] },
        status: 422,
        code: 'FIELD_IMMUTABLE',
        message: 'Cannot modify access_groups via update - use add_workflow_to_group / remove_workflow_from_group',
      },
      {
        says: 'refuses settings of another mode than they come with',
        params: { id: 1 },
        body: { execution_config: { mode: 'slurm', termination_signal: 'SIGINT' } },
        status: 422,
        code: 'EXECUTION_REFUSED',
        message:
          'termination_signal is only supported in direct mode. In slurm mode, use srun_termination_signal instead.',
      },
    ],
  },

  deleteWorkflow: {
    answers: [
      {
        says: 'deletes everything that belongs to it, and nothing else',
        before: (world) => world.finish(),
        params: { id: 1 },
        reply: workflow,
        after: async ({ store, client }) => {
          for (const table of ['job', 'file', 'result', 'compute_node', 'event', 'slurm_stats', 'job_input_file']) {
            const rows = store.db.prepare(`select * from ${table} where workflow_id = 1`).all({});
            expect([table, rows]).toEqual([table, []]);
          }
          expect((await client.listJobs({ query: { workflow_id: 2 } })).total_count).toBe(1);
        },
      },
    ],
    refuses: [inUnknownWorkflow],
  },

  archiveWorkflow: {
    answers: [
      {
        says: 'archives it and creates an event',
        params: { id: 1 },
        body: { is_archived: true },
        reply: { ...workflow, is_archived: true },
        after: async (world) =>
          expect(await lastEvent(world)).toEqual({
            category: 'user_action',
            action: 'archive_workflow',
            user: 'ada',
            is_archived: true,
          }),
      },
    ],
    refuses: [
      { ...inUnknownWorkflow, body: { is_archived: true } },
      {
        says: 'requires the jobs',
        params: { id: 1 },
        body: {},
        status: 422,
        code: 'BODY_REFUSED',
        message: 'is_archived: ',
      },
    ],
  },
};
