import * as z from 'zod';
import { RecoveryLease, RecoveryLeaseRequest } from '../recovery.ts';
import { ReadyJobRequirements } from '../resources.ts';
import { JobDependency, JobFileRelationship, JobUserDataRelationship } from '../job.ts';
import { flag, id, integer, page, paging, queryFlag, queryInteger, text } from '../shape.ts';
import { Task } from '../task.ts';
import { NewWorkflow, Workflow, WorkflowChange, WorkflowStatus } from '../workflow.ts';
import { WorkflowLimits } from '../workflow-limits.ts';
import { message, type Route, route, workflowRoute } from './route.ts';
import { workflowActionRoutes } from './workflow-actions.ts';

/** Workflows, their parts, and their actions. */
export const workflowRoutes = {
  createWorkflow: route('POST', '/workflows', 'write', 'user', {
    says: 'Create a workflow and its default resource requirements (1 CPU, 1m, P0DT1M).',
    body: NewWorkflow,
    reply: Workflow,
  }),
  listWorkflows: route('GET', '/workflows', 'read', 'user', {
    reads: 'page',
    says: 'List workflows.',
    query: z.object({
      name: text.optional(),
      user: text.optional(),
      description: text.optional(),
      is_archived: queryFlag.optional(),
      access_group: text.optional(),
      /** addition */
      is_being_created: queryFlag.optional(),
      /** addition */
      spec_file: text.optional(),
      ...paging,
    }),
    reply: page(Workflow),
  }),
  getWorkflow: workflowRoute('GET', '/workflows/{id}', 'read', {
    says: 'Get one workflow.',
    reply: Workflow,
  }),
  updateWorkflow: workflowRoute('PUT', '/workflows/{id}', 'write', {
    says: 'Change a workflow; fields that are left out keep their value.',
    body: WorkflowChange,
    reply: Workflow,
  }),
  deleteWorkflow: workflowRoute('DELETE', '/workflows/{id}', 'work', {
    says: 'Delete a workflow and everything that belongs to it.',
    reply: Workflow,
  }),
  archiveWorkflow: workflowRoute('POST', '/workflows/{id}/archive', 'write', {
    says: 'Archive a workflow, or unarchive it.',
    body: z.object({ is_archived: flag }),
    reply: Workflow,
  }),
  cancelWorkflow: workflowRoute('PUT', '/workflows/{id}/cancel', 'work', {
    says: 'Cancel a workflow: no job starts any more, running and pending jobs become canceled.',
    reply: Workflow,
  }),
  getWorkflowStatus: workflowRoute('GET', '/workflows/{id}/status', 'own', {
    says: 'The status of a workflow with its counts, in one request.',
    query: z.object({ choice: queryInteger.optional() }),
    reply: WorkflowStatus,
  }),
  getWorkflowLimits: workflowRoute('GET', '/workflows/{id}/limits', 'read', {
    says: 'The limits that bound its jobs, with what is held of each, and its waiting jobs that hold licenses.',
    reply: WorkflowLimits,
  }),
  isComplete: workflowRoute('GET', '/workflows/{id}/is_complete', 'read', {
    says: 'Whether every job ended or the workflow was canceled.',
    reply: z.object({ is_complete: flag, is_canceled: flag }),
  }),
  isUninitialized: workflowRoute('GET', '/workflows/{id}/is_uninitialized', 'read', {
    says: 'Whether all jobs are uninitialized or disabled.',
    reply: z.object({ is_uninitialized: flag }),
  }),
  getReadyJobRequirements: workflowRoute('GET', '/workflows/{id}/ready_job_requirements', 'read', {
    reads: 'rows',
    says: 'The requirements of all ready jobs together, or of those that are bound to one scheduler.',
    query: z.object({ scheduler_config_id: queryInteger.optional() }),
    reply: ReadyJobRequirements,
  }),
  listJobIds: workflowRoute('GET', '/workflows/{id}/job_ids', 'read', {
    reads: 'rows',
    says: 'List the ids of all jobs.',
    reply: z.object({ job_ids: z.array(id), count: integer }),
  }),
  resetStatus: workflowRoute('POST', '/workflows/{id}/reset_status', 'write', {
    says: 'Begin a new run: clear the cancellation and raise run_id.',
    query: z.object({ force: queryFlag.optional() }),
    reply: Workflow,
  }),
  resetJobStatus: workflowRoute('POST', '/workflows/{id}/reset_job_status', 'work', {
    says: 'Make all jobs uninitialized, or only those that failed and their dependents.',
    query: z.object({ failed_only: queryFlag.optional() }),
    reply: z.object({
      workflow_id: id,
      updated_count: integer,
      status: text,
      reset_type: text.optional(),
    }),
  }),
  resetInterruptedJobs: workflowRoute('POST', '/workflows/{id}/reset_interrupted_jobs', 'work', {
    says: 'Make the interrupted jobs (terminated or canceled, but not because a job failed) uninitialized, with everything downstream of them (ours).',
    query: z.object({ dry_run: queryFlag.optional() }),
    reply: z.object({ workflow_id: id, updated_count: integer, status: text }),
  }),
  takeRecoveryLease: workflowRoute('POST', '/workflows/{id}/recovery_lease', 'write', {
    says: 'Take or renew the lease under which one command at a time recovers a workflow or submits its allocations (addition).',
    body: RecoveryLeaseRequest,
    reply: RecoveryLease,
  }),
  releaseRecoveryLease: workflowRoute('DELETE', '/workflows/{id}/recovery_lease', 'write', {
    says: 'Give the recovery lease back (addition); one that another user has stays.',
    query: z.object({ token: text }),
    reply: z.object({ released: flag }),
  }),
  initializeJobs: workflowRoute('POST', '/workflows/{id}/initialize_jobs', 'work', {
    says: 'Make jobs ready or blocked, according to their dependencies; with async=true this happens after the reply, which is a task. keep_pending_failed=true leaves jobs that wait for a decision as they are (addition).',
    query: z.object({
      only_uninitialized: queryFlag.optional(),
      clear_ephemeral_user_data: queryFlag.optional(),
      keep_pending_failed: queryFlag.optional(),
      async: queryFlag.optional(),
    }),
    reply: z.union([Task, message]),
    isAccepted: (reply: unknown) => typeof reply === 'object' && reply !== null && 'operation' in reply,
  }),
  processChangedJobInputs: workflowRoute('POST', '/workflows/{id}/process_changed_job_inputs', 'work', {
    says: 'Make jobs uninitialized whose user data changed since the last initialization.',
    query: z.object({ dry_run: queryFlag.optional() }),
    reply: z.object({ reinitialized_jobs: z.array(text) }),
  }),
  listJobDependencies: workflowRoute('GET', '/workflows/{id}/job_dependencies', 'read', {
    reads: 'clamped page',
    says: 'List the dependencies between jobs.',
    query: z.object(paging),
    reply: page(JobDependency),
  }),
  listJobFileRelationships: workflowRoute('GET', '/workflows/{id}/job_file_relationships', 'read', {
    reads: 'clamped page',
    says: 'List which job produces which file for which job.',
    query: z.object(paging),
    reply: page(JobFileRelationship),
  }),
  listJobUserDataRelationships: workflowRoute('GET', '/workflows/{id}/job_user_data_relationships', 'read', {
    reads: 'clamped page',
    says: 'List which job produces which user data for which job.',
    query: z.object(paging),
    reply: page(JobUserDataRelationship),
  }),
  ...workflowActionRoutes,
} as const satisfies Record<string, Route>;
