import { expect } from 'vitest';
import type { Cases } from './case.ts';
import { inUnknownWorkflow, unknownJob } from './usual.ts';
import { AT, resultOf, type World } from './world.ts';

/** The family of job 2 in every workflow of the world: its key follows from names alone. */
const SECOND = '1pb0gjxvdot';
const overview = {
  id: 1,
  name: 'study',
  user: 'ada',
  timestamp: AT,
  run_id: 1,
  is_canceled: false,
  is_archived: false,
  total_jobs: 3,
  jobs_by_status: { blocked: 1, ready: 2 },
  active_compute_nodes: 1,
};
const other = { ...overview, id: 2, name: 'other', user: 'bob', run_id: 0, total_jobs: 1 };
const family = (name: string, firstJobId: number, status: string) => ({
  key: expect.stringMatching(/^[0-9a-z]+$/) as string,
  name,
  first_job_id: firstJobId,
  jobs: 1,
  jobs_by_status: { [status]: 1 },
});
const output = { job_id: 1, run_id: 1, attempt_id: 1, hostname: 'n01.cluster' };
const usual = {
  resource_requirements_id: 1,
  name: 'default',
  num_cpus: 1,
  num_gpus: 0,
  memory: '1m',
  runtime: 'P0DT1M',
};
const big = { resource_requirements_id: 3, name: 'big', num_cpus: 2, num_gpus: 0, memory: '2g', runtime: 'PT1H' };
const unused = { ended: 0, lacking: 0, most_memory: [] };
const noReading = { status: 400, code: 'PARAMETER_REFUSED', message: 'limit' } as const;

/** The attempt of job 1 that the world finishes, and what is there of it in the ten seconds before and after its end. */
const course = {
  from: '2026-03-01T12:00:30.000Z',
  run_from: '2026-03-01T12:00:30.000Z',
  run_to: '2026-03-01T12:01:00.000Z',
};
const lastSeries = { running: [expect.closeTo(1, 3), 0], ended: [0, 1], failed: [0, 1] };
/** It and the next attempt, which starts when the service's clock stands still. */
const ofRunner = { running: [0, 1], ended: [0, 1], failed: [0, 1] };
const lastTen = { bin_seconds: expect.closeTo(10, 3), ...lastSeries };
const firstAttempt = {
  job_id: 1,
  job_name: 'first',
  attempt_id: 1,
  start: '2026-03-01T12:00:30.000Z',
  end: '2026-03-01T12:01:00.000Z',
  status: 'failed',
  return_code: 1,
  compute_node_id: 1,
  compute_node_name: 'n01.cluster',
};

/** Job 1 failed, its runner has ended, and no job runs in an allocation. */
async function ended(world: World): Promise<void> {
  await world.finish(1);
  await world.client.updateComputeNode({ params: { id: 1 }, body: { is_active: false } });
  await world.client.deleteSlurmSchedulers({ query: { workflow_id: 1 } });
}
const cause = {
  // Its runner gave no cause, and 1 may mean two.
  cause: 'unknown',
  words: 'failed for an unknown reason',
  jobs: 1,
  runs_again: true,
  first: [
    {
      job_id: 1,
      job_name: 'first',
      detail: 'return code 1, the command itself ended with 1, or it did not write a declared output',
    },
  ],
};
const plan = {
  workflow_id: 1,
  causes: [cause],
  changes: [],
  jobs_again: 1,
  jobs_left: 0,
  jobs_waiting: 1,
  command: 'torc recover 1',
  next: 'torc remote run 1',
};

