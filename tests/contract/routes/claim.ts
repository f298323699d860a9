import type { Cases } from './case.ts';
import { inUnknownWorkflow, unknownWorkflow } from './usual.ts';
import { job } from './world.ts';

const offer = { num_cpus: 8, memory_gb: 16, num_gpus: 0, num_nodes: 1 };

const third = {
  id: 3,
  workflow_id: 1,
  name: 'third',
  command: 'sleep 1',
  env: { LEVEL: '1' },
  status: 'pending',
  cancel_on_blocking_job_failure: true,
  resource_requirements_id: 1,
  attempt_id: 1,
  priority: 0,
  labels: ['gpu'],
};

/** Job 1 as it is claimed: what is not set is left out. */
const { invocation_script: _, scheduler_id: __, ...claimed } = { ...job, status: 'pending' };
const outputs = { output_file_ids: [2], output_user_data_ids: [2] };

export const claimCases: Cases = {
  getUnclaimableJobs: {
    answers: [
      {
        says: 'counts the ready jobs that no active runner can take by the reason, with one of them',
        params: { id: 1 },
        reply: {
          workflow_id: 1,
          compute_node_ids: [1],
          ready_jobs: 2,
          unclaimable_jobs: 1,
          reasons: [{ reason: 'labels', jobs: 1, job_id: 3, job_name: 'third', needs: 'label gpu', has: 'no label' }],
          may_take: true,
          unneeded_allocations: [],
        },
      },
      {
        says: 'says nothing where nothing is ready',
        params: { id: 2 },
        reply: {
          workflow_id: 2,
          compute_node_ids: [2],
          ready_jobs: 0,
          unclaimable_jobs: 0,
          reasons: [],
          may_take: true,
          unneeded_allocations: [],
        },
      },
    ],
    refuses: [
      { ...unknownWorkflow, params: { id: 9 } },
      {
        says: 'answers 404 for a runner of another workflow',
        params: { id: 2 },
        query: { compute_node_id: 1 },
        status: 404,
        code: 'NOT_FOUND',
        message: 'Resource not found in compute_node with ID: 1',
      },
    ],
  },

  cancelUnneededAllocations: {
    answers: [
      {
        says: 'cancels none of a workflow with jobs that an allocation could run',
        params: { id: 1 },
        body: { ids: [1] },
        reply: { items: [] },
      },
    ],
    refuses: [{ ...unknownWorkflow, params: { id: 9 }, body: { ids: [1] } }],
  },

  claimJobsBasedOnResources: {
    answers: [
      {
        says: 'assigns jobs that fit, pending and with their outputs',
        params: { id: 1, limit: 10 },
        body: offer,
        reply: { jobs: [{ ...claimed, ...outputs }] },
      },
      {
        says: 'assigns labelled jobs to runners that have the labels',
        params: { id: 1, limit: 10 },
        body: { ...offer, labels: ['gpu', 'fast'] },
        reply: { jobs: [third] },
      },
      {
        says: 'assigns no job that does not fit',
        params: { id: 1, limit: 10 },
        body: { ...offer, num_cpus: 1 },
        reply: { jobs: [] },
      },
      {
        says: 'assigns no job that takes longer than the remaining time',
        params: { id: 1, limit: 10 },
        body: { ...offer, time_limit: 'PT59M' },
        reply: { jobs: [] },
      },
      {
        says: 'assigns no job with a limit of 0',
        params: { id: 1, limit: 0 },
        body: offer,
        reply: { jobs: [] },
      },
      {
        says: 'assigns no job of a canceled workflow, and says so',
        before: ({ client }) => client.cancelWorkflow({ params: { id: 1 } }),
        params: { id: 1, limit: 10 },
        body: offer,
        reply: { jobs: [], reason: 'Workflow is canceled' },
      },
    ],
    refuses: [
      { ...unknownWorkflow, params: { id: 9, limit: 1 }, body: offer },
      {
        says: 'refuses an invalid time',
        params: { id: 1, limit: 1 },
        body: { ...offer, time_limit: '1 hour' },
        status: 422,
        code: 'DURATION_MALFORMED',
        message: 'Invalid time_limit: Invalid ISO 8601 duration format: 1 hour',
      },
      {
        says: 'refuses an invalid label',
        params: { id: 1, limit: 1 },
        body: { ...offer, labels: [''] },
        status: 422,
        code: 'BODY_REFUSED',
        message: 'label must be non-empty with no comma and no leading or trailing whitespace, got ""',
      },
      {
        says: 'refuses an offer without memory',
        params: { id: 1, limit: 1 },
        body: { ...offer, memory_gb: undefined },
        status: 422,
        code: 'BODY_REFUSED',
        message: 'memory_gb: ',
      },
    ],
  },

  claimNextJobs: {
    answers: [
      {
        says: 'assigns as many jobs as requested, regardless of their requirements',
        params: { id: 1 },
        query: { limit: 1 },
        reply: { jobs: [{ ...claimed, ...outputs }] },
      },
      {
        says: 'assigns jobs with the labels of the runner',
        params: { id: 1 },
        query: { labels: 'gpu,,a' },
        reply: { jobs: [third] },
      },
      { says: 'assigns no job twice', before: (world) => world.claim(), params: { id: 1 }, reply: { jobs: [] } },
    ],
    refuses: [
      inUnknownWorkflow,
      {
        says: 'names the limit that is no number',
        params: { id: 1 },
        query: { limit: 'all' },
        status: 400,
        code: 'PARAMETER_REFUSED',
        message: 'limit: Invalid input: expected a whole number',
      },
    ],
  },
};
