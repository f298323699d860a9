import { expect } from 'vitest';
import type { Cases } from './case.ts';
import { counts, inUnknownWorkflow } from './usual.ts';
import { AT, resultOf, type World, workflow } from './world.ts';

const statusOf = async ({ client }: World, id: number) => (await client.getJob({ params: { id } })).status;
const lastEvent = async ({ client }: World) =>
  (await client.listEvents({ query: { workflow_id: 1, sort_by: 'id', reverse_sort: true } })).items[0]?.data;

const process = (pid: number) => ({ pid, boot_id: 'b', pid_namespace: 'n', start_ticks: 5 });

export const progressCases: Cases = {
  updatePlan: {
    answers: [
      {
        says: 'adds, changes and removes jobs, and leaves one that runs as it is, with its name',
        before: (world) => world.start(),
        params: { id: 1 },
        body: {
          files: { add: [{ name: 'more', path: 'more.csv' }] },
          jobs: {
            add: [{ name: 'fourth', command: 'true', input_file_ids: [-1], depends_on_job_ids: [1] }],
            change: [{ id: 1, runs_again: true, command: 'false' }],
            remove: [3],
          },
        },
        reply: {
          added_jobs: 1,
          changed_jobs: 0,
          removed_jobs: 1,
          rerun_jobs: 1,
          held: [{ job_id: 1, job_name: 'first', reason: 'running', running_job_name: 'first' }],
        },
        after: async (world) => {
          const { items } = await world.client.listJobs({ query: { workflow_id: 1 } });
          expect(items.map(({ name, status, command }) => [name, status, command])).toEqual([
            ['first', 'running', 'python first.py'],
            ['second', 'blocked', 'true'],
            ['fourth', 'blocked', 'true'],
          ]);
          expect(await lastEvent(world)).toMatchObject({
            category: 'user_action',
            action: 'update_plan',
            added_jobs: 1,
          });
        },
      },
      {
        says: 'changes nothing with dry_run',
        params: { id: 1 },
        query: { dry_run: true },
        body: { jobs: { change: [{ id: 1, runs_again: true, command: 'false' }] } },
        reply: { added_jobs: 0, changed_jobs: 1, removed_jobs: 0, rerun_jobs: 2, held: [] },
        after: async ({ client }) =>
          expect((await client.getJob({ params: { id: 1 } })).command).toBe('python first.py'),
      },
    ],
    refuses: [
      { ...inUnknownWorkflow, body: {} },
      {
        says: 'answers 422 for a job of another workflow',
        params: { id: 1 },
        body: { jobs: { remove: [4] } },
        status: 422,
        code: 'REFERENCE_UNKNOWN',
        message: 'jobs.remove names 4 of jobs, which workflow 1 does not have',
      },
      {
        says: 'answers 422 for a record that the request does not add',
        params: { id: 1 },
        body: { jobs: { add: [{ name: 'x', command: 'true', input_file_ids: [-1] }] } },
        status: 422,
        code: 'REFERENCE_UNKNOWN',
        message: "input_file_ids of job 'x' names -1 of files, and the request adds 0",
      },
      {
        says: 'answers 422 for a job that is there already',
        params: { id: 1 },
        body: { jobs: { add: [{ name: 'first', command: 'true' }] } },
        status: 422,
        code: 'DUPLICATE',
        message: "workflow 1 has a job 'first' already",
      },
    ],
  },

  cancelJobs: {
    answers: [
      {
        says: 'cancels a running job, which its runner has to end, with what depends on it, and refuses one that is not there',
        before: (world) => world.start(),
        params: { id: 1 },
        body: { job_ids: [1, 99] },
        reply: {
          canceled_job_ids: [1],
          ending_job_ids: [1],
          dependent_job_ids: [2],
          refused: [{ job_id: 99, message: 'workflow 1 has no such job' }],
        },
        after: async (world) => {
          expect([await statusOf(world, 1), await statusOf(world, 2), await statusOf(world, 3)]).toEqual([
            'canceled',
            'canceled',
            'ready',
          ]);
        },
      },
    ],
    refuses: [{ ...inUnknownWorkflow, body: { job_ids: [1] } }],
  },

  cancelWorkflow: {
    answers: [
      {
        says: 'cancels pending and running jobs; waiting jobs stay, and no job has a result',
        before: (world) => world.start(),
        params: { id: 1 },
        reply: { ...workflow, is_canceled: true },
        after: async (world) => {
          expect([await statusOf(world, 1), await statusOf(world, 2), await statusOf(world, 3)]).toEqual([
            'canceled',
            'blocked',
            'ready',
          ]);
          // It says where it was cut off.
          expect(await world.client.getJob({ params: { id: 1 } })).toMatchObject({
            compute_node_id: 1,
            start_time: AT,
          });
          expect((await world.client.listResults({ query: { workflow_id: 1 } })).total_count).toBe(0);
          expect(await lastEvent(world)).toMatchObject({ category: 'workflow_canceled', workflow_id: 1, run_id: 1 });
        },
      },
    ],
    refuses: [inUnknownWorkflow],
  },

  getWorkflowStatus: {
    answers: [
      {
        says: 'returns its whole status',
        before: (world) => world.finish(),
        params: { id: 1 },
        reply: {
          workflow_id: 1,
          workflow_name: 'study',
          workflow_user: 'ada',
          total_jobs: 3,
          jobs_by_status: counts({ blocked: 0, completed: 1 }),
          total_exec_time_minutes: 0.5,
          walltime_seconds: 30,
          active_compute_nodes: 1,
          pending_scheduled_nodes: 0,
          active_scheduled_nodes: 0,
          is_complete: false,
          is_canceled: false,
          runtime_blocked_ready_jobs: 0,
          unserved_ready_labels: { gpu: 1 },
          run_id: 1,
        },
      },
      {
        says: 'returns the time of what the results say now, after one was corrected',
        before: async (world) => {
          await world.finish();
          await world.client.updateResult({ params: { id: 1 }, body: { ...resultOf(), exec_time_minutes: 2 } });
        },
        params: { id: 1 },
        reply: expect.objectContaining({ total_exec_time_minutes: 2, walltime_seconds: 120 }),
      },
      {
        says: 'knows no time any more when the results are gone',
        before: async (world) => {
          await world.finish();
          await world.client.deleteResults({ query: { workflow_id: 1 } });
        },
        params: { id: 1 },
        reply: expect.not.objectContaining({ walltime_seconds: expect.anything() }),
      },
      {
        says: 'counts allocations, and jobs that are longer than what runners have left',
        before: async ({ client }) => {
          const { scheduler_id, scheduler_config_id } = { scheduler_id: 1, scheduler_config_id: 1 };
          for (const status of ['pending', 'pending', 'active', 'complete']) {
            const body = { workflow_id: 1, scheduler_id, scheduler_config_id, scheduler_type: 'slurm', status };
            await client.createScheduledComputeNode({ body });
          }
          await client.updateComputeNode({ params: { id: 1 }, body: { end_time: '2026-03-01T12:10:00Z' } });
          await client.deleteJob({ params: { id: 3 } });
        },
        params: { id: 1 },
        reply: {
          workflow_id: 1,
          workflow_name: 'study',
          workflow_user: 'ada',
          total_jobs: 2,
          jobs_by_status: counts({ ready: 1 }),
          total_exec_time_minutes: 0,
          active_compute_nodes: 1,
          pending_scheduled_nodes: 2,
          active_scheduled_nodes: 1,
          is_complete: false,
          is_canceled: false,
          runtime_blocked_ready_jobs: 1,
          longest_ready_runtime_seconds: 3600,
          max_allocation_remaining_seconds: 600,
          run_id: 1,
        },
      },
    ],
    refuses: [inUnknownWorkflow],
  },

  getWorkflowLimits: {
    answers: [
      {
        says: 'says of a workflow without limits that there are none',
        params: { id: 1 },
        reply: { limits: [], licensed: [] },
      },
      {
        says: 'says what is held of its limits, and which waiting jobs hold licenses',
        async before({ client }) {
          await client.updateWorkflow({ params: { id: 1 }, body: { limits: { matlab: 2, jobs: 9 } } });
          const { items: jobs } = await client.listJobs({ query: { workflow_id: 1 } });
          const id = jobs[0]?.resource_requirements_id as number;
          const needs = await client.getResourceRequirements({ params: { id } });
          await client.updateResourceRequirements({ params: { id }, body: { ...needs, licenses: { matlab: 1 } } });
        },
        params: { id: 1 },
        reply: {
          limits: [
            { scope: 'workflow', name: 'matlab', most: 2, held: 0 },
            { scope: 'workflow', name: 'jobs', most: 9, held: 0 },
          ],
          licensed: [
            {
              scheduler_id: null,
              jobs: 1,
              need: {
                num_cpus: 2,
                memory_bytes: 2147483648,
                num_gpus: 0,
                num_nodes: 1,
                runtime_seconds: 3600,
                licenses: { matlab: 1 },
              },
            },
          ],
        },
      },
    ],
    refuses: [inUnknownWorkflow],
  },

  isComplete: {
    answers: [
      { says: 'is not as long as jobs wait', params: { id: 1 }, reply: { is_complete: false, is_canceled: false } },
      {
        says: 'is when it was canceled',
        before: ({ client }) => client.cancelWorkflow({ params: { id: 1 } }),
        params: { id: 1 },
        reply: { is_complete: true, is_canceled: true },
      },
      {
        says: 'is without jobs',
        before: ({ client }) => client.deleteJobs({ query: { workflow_id: 1 } }),
        params: { id: 1 },
        reply: { is_complete: true, is_canceled: false },
      },
    ],
    refuses: [inUnknownWorkflow],
  },

  getReadyJobRequirements: {
    answers: [
      {
        says: 'adds up what is ready: one job that needs a node for itself, and one that needs next to nothing',
        params: { id: 1 },
        reply: {
          num_jobs: 2,
          num_cpus: 3,
          memory_gb: 2 + 1 / 1024,
          num_gpus: 0,
          max_num_nodes: 1,
          max_runtime: 'PT1H',
        },
      },
      {
        says: 'is nothing for a scheduler that no job is bound to',
        params: { id: 1 },
        query: { scheduler_config_id: 9 },
        reply: { num_jobs: 0, num_cpus: 0, memory_gb: 0, num_gpus: 0, max_num_nodes: 0, max_runtime: 'PT0S' },
      },
    ],
    refuses: [inUnknownWorkflow],
  },

  isUninitialized: {
    answers: [
      { says: 'is before the first initialization', params: { id: 2 }, reply: { is_uninitialized: true } },
      { says: 'is not after it', params: { id: 1 }, reply: { is_uninitialized: false } },
    ],
    refuses: [inUnknownWorkflow],
  },

  resetStatus: {
    answers: [
      {
        says: 'begins the next run, clears the cancellation and leaves the jobs alone',
        before: ({ client }) => client.cancelWorkflow({ params: { id: 1 } }),
        params: { id: 1 },
        reply: { ...workflow, run_id: 2 },
        after: async (world) => {
          expect(await statusOf(world, 1)).toBe('ready');
          expect(await lastEvent(world)).toEqual({
            category: 'user_action',
            action: 'reset_workflow_status',
            user: 'ada',
            force: false,
          });
        },
      },
      {
        says: 'does so while a job runs and an allocation waits, when it is forced',
        before: async (world) => {
          await world.start();
          await world.client.updateScheduledComputeNode({ params: { id: 1 }, body: { status: 'pending' } });
        },
        params: { id: 1 },
        query: { force: true },
        reply: { ...workflow, run_id: 2 },
      },
    ],
    refuses: [
      inUnknownWorkflow,
      {
        says: 'refuses while a job runs',
        before: (world) => world.start(),
        params: { id: 1 },
        status: 422,
        code: 'WORKFLOW_BUSY',
        message: 'Cannot reset workflow status: jobs are currently running or pending submission',
      },
      {
        says: 'refuses while an allocation waits',
        before: ({ client }) => client.updateScheduledComputeNode({ params: { id: 1 }, body: { status: 'pending' } }),
        params: { id: 1 },
        status: 422,
        code: 'WORKFLOW_BUSY',
        message: 'Cannot reset workflow status: scheduled compute nodes are currently pending or active',
      },
      {
        says: 'refuses an archived workflow, forced or not',
        before: ({ client }) => client.archiveWorkflow({ params: { id: 1 }, body: { is_archived: true } }),
        params: { id: 1 },
        query: { force: true },
        status: 422,
        code: 'WORKFLOW_ARCHIVED',
        message: 'Cannot reset archived workflow status. Unarchive the workflow first.',
      },
    ],
  },

  resetJobStatus: {
    answers: [
      {
        says: 'makes every job uninitialized',
        before: (world) => world.finish(),
        params: { id: 1 },
        reply: { workflow_id: 1, updated_count: 3, status: 'uninitialized' },
        after: async (world) => expect(await statusOf(world, 1)).toBe('uninitialized'),
      },
      {
        says: 'makes those that failed uninitialized with all that waited for them, and counts the failed',
        before: (world) => world.finish(1),
        params: { id: 1 },
        query: { failed_only: true },
        reply: { workflow_id: 1, updated_count: 2, status: 'uninitialized', reset_type: 'failed_only' },
        after: async (world) => {
          expect([await statusOf(world, 1), await statusOf(world, 2), await statusOf(world, 3)]).toEqual([
            'uninitialized',
            'uninitialized',
            'ready',
          ]);
        },
      },
    ],
    refuses: [inUnknownWorkflow],
  },

  takeRecoveryLease: {
    answers: [
      {
        says: 'gives the lease to the one that asks first',
        params: { id: 1 },
        body: { token: 'a', holder: 'recover on n1', seconds: 60 },
        reply: { granted: true, holder: 'recover on n1', seconds_left: 60 },
      },
      {
        says: 'renews it for the same one, and says to another one which command has it',
        before: async ({ client }) => {
          const body = { token: 'a', holder: 'recover on n1', seconds: 60 };
          await client.takeRecoveryLease({ params: { id: 1 }, body });
          expect((await client.takeRecoveryLease({ params: { id: 1 }, body })).granted).toBe(true);
        },
        params: { id: 1 },
        body: { token: 'b', holder: 'watch on n2', seconds: 60 },
        reply: { granted: false, holder: 'recover on n1', seconds_left: 60 },
      },
      {
        says: 'names the process that has it, and takes it from that process only',
        before: async ({ client }) => {
          const body = { token: 'a', holder: 'recover on n1', seconds: 60, process: process(7) };
          await client.takeRecoveryLease({ params: { id: 1 }, body });
          const other = { ...body, token: 'b', process: process(9), instead_of: process(8) };
          expect(await client.takeRecoveryLease({ params: { id: 1 }, body: other })).toEqual({
            granted: false,
            holder: 'recover on n1',
            seconds_left: 60,
            process: process(7),
          });
        },
        params: { id: 1 },
        body: { token: 'b', holder: 'watch on n1', seconds: 60, process: process(9), instead_of: process(7) },
        reply: { granted: true, holder: 'watch on n1', seconds_left: 60 },
      },
      {
        says: 'is not taken from a holder that names no process',
        before: ({ client }) =>
          client.takeRecoveryLease({ params: { id: 1 }, body: { token: 'a', holder: 'h', seconds: 60 } }),
        params: { id: 1 },
        body: { token: 'b', holder: 'watch on n1', seconds: 60 },
        reply: { granted: false, holder: 'h', seconds_left: 60 },
      },
    ],
    refuses: [{ ...inUnknownWorkflow, body: { token: 'a', holder: 'h', seconds: 1 } }],
  },

  releaseRecoveryLease: {
    answers: [
      {
        says: 'gives it back, so another gets it',
        before: async ({ client }) => {
          const body = { token: 'a', holder: 'recover on n1', seconds: 60 };
          await client.takeRecoveryLease({ params: { id: 1 }, body });
        },
        params: { id: 1 },
        query: { token: 'a' },
        reply: { released: true },
        after: async ({ client }) => {
          const body = { token: 'b', holder: 'watch on n2', seconds: 60 };
          expect((await client.takeRecoveryLease({ params: { id: 1 }, body })).granted).toBe(true);
        },
      },
      {
        says: 'leaves the lease of another command',
        before: async ({ client }) => {
          const body = { token: 'a', holder: 'recover on n1', seconds: 60 };
          await client.takeRecoveryLease({ params: { id: 1 }, body });
        },
        params: { id: 1 },
        query: { token: 'b' },
        reply: { released: false },
      },
    ],
    refuses: [{ ...inUnknownWorkflow, query: { token: 'a' } }],
  },

  resetInterruptedJobs: {
    answers: [
      {
        says: 'makes a job uninitialized that a cancel interrupted',
        before: async (world) => {
          await world.start();
          await world.client.cancelWorkflow({ params: { id: 1 } });
        },
        params: { id: 1 },
        reply: { workflow_id: 1, updated_count: 1, status: 'uninitialized' },
        after: async (world) => expect(await statusOf(world, 1)).toBe('uninitialized'),
      },
      {
        says: 'with dry_run counts them and changes nothing',
        before: async (world) => {
          await world.start();
          await world.client.cancelWorkflow({ params: { id: 1 } });
        },
        params: { id: 1 },
        query: { dry_run: true },
        reply: { workflow_id: 1, updated_count: 1, status: 'uninitialized' },
        after: async (world) => expect(await statusOf(world, 1)).toBe('canceled'),
      },
      {
        says: 'leaves a job that failed, and one that was canceled because of it',
        before: (world) => world.finish(1),
        params: { id: 1 },
        reply: { workflow_id: 1, updated_count: 0, status: 'uninitialized' },
        after: async (world) => {
          expect([await statusOf(world, 1), await statusOf(world, 2)]).toEqual(['failed', 'canceled']);
        },
      },
    ],
    refuses: [inUnknownWorkflow],
  },
};