export const viewCases: Cases = {
  listWorkflowOverviews: {
    answers: [
      {
        says: 'lists workflows with their progress, the newest first',
        reply: { items: [{ ...other, jobs_by_status: { uninitialized: 1 } }, overview], has_more: false },
      },
      {
        says: 'lists a page of them, and those of a user or with a part of a name',
        query: { before: 2, user: 'ada', name: 'STUD', limit: 1 },
        reply: { items: [overview], has_more: false },
      },
    ],
    refuses: [{ ...noReading, says: 'refuses a page of no workflow', query: { limit: 0 } }],
  },

  getWorkflowGraph: {
    answers: [
      {
        says: 'has the families of the jobs, and the dependencies between them',
        params: { id: 1 },
        query: { by: 'family' },
        reply: {
          families: [family('first', 1, 'ready'), family('second', 2, 'blocked'), family('third', 3, 'ready')],
          edges: [{ from: expect.any(String), to: expect.any(String), dependencies: 1 }],
          families_left_out: 0,
          jobs_left_out: 0,
        },
      },
    ],
    refuses: [
      inUnknownWorkflow,
      {
        says: 'refuses a graph by anything else',
        params: { id: 1 },
        query: { by: 'job' },
        status: 400,
        code: 'PARAMETER_REFUSED',
        message: 'by',
      },
    ],
  },

  listFamilyJobs: {
    answers: [
      {
        says: 'lists the jobs of a family',
        params: { id: 1, family: SECOND },
        query: { limit: 1 },
        reply: { items: [{ id: 2, name: 'second', status: 'blocked', attempt_id: 1 }], has_more: false },
      },
      {
        says: 'lists none after the last one, and none of another status',
        params: { id: 1, family: SECOND },
        query: { status: 'failed', after: 0 },
        reply: { items: [], has_more: false },
      },
    ],
    refuses: [
      {
        ...inUnknownWorkflow,
        says: 'refuses to pass over fewer than no jobs',
        params: { id: 1, family: SECOND },
        query: { skip: -1 },
        status: 400,
        code: 'PARAMETER_REFUSED',
        message: 'skip',
      },
      { ...inUnknownWorkflow, params: { id: 9, family: 'x' } },
      {
        says: 'answers 404 for a family that the workflow does not have',
        params: { id: 1, family: 'x' },
        status: 404,
        code: 'NOT_FOUND',
        message: 'workflow 1 has no family x',
      },
    ],
  },

  listRunningNow: {
    answers: [
      { says: 'is empty while no job runs', params: { id: 1 }, reply: { items: [], has_more: false } },
      {
        says: 'has the jobs that run, each with its node and start',
        before: (world) => world.start(),
        params: { id: 1 },
        reply: {
          items: [{ job_id: 1, job_name: 'first', compute_node_name: 'n01.cluster', start_time: expect.any(String) }],
          has_more: false,
        },
      },
      {
        says: 'goes on after the last job of the page before',
        before: (world) => world.start(),
        params: { id: 1 },
        query: { after: 1 },
        reply: { items: [], has_more: false },
      },
    ],
    refuses: [
      inUnknownWorkflow,
      {
        says: 'refuses a page without rows',
        params: { id: 1 },
        query: { limit: 0 },
        status: 400,
        code: 'PARAMETER_REFUSED',
        message: 'limit',
      },
    ],
  },

  getWorkflowTimeline: {
    answers: [
      {
        says: 'is empty before the first attempt',
        params: { id: 1 },
        query: { by: 'family', attempts: 10 },
        reply: { bin_seconds: 0, running: [], ended: [], failed: [] },
      },
      {
        says: 'has the attempts that ran and ended in each part of the time',
        before: (world) => world.finish(1),
        params: { id: 1 },
        query: { bins: 2 },
        reply: {
          ...course,
          bin_seconds: expect.closeTo(15, 3),
          running: [expect.closeTo(1, 3), expect.closeTo(1, 3)],
          ended: [0, 1],
          failed: [0, 1],
        },
      },
      {
        says: 'counts no attempt as failed that was stopped',
        async before({ client, start }) {
          await start();
          const body = { ...resultOf(143), status: 'terminated' as const };
          await client.completeJob({ params: { id: 1, status: body.status, run_id: 1 }, body });
        },
        params: { id: 1 },
        query: { bins: 2 },
        reply: expect.objectContaining({ ended: [0, 1], failed: [0, 0] }),
      },
      {
        says: 'has a part of the time by families, with each attempt that overlaps it',
        before: (world) => world.finish(1),
        params: { id: 1 },
        query: { bins: 2, from: '2026-03-01T12:00:50Z', to: '2026-03-01T13:01:10+01:00', by: 'family', attempts: 1 },
        reply: {
          ...course,
          from: '2026-03-01T12:00:50.000Z',
          ...lastTen,
          bands: [{ key: expect.any(String), name: 'first', attempts: 1, retries: 0, ...lastSeries }],
          bands_left_out: 0,
          attempts: [{ ...firstAttempt, band: expect.any(String) }],
        },
      },
      {
        says: 'has them by runners, and not one by one if there are more than were asked for',
        before: async (world) => {
          await world.finish(1);
          await world.client.retryJob({ params: { id: 1, run_id: 1 }, query: { max_retries: 3 } });
          await world.start();
        },
        params: { id: 1 },
        query: { bins: 2, by: 'runner', bands: 200, attempts: 1 },
        reply: {
          ...course,
          from: AT,
          run_from: AT,
          bin_seconds: 30,
          ...ofRunner,
          bands: [{ key: '1', name: 'n01.cluster', attempts: 2, retries: 1, ...ofRunner }],
          bands_left_out: 0,
        },
      },
    ],
    refuses: [
      inUnknownWorkflow,
      {
        says: 'refuses a time that ends before it begins',
        params: { id: 1 },
        query: { from: '2026-03-01T12:00:00Z', to: '2026-03-01T12:00:00Z' },
        status: 400,
        code: 'PARAMETER_REFUSED',
        message: 'from: expected a time before 2026-03-01T12:00:00Z',
      },
      {
        says: 'refuses a time without its zone',
        params: { id: 1 },
        query: { to: '2026-03-01T12:00:00' },
        status: 400,
        code: 'PARAMETER_REFUSED',
        message: 'expected a time such as 2026-11-22T17:00:00.250Z',
      },
      {
        says: 'refuses more bands than a picture has',
        params: { id: 1 },
        query: { by: 'family', bands: 201 },
        status: 400,
        code: 'PARAMETER_REFUSED',
        message: 'bands',
      },
    ],
  },

  listFailureGroups: {
    answers: [
      { says: 'is empty if no job failed', params: { id: 1 }, reply: { groups: [], groups_left_out: 0 } },
      {
        says: 'groups jobs that failed by code and cause, and names the first of them',
        before: async (world) => {
          await world.start();
          const body = { ...resultOf(2), cause: 'allocation 7 ended', cause_code: 'allocation' as const };
          await world.client.completeJob({ params: { id: 1, status: 'failed', run_id: 1 }, body });
        },
        params: { id: 1 },
        reply: {
          groups: [
            {
              status: 'failed',
              return_code: 2,
              cause: 'allocation 7 ended',
              cause_code: 'allocation',
              jobs: 1,
              first: [{ job_id: 1, job_name: 'first', run_id: 1, attempt_id: 1 }],
            },
          ],
          groups_left_out: 0,
        },
      },
    ],
    refuses: [inUnknownWorkflow],
  },

  getResourceUse: {
    answers: [
      {
        says: 'has what jobs asked for, and nothing that they used before they end',
        params: { id: 1 },
        reply: {
          classes: [
            { ...usual, jobs: 2, ...unused },
            { ...big, jobs: 1, ...unused },
          ],
          classes_left_out: 0,
        },
      },
      {
        says: 'has the greatest use, who used most memory, and what would fit',
        before: async (world) => {
          await world.start();
          const body = { ...resultOf(137), peak_memory_bytes: 5 * 2 ** 30, peak_cpu_percent: 250 };
          await world.client.completeJob({ params: { id: 1, status: 'failed', run_id: 1 }, body });
        },
        params: { id: 1 },
        reply: {
          classes: [
            { ...usual, jobs: 2, ...unused },
            {
              ...big,
              jobs: 1,
              ended: 1,
              lacking: 1,
              peak_memory_bytes: 5 * 2 ** 30,
              peak_cpu_percent: 250,
              longest_seconds: 30,
              suggestion: { direction: 'upscale', memory: '6g' },
              most_memory: [{ job_id: 1, job_name: 'first', peak_memory_bytes: 5 * 2 ** 30 }],
            },
          ],
          classes_left_out: 0,
        },
      },
    ],
    refuses: [inUnknownWorkflow],
  },

  getRecoveryPlan: {
    answers: [
      {
        says: 'says why jobs failed and what would run again, and changes nothing',
        before: ended,
        params: { id: 1 },
        query: { retry_unknown: true },
        reply: plan,
      },
      {
        says: 'leaves a job as it is that failed for a reason of its own',
        before: ended,
        params: { id: 1 },
        reply: { ...plan, causes: [{ ...cause, runs_again: false }], jobs_again: 0, jobs_left: 1 },
      },
    ],
    refuses: [
      inUnknownWorkflow,
      {
        says: 'refuses a workflow whose runner is active',
        before: (world) => world.finish(1),
        params: { id: 1 },
        status: 422,
        code: 'RECOVERY_REFUSED',
        message: '1 of its runners are active',
      },
    ],
  },

  recoverWorkflow: {
    answers: [
      {
        says: 'runs the jobs of the plan again',
        before: ended,
        params: { id: 1 },
        body: { retry_unknown: true, jobs_again: 1 },
        reply: plan,
        after: async ({ client }) => {
          expect(await client.getJob({ params: { id: 1 } })).toMatchObject({ status: 'ready' });
          expect(await client.getWorkflow({ params: { id: 1 } })).toMatchObject({ run_id: 2 });
          const { items } = await client.listEvents({ query: { workflow_id: 1, category: 'recovery' } });
          expect(items.at(-1)?.data).toMatchObject({ action: 'recover', jobs_reset: 1, allocations_submitted: 0 });
        },
      },
    ],
    refuses: [
      { ...inUnknownWorkflow, body: { jobs_again: 1 } },
      {
        says: 'refuses a plan that is not the one that was seen',
        before: ended,
        params: { id: 1 },
        body: { retry_unknown: true, jobs_again: 2 },
        status: 422,
        code: 'RECOVERY_REFUSED',
        message: '1 job would run again, not 2',
        goesOn: 'recovery_lease',
      },
    ],
  },

  getNodeUse: {
    answers: [
      {
        says: 'has no nodes before the first job starts',
        params: { id: 1 },
        reply: { measure: 'cpu', bin_seconds: 0, nodes: [], nodes_left_out: 0 },
      },
      {
        says: 'has the share of each node that jobs took in each part of the time',
        before: (world) => world.finish(1),
        params: { id: 1 },
        query: { bins: 2 },
        reply: {
          measure: 'cpu',
          from: course.from,
          bin_seconds: expect.closeTo(15, 3),
          nodes: [
            {
              hostname: 'n01.cluster',
              capacity: 8,
              runners: 1,
              attempts: 1,
              share: [expect.closeTo(0.25, 3), expect.closeTo(0.25, 3)],
            },
          ],
          nodes_left_out: 0,
        },
      },
      {
        says: 'has no node for GPUs where none has any',
        before: (world) => world.finish(1),
        params: { id: 1 },
        query: { measure: 'gpu', bins: 2 },
        reply: { measure: 'gpu', from: course.from, bin_seconds: expect.closeTo(15, 3), nodes: [], nodes_left_out: 0 },
      },
    ],
    refuses: [
      inUnknownWorkflow,
      {
        says: 'refuses what no node has',
        params: { id: 1 },
        query: { measure: 'disk' },
        status: 400,
        code: 'PARAMETER_REFUSED',
        message: 'measure',
      },
    ],
  },

  getRunnerUse: {
    answers: [
      { says: 'is empty while no job runs', params: { id: 1 }, reply: [] },
      {
        says: 'counts the running jobs of each runner by their requirements',
        before: (world) => world.start(),
        params: { id: 1 },
        reply: [{ compute_node_id: 1, resource_requirements_id: 3, jobs: 1 }],
      },
    ],
    refuses: [inUnknownWorkflow],
  },

  getJobExplanation: {
    answers: [
      {
        says: 'names the jobs that a blocked one waits for',
        params: { id: 2 },
        reply: {
          job_id: 2,
          kind: 'waits',
          headline: 'waits for 1 job of 1',
          reasons: [{ code: 'dependency', message: 'first (job 1) is ready', job_id: 1 }],
          reasons_left_out: 0,
          attempts: [],
          attempts_left_out: 0,
          next: ['torc jobs explain 1'],
        },
      },
      {
        says: 'says what the runners lack for a ready one',
        params: { id: 3 },
        reply: {
          job_id: 3,
          kind: 'waits',
          headline: 'is ready, and the only runner cannot take it',
          reasons: [{ code: 'labels', message: 'runner 1 on n01.cluster: the job needs label gpu, it has no label' }],
          reasons_left_out: 0,
          attempts: [],
          attempts_left_out: 0,
          next: expect.arrayContaining([expect.stringContaining('remove the labels of the job')]),
        },
      },
      {
        says: 'says why one ended, and leaves to the command what only Slurm knows',
        before: (world) => world.finish(1),
        params: { id: 1 },
        reply: {
          job_id: 1,
          kind: 'ended',
          headline: expect.stringContaining('failed after 30.0s'),
          reasons: [
            { code: 'recorded', message: 'the command itself ended with 1, or it did not write a declared output' },
          ],
          reasons_left_out: 0,
          attempts: [expect.objectContaining({ kind: 'ended', run_id: 1, attempt_id: 1, status: 'failed' })],
          attempts_left_out: 0,
          next: [expect.any(String)],
        },
      },
      {
        says: 'names what it does not know where an allocation waits',
        before: async ({ client }) => {
          await client.updateComputeNode({ params: { id: 1 }, body: { is_active: false } });
          await client.updateScheduledComputeNode({
            params: { id: 1 },
            body: {
              workflow_id: 1,
              scheduler_id: 812,
              scheduler_config_id: 1,
              scheduler_type: 'slurm',
              status: 'pending',
            },
          });
        },
        params: { id: 1 },
        reply: {
          job_id: 1,
          kind: 'waits',
          headline: 'is ready, and waits for an allocation that Slurm has not started',
          reasons: [{ code: 'allocation_waits', message: 'allocation 812 waits' }],
          reasons_left_out: 0,
          attempts: [],
          attempts_left_out: 0,
          next: ['squeue --start -j 812'],
          unknown: 'why its allocations have not started',
        },
      },
    ],
    refuses: [{ ...unknownJob, params: { id: 9 } }],
  },

  getOutputTail: {
    answers: [
      {
        says: 'says where the output is that the server cannot find',
        before: async (world) => {
          const process = JSON.stringify({ ledger: '/no/such/folder/job_runner_ledger/wf1_r1_m.ledger' });
          world.store.db.run(`update compute_node set process = '${process}' where id = 1`);
          await world.finish(1);
        },
        params: { id: 1 },
        query: { stream: 'stderr' },
        reply: {
          ...output,
          path: '/no/such/folder/job_stdio/job_wf1_j1_r1_a1.e',
          command: 'torc jobs output 1 --run 1 --attempt 1 --stderr',
          reason: 'it is not on the host of the server',
        },
      },
      {
        says: 'knows no path of a runner that did not say where its output folder is',
        before: (world) => world.start(),
        params: { id: 1 },
        reply: {
          ...output,
          command: 'torc jobs output 1 --run 1 --attempt 1',
          reason: 'the runner has not said where its output folder is',
        },
      },
    ],
    refuses: [
      { ...unknownJob, params: { id: 9 } },
      {
        says: 'answers 404 for a job that has not started',
        params: { id: 3 },
        status: 404,
        code: 'ATTEMPT_UNKNOWN',
        message: 'job 3 (third) has no such attempt',
      },
    ],
  },

  // What it reads of a file: src/server/view/job-samples.test.ts.
  getJobSamples: {
    answers: [
      {
        says: 'says where the samples are that the server cannot find',
        before: async (world) => {
          const process = JSON.stringify({ ledger: '/no/such/folder/job_runner_ledger/wf1_r1_m.ledger' });
          const config = JSON.stringify({ jobs: { enabled: true, granularity: 'time_series' } });
          world.store.db.run(`update compute_node set process = '${process}', scheduler = null where id = 1`);
          world.store.db.run(`update workflow set resource_monitor_config = '${config}' where id = 1`);
          await world.start();
        },
        params: { id: 1 },
        query: { run_id: 1, attempt_id: 1 },
        reply: {
          ...output,
          path: '/no/such/folder/resource_utilization/resource_metrics_wf1_hn01.cluster_r1.db',
          command:
            'torc plot-resources /no/such/folder/resource_utilization/resource_metrics_wf1_hn01.cluster_r1.db --job-ids 1',
          interval_seconds: 10,
          written_every_seconds: 300,
          reason: 'it is not on the host of the server',
        },
      },
      {
        says: 'says how to ask for samples where a workflow does not',
        before: (world) => world.finish(1),
        params: { id: 1 },
        reply: {
          ...output,
          command: 'torc plot-resources torc_output/resource_utilization/NAME.db --job-ids 1',
          interval_seconds: 10,
          reason: expect.stringContaining('granularity: time_series'),
        },
      },
    ],
    refuses: [
      { ...unknownJob, params: { id: 9 } },
      {
        says: 'answers 404 for a job that has not started',
        params: { id: 3 },
        status: 404,
        code: 'ATTEMPT_UNKNOWN',
        message: 'job 3 (third) has no such attempt',
      },
    ],
  },

  // It answers callers that may ask: permit.test.ts. What the token is for: page-session.test.ts.
  createPageToken: {
    answers: [{ says: 'creates a start token', reply: { token: expect.stringMatching(/^[\w-]{43}$/) } }],
    refuses: [],
  },
};
