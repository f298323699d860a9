import * as z from 'zod';
import { ExchangeReply, ExchangeRequest, LostRunner, LostRunnerReply } from '../exchange.ts';
import { ScheduledComputeNode } from '../allocation.ts';
import { Job } from '../job.ts';
import { ComputeNodesResources } from '../resources.ts';
import { JobCompletion, JobCompletionError } from '../result.ts';
import { Unclaimable } from '../unclaimable.ts';
import { id, queryFlag, queryInteger, text } from '../shape.ts';
import { BULK_MEBIBYTES, type Route, workflowRoute, route } from './route.ts';

/** Requests and reports of runners. */
export const runnerRoutes = {
  claimJobsBasedOnResources: route(
    'POST',
    '/workflows/{id}/claim_jobs_based_on_resources/{limit}',
    'write',
    'workflow in path',
    {
      says: 'Claim ready jobs that fit together into the offered resources.',
      params: z.object({ id: queryInteger, limit: queryInteger }),
      query: z.object({ strict_scheduler_match: queryFlag.optional() }),
      body: ComputeNodesResources,
      reply: z.object({ jobs: z.array(Job).optional(), reason: text.optional() }),
    },
  ),
  claimNextJobs: workflowRoute('POST', '/workflows/{id}/claim_next_jobs', 'write', {
    says: 'Claim the next ready jobs regardless of their requirements.',
    query: z.object({ limit: queryInteger.optional(), labels: text.optional() }),
    reply: z.object({ jobs: z.array(Job).optional() }),
  }),
  getUnclaimableJobs: workflowRoute('GET', '/workflows/{id}/unclaimable', 'read', {
    reads: 'rows',
    says: 'The ready jobs that a runner cannot take, by reason, whether it may get any job later, and the queued allocations that are not needed (addition); without a runner, those that no active runner can take, or that the last runner could not; with in_allocations, those that no allocation of the Slurm schedulers of the workflow could ever run.',
    query: z.object({ compute_node_id: queryInteger.optional(), in_allocations: queryFlag.optional() }),
    reply: Unclaimable,
  }),
  cancelUnneededAllocations: workflowRoute('POST', '/workflows/{id}/cancel_unneeded_allocations', 'write', {
    says: 'Mark those of these queued allocations as canceled for which no work is left or to come, and return them (addition). The caller cancels them in Slurm; no other caller gets the same ones.',
    body: z.object({ ids: z.array(id) }),
    reply: z.object({ items: z.array(ScheduledComputeNode) }),
  }),
  batchCompleteJobs: workflowRoute('POST', '/workflows/{id}/batch_complete_jobs', 'write', {
    says: 'Complete many jobs; a refused entry does not stop the others.',
    body: z.object({ completions: z.array(JobCompletion) }),
    reply: z.object({ completed: z.array(id), errors: z.array(JobCompletionError) }),
    bodyMebibytes: BULK_MEBIBYTES,
  }),
  exchange: workflowRoute('POST', '/workflows/{id}/exchange', 'write', {
    says: 'The exchange of a runner (addition): it reports what started and ended, and requests jobs.',
    body: ExchangeRequest,
    reply: ExchangeReply,
    bodyMebibytes: BULK_MEBIBYTES,
  }),
  reportLostRunner: route('POST', '/workflows/{id}/compute_nodes/{compute_node_id}/lost', 'write', 'workflow in path', {
    says: 'The last exchange of a runner that is proven lost (addition).',
    params: z.object({ id: queryInteger, compute_node_id: queryInteger }),
    body: LostRunner,
    reply: LostRunnerReply,
    bodyMebibytes: BULK_MEBIBYTES,
  }),
} as const satisfies Record<string, Route>;
