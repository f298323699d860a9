import * as z from 'zod';
import { CanceledJobs, CancelJobs } from '../cancel-jobs.ts';
import { NewJob, Job, jobStatus } from '../job.ts';
import { NewResourceRequirements } from '../resources.ts';
import { NewResult } from '../result.ts';
import { NewFailureHandler, FailureHandler } from '../scheduling.ts';
import { id, integer, maybe, page, paging, queryFlag, queryInteger, text } from '../shape.ts';
import { SpawnReply, SpawnRequest } from '../spawn.ts';
import { BULK_MEBIBYTES, message, ofId, type Route, route, workflowRoute } from './route.ts';
import { recordRoutes } from './record-routes.ts';

const jobs = recordRoutes({ path: '/jobs', table: 'job', shape: NewJob });
const requirements = recordRoutes({
  path: '/resource_requirements',
  table: 'resource_requirements',
  shape: NewResourceRequirements,
});
const handlers = recordRoutes({ path: '/failure_handlers', table: 'failure_handler', shape: NewFailureHandler });

/** Jobs and their requirements. */
export const jobRoutes = {
  createJob: { ...jobs.create('Create a job; it is uninitialized.'), kind: 'work' },
  createJobs: route('POST', '/bulk_jobs', 'work', 'workflow in entries', {
    says: 'Create jobs of one workflow, all or none. With reply=ids the reply contains only their ids. `depends_on_positions` lists for each job, in the same order, the earlier jobs of this request that it depends on, by position from 0.',
    query: z.object({ reply: z.enum(['ids']).optional() }),
    body: z.object({ jobs: z.array(NewJob), depends_on_positions: maybe(z.array(z.array(integer))) }),
    reply: z.object({ jobs: z.array(Job).optional(), job_ids: z.array(id).optional() }),
    bodyMebibytes: BULK_MEBIBYTES,
  }),
  listJobs: jobs.list('List jobs of a workflow.', {
    status: jobStatus.optional(),
    needs_file_id: queryInteger.optional(),
    upstream_job_id: queryInteger.optional(),
    active_compute_node_id: queryInteger.optional(),
    origin_is_set: queryFlag.optional(),
    name: text.optional(),
    command: text.optional(),
    labels: text.optional(),
    include_relationships: queryFlag.optional(),
  }),
  getJob: { ...jobs.get('Get one job with its relationships.'), reads: 'record' },
  startJob: route('PUT', '/jobs/{id}/start_job/{run_id}/{compute_node_id}', 'write', 'workflow of job', {
    says: 'Report that a pending job started on a compute node.',
    params: z.object({ id: queryInteger, run_id: queryInteger, compute_node_id: queryInteger }),
    reply: Job,
  }),
  completeJob: route('POST', '/jobs/{id}/complete_job/{status}/{run_id}', 'write', 'workflow of job', {
    says: 'Report that a job ended; its dependents are released in the same transaction.',
    params: z.object({ id: queryInteger, status: jobStatus, run_id: queryInteger }),
    body: NewResult,
    reply: Job,
  }),
  manageStatusChange: route('PUT', '/jobs/{id}/manage_status_change/{status}/{run_id}', 'work', 'workflow of job', {
    says: 'Set the status of a job by hand, to any status that is not terminal.',
    params: z.object({ id: queryInteger, status: jobStatus, run_id: queryInteger }),
    reply: Job,
  }),
  retryJob: route('POST', '/jobs/{id}/retry/{run_id}', 'write', 'workflow of job', {
    says: 'Make a job ready again as a new attempt.',
    params: z.object({ id: queryInteger, run_id: queryInteger }),
    query: z.object({ max_retries: queryInteger }),
    reply: Job,
  }),
  cancelJobs: workflowRoute('POST', '/workflows/{id}/cancel_jobs', 'write', {
    says: 'Cancel jobs that wait or run. Their runners end those that run; dependents are canceled as the workflow says.',
    body: CancelJobs,
    reply: CanceledJobs,
  }),
  spawnJobs: route('POST', '/jobs/{id}/spawn_jobs', 'work', 'workflow of job', {
    says: 'Add jobs that wait for the running job that adds them; a repeated request gets the same reply.',
    params: ofId,
    body: SpawnRequest,
    reply: SpawnReply,
    bodyMebibytes: BULK_MEBIBYTES,
  }),
  createResourceRequirements: requirements.create('Create resource requirements.'),
  listResourceRequirements: requirements.list('List the resource requirements of a workflow.', {
    name: text.optional(),
    memory: text.optional(),
    num_cpus: queryInteger.optional(),
    num_gpus: queryInteger.optional(),
    num_nodes: queryInteger.optional(),
    runtime: queryInteger.optional(),
  }),
  getResourceRequirements: requirements.get('Get one record of resource requirements.'),
  createFailureHandler: handlers.create('Create a failure handler.'),
  listFailureHandlers: workflowRoute('GET', '/workflows/{id}/failure_handlers', 'read', {
    reads: 'page',
    says: 'List the failure handlers of a workflow.',
    query: z.object(paging),
    reply: page(FailureHandler),
  }),
  updateJob: jobs.update(
    'Change a job; fields that are left out keep their value. The definition can change only while the job is uninitialized.',
    NewJob.partial().extend({ name: text, command: text }),
  ),
  bindJobs: workflowRoute('POST', '/workflows/{id}/bind_jobs', 'write', {
    says: 'Bind up to 1,000 jobs of a workflow to a Slurm scheduler, all or none (addition). updateJob does it for one.',
    body: z.object({ scheduler_id: id, job_ids: z.array(id).max(1000) }),
    reply: z.object({ bound: integer }),
  }),
  deleteJob: { ...jobs.delete('Delete a job; its dependents no longer wait for it.'), kind: 'work' },
  deleteJobs: { ...jobs.deleteAll('Delete all jobs of a workflow.'), kind: 'work' },
  updateResourceRequirements: requirements.update(
    'Replace resource requirements; fields that are left out get their default.',
    NewResourceRequirements,
  ),
  deleteResourceRequirements: requirements.delete('Delete resource requirements that no job uses.'),
  deleteResourceRequirementsList: requirements.deleteAll(
    'Delete all resource requirements of a workflow; refused if a job uses one of them.',
  ),
  getFailureHandler: handlers.get('Get one failure handler.'),
  deleteFailureHandler: { ...handlers.delete('Delete a failure handler.'), reply: message },
} as const satisfies Record<string, Route>;
