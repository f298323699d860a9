import * as z from 'zod';
import { ScheduledComputeNode } from './allocation.ts';
import { Job, jobStatus } from './job.ts';
import { ComputeNode } from './node.ts';
import { ResourceRequirements } from './resources.ts';
import { Result } from './result.ts';
import { SlurmScheduler, WorkflowAction } from './scheduling.ts';
import { id, integer, maybe, text } from './shape.ts';
import { RunnerUse } from './view.ts';
import { WaitingLimit } from './waiting-limit.ts';
import { Workflow } from './workflow.ts';

/** What is known of a workflow and of a job (additions): the records on which decisions stand, in one answer. */

/** A workflow, and what its jobs run on: the size does not grow with the number of its jobs. */
export const KnownWorkflow = z.object({
  workflow: Workflow,
  slurm_schedulers: z.array(SlurmScheduler),
  /** Hosts that are reached by ssh. */
  remote_workers: z.array(text),
  actions: z.array(WorkflowAction),
  /** The active ones. */
  runners: z.array(ComputeNode),
  last_runner: maybe(ComputeNode),
  /** Those that are planned, are being submitted, wait or run. */
  allocations: z.array(ScheduledComputeNode),
});
export type KnownWorkflow = z.output<typeof KnownWorkflow>;

/** Another job, with what of it matters for this one. */
const KnownUpstream = z.object({ id, name: text, status: jobStatus, return_code: maybe(integer) });
export type KnownUpstream = z.output<typeof KnownUpstream>;

export const KnownJob = z.object({
  job: Job,
  of: KnownWorkflow,
  requirements: ResourceRequirements,
  /** The first jobs that it waits for, and the number of the others. */
  upstream: z.array(KnownUpstream),
  upstream_left_out: integer,
  /** Of a canceled job: the nearest job before it that did not end well by itself. */
  canceled_by: maybe(KnownUpstream),
  /** Of the attempts of all runs, in order: the newest ones, and the number of those before. */
  results: z.array(Result),
  results_left_out: maybe(integer),
  /** The runners of the last attempts. */
  nodes: z.array(ComputeNode),
  /** Of a ready job: the running jobs of its workflow by runner and requirements, with these. */
  running: RunnerUse,
  running_requirements: z.array(ResourceRequirements),
  /** Of a ready job: the limits that have no room for it, those first that it can never fit into. Absent if there are none. */
  waiting_limits: maybe(z.array(WaitingLimit)),
});
export type KnownJob = z.output<typeof KnownJob>;
