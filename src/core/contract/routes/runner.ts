import * as z from 'zod';
import { ExchangeReply, ExchangeRequest, LostRunner, LostRunnerReply } from '../exchange.ts';
import { ScheduledComputeNode } from '../allocation.ts';
import { Job } from '../job.ts';
import { ComputeNodesResources } from '../resources.ts';
import { JobCompletion, JobCompletionError } from '../result.ts';
import { Unclaimable } from '../unclaimable.ts';
import { id, queryFlag, queryInteger, text } from '../shape.ts';
import { BULK_MEBIBYTES, ofId, route, type Route } from './route.ts';

/** Requests and reports of runners. */
export const runnerRoutes = {
  claimJobsBasedOnResources: route({
    method: 'POST',
    path: '/workflows/{id}/claim_jobs_based_on_resources/{limit}',
    kind: 'write',
    access: 'workflow in path',
    says: 'Claim ready jobs that fit together into the offered resources.',
    params: z.object({ id: queryInteger, limit: queryInteger }),
    query: z.object({ strict_scheduler_match: queryFlag.optional() }),
    body: ComputeNodesResources,
    reply: z.object({ jobs: z.array(Job).optional(), reason: text.optional() }),
  }),
  claimNextJobs: route({
    method: 'POST',
    path: '/workflows/{id}/claim_next_jobs',
    kind: 'write',
    access: 'workflow in path',
    says: 'Claim the next ready jobs regardless of their requirements.',
    params: ofId,
    query: z.object({ limit: queryInteger.optional(), labels: text.optional() }),
    reply: z.object({ jobs: z.array(Job).optional() }),
  }),
  getUnclaimableJobs: route({
    method: 'GET',
    path: '/workflows/{id}/unclaimable',
    kind: 'read',
    access: 'workflow in path',
    says: 'The ready jobs that a runner cannot take, by reason, whether it may get any job later, and the queued allocations that are not needed (addition); without a runner, those that no active runner can take, or that the last runner could not; with in_allocations, those that no allocation of the Slurm schedulers of the workflow could ever run.',
    params: ofId,
    query: z.object({ compute_node_id: queryInteger.optional(), in_allocations: queryFlag.optional() }),
    reply: Unclaimable,
  }),
  cancelUnneededAllocations: route({
    method: 'POST',
    path: '/workflows/{id}/cancel_unneeded_allocations',
    kind: 'write',
    access: 'workflow in path',
    says: 'Mark those of these queued allocations as canceled for which no work is left or to come, and return them (addition). The caller cancels them in Slurm; no other caller gets the same ones.',
    params: ofId,
    body: z.object({ ids: z.array(id) }),
    reply: z.object({ items: z.array(ScheduledComputeNode) }),
  }),
  batchCompleteJobs: route({
    method: 'POST',
    path: '/workflows/{id}/batch_complete_jobs',
    kind: 'write',
    access: 'workflow in path',
    says: 'Complete many jobs; a refused entry does not stop the others.',
    params: ofId,
    body: z.object({ completions: z.array(JobCompletion) }),
    reply: z.object({ completed: z.array(id), errors: z.array(JobCompletionError) }),
    bodyMebibytes: BULK_MEBIBYTES,
  }),
  exchange: route({
    method: 'POST',
    path: '/workflows/{id}/exchange',
    kind: 'write',
    access: 'workflow in path',
    says: 'The exchange of a runner (addition): it reports what started and ended, and requests jobs.',
    params: ofId,
    body: ExchangeRequest,
    reply: ExchangeReply,
    bodyMebibytes: BULK_MEBIBYTES,
  }),
  reportLostRunner: route({
    method: 'POST',
    path: '/workflows/{id}/compute_nodes/{compute_node_id}/lost',
    kind: 'write',
    access: 'workflow in path',
    says: 'The last exchange of a runner that is proven lost (addition).',
    params: z.object({ id: queryInteger, compute_node_id: queryInteger }),
    body: LostRunner,
    reply: LostRunnerReply,
    bodyMebibytes: BULK_MEBIBYTES,
  }),
} as const satisfies Record<string, Route>;
