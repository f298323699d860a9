import * as z from 'zod';
import { jobStatus } from '../job.ts';
import { RecoveryPlan, RecoveryPolicy, RecoveryRequest } from '../recovery.ts';
import { flag, queryInteger, queryTime, text } from '../shape.ts';
import {
  FailureGroups,
  FamilyJobs,
  JobExplanation,
  JobSamples,
  NODE_MEASURES,
  NodeUse,
  OutputTail,
  ResourceUse,
  RunnerUse,
  RunningNow,
  WorkflowGraph,
  WorkflowOverview,
  WorkflowTimeline,
} from '../view.ts';
import { WorkflowStatus } from '../workflow.ts';
import { ofId, type Route, route, workflowRoute } from './route.ts';

/** Rows of a page that a list returns; more are not shown at once. */
const pageLimit = queryInteger.pipe(z.int().min(1).max(1000)).optional();

/** Bands of a timeline: more are no picture any more, and these have 72,000 numbers. */
const MOST_BANDS = 200;

/** What a page shows of workflows (additions). */
export const viewRoutes = {
  listWorkflowOverviews: route('GET', '/workflow_overviews', 'read', 'user', {
    says: 'List workflows with their progress, the newest first (addition). `before` is the id of the last one of the previous page.',
    query: z.object({
      user: text.optional(),
      name: text.optional(),
      project: text.optional(),
      /** Only those that are shared with this access group. */
      access_group: text.optional(),
      before: queryInteger.optional(),
      limit: pageLimit,
    }),
    reply: z.object({ items: z.array(WorkflowOverview), has_more: flag }),
  }),
  streamWorkflowStatus: workflowRoute('GET', '/workflows/{id}/status/stream', 'stream', {
    says: 'Stream the status of a workflow: now and after each change, at most four times a second (addition). A slow reader gets only the newest status.',
    reply: WorkflowStatus,
  }),
  getWorkflowGraph: workflowRoute('GET', '/workflows/{id}/graph', 'own', {
    says: 'The graph of a workflow by families: jobs whose names are the same without numbers, and whose dependencies are (addition).',
    query: z.object({ by: z.enum(['family']).optional() }),
    reply: WorkflowGraph,
  }),
  listFamilyJobs: route('GET', '/workflows/{id}/families/{family}/jobs', 'own', 'workflow in path', {
    says: 'List the jobs of a family, by id (addition). `after` is the id of the last one of the previous page; `skip` passes over so many jobs behind it, whatever their status; `name` is a part of their names.',
    params: z.object({ id: queryInteger, family: text }),
    query: z.object({
      status: jobStatus.optional(),
      name: text.optional(),
      after: queryInteger.optional(),
      skip: queryInteger.pipe(z.int().min(0)).optional(),
      limit: pageLimit,
    }),
    reply: FamilyJobs,
  }),
  listRunningNow: workflowRoute('GET', '/workflows/{id}/running_now', 'read', {
    says: 'List the jobs that run now, by id and without their number, so that it costs the same for any number (addition). `after` is the id of the last one of the previous page.',
    query: z.object({ after: queryInteger.optional(), limit: pageLimit }),
    reply: RunningNow,
  }),
  getWorkflowTimeline: workflowRoute('GET', '/workflows/{id}/timeline', 'own', {
    says: 'Attempts of the current run that ran, ended and failed over time (addition). `from` and `to` choose a part of the time, `by` divides them into at most `bands` bands, and with `attempts` a time that so many overlap has each of them.',
    query: z.object({
      bins: queryInteger.pipe(z.int().min(1).max(1000)).optional(),
      from: queryTime.optional(),
      to: queryTime.optional(),
      by: z.enum(['family', 'runner']).optional(),
      bands: queryInteger.pipe(z.int().min(1).max(MOST_BANDS)).optional(),
      attempts: pageLimit,
    }),
    reply: WorkflowTimeline,
  }),
  listFailureGroups: workflowRoute('GET', '/workflows/{id}/failure_groups', 'own', {
    says: 'Jobs that failed, in groups of the same cause, the largest first (addition).',
    reply: FailureGroups,
  }),
  getResourceUse: workflowRoute('GET', '/workflows/{id}/resource_use', 'own', {
    says: 'What jobs used beside what they asked for, by the requirements that they share, with what would fit them (addition).',
    reply: ResourceUse,
  }),
  getRecoveryPlan: workflowRoute('GET', '/workflows/{id}/recovery_plan', 'own', {
    says: 'What a recovery would do: why jobs failed, which requirements it raises, and which jobs run again; changes nothing (addition).',
    query: RecoveryPolicy,
    reply: RecoveryPlan,
  }),
  recoverWorkflow: workflowRoute('POST', '/workflows/{id}/recover', 'own', {
    says: 'Raise requirements and run jobs again as the recovery plan says, unless it has changed; not where allocations would have to be submitted (addition).',
    body: RecoveryRequest,
    reply: RecoveryPlan,
  }),
  getNodeUse: workflowRoute('GET', '/workflows/{id}/node_use', 'own', {
    says: 'What running jobs took of the CPUs, the memory or the GPUs of each node over time, as they asked for it, for the nodes with the most running time (addition).',
    query: z.object({
      measure: z.enum(NODE_MEASURES).optional(),
      bins: queryInteger.pipe(z.int().min(1).max(500)).optional(),
    }),
    reply: NodeUse,
  }),
  getRunnerUse: workflowRoute('GET', '/workflows/{id}/runner_use', 'own', {
    says: 'How many jobs run on each runner, by the requirements that they share (addition).',
    reply: RunnerUse,
  }),
  getJobExplanation: route('GET', '/jobs/{id}/explanation', 'own', 'workflow of job', {
    says: 'Why a job waits, or why it ended as it did, as `torc jobs explain` says it; what Slurm and other programs say is left to the command (addition).',
    params: ofId,
    reply: JobExplanation,
  }),
  getOutputTail: route('GET', '/jobs/{id}/output_tail', 'own', 'workflow of job', {
    says: 'The last lines of what an attempt wrote, if the server can read them; else where they are (addition). The default is the current attempt.',
    params: ofId,
    query: z.object({
      stream: z.enum(['stdout', 'stderr']).optional(),
      run_id: queryInteger.optional(),
      attempt_id: queryInteger.optional(),
      lines: queryInteger.pipe(z.int().min(1).max(500)).optional(),
    }),
    reply: OutputTail,
  }),
  getJobSamples: route('GET', '/jobs/{id}/samples', 'own', 'workflow of job', {
    says: 'CPU and memory of an attempt over time, from the file of its runner, if there is one and the server can read it; else where it is (addition). The default is the current attempt.',
    params: ofId,
    query: z.object({ run_id: queryInteger.optional(), attempt_id: queryInteger.optional() }),
    reply: JobSamples,
  }),
  createPageToken: route('POST', '/page_tokens', 'own', 'user', {
    says: 'Create a start token: the page exchanges it once, within ten minutes, for a session of the same user (addition).',
    reply: z.object({ token: text }),
  }),
} as const satisfies Record<string, Route>;
