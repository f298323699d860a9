import * as z from 'zod';
import { File, UserData } from './artifact.ts';
import { Event, StreamEvent } from './event.ts';
import { ExchangeReply, ExchangeRequest, LostRunner, LostRunnerReply } from './exchange.ts';
import { Job, JobDependency, JobFileRelationship, JobUserDataRelationship, jobStatus } from './job.ts';
import { ComputeNode } from './node.ts';
import { ComputeNodesResources, ResourceRequirements } from './resources.ts';
import { JobCompletion, JobCompletionError, Result } from './result.ts';
import { FailureHandler, SlurmScheduler, WorkflowAction } from './scheduling.ts';
import { id, page, paging, queryFlag, queryInteger } from './shape.ts';
import { Workflow, WorkflowChange, WorkflowStatus } from './workflow.ts';

/** Who may use a route: anybody who may reach the server, or who may see the workflow that it concerns. */
type Access = 'anyone' | 'workflow';

/**
 * How a route is carried out: a `read` at once, a `write` in the transaction that all writes of one turn of the event
 * loop share, a `stream` for as long as the other side listens.
 */
type Kind = 'read' | 'write' | 'stream';

export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly kind: Kind;
  readonly access: Access;
  readonly says: string;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  readonly reply: z.ZodType;
  /** Largest body in MiB; 2 unless said. */
  readonly bodyMebibytes?: number;
}

const route = <const R extends Route>(definition: R): R => definition;

const ofId = z.object({ id: queryInteger });
const ofWorkflow = z.object({ workflow_id: queryInteger, ...paging });
const message = z.object({ message: z.string() });
const ofOneWorkflow = z.object({ workflow_id: queryInteger });
const deletedCount = z.object({ count: z.int() });
const BULK_MEBIBYTES = 200;

/** Every route of the service: server, client, OpenAPI and the reference page are made from this table. */
export const routes = {
  ping: route({
    method: 'GET',
    path: '/ping',
    kind: 'read',
    access: 'anyone',
    says: 'Is the server there?',
    reply: z.object({ status: z.string() }),
  }),
  getVersion: route({
    method: 'GET',
    path: '/version',
    kind: 'read',
    access: 'anyone',
    says: 'The version of the program and of this contract.',
    reply: z.object({ version: z.string(), api_version: z.string() }),
  }),

  createWorkflow: route({
    method: 'POST',
    path: '/workflows',
    kind: 'write',
    access: 'anyone',
    says: 'Create a workflow and its default resource requirements (1 CPU, 1m, P0DT1M).',
    body: Workflow,
    reply: Workflow,
  }),
  listWorkflows: route({
    method: 'GET',
    path: '/workflows',
    kind: 'read',
    access: 'anyone',
    says: 'List workflows.',
    query: z.object({
      name: z.string().optional(),
      user: z.string().optional(),
      description: z.string().optional(),
      is_archived: queryFlag.optional(),
      ...paging,
    }),
    reply: page(Workflow),
  }),
  getWorkflow: route({
    method: 'GET',
    path: '/workflows/{id}',
    kind: 'read',
    access: 'workflow',
    says: 'One workflow.',
    params: ofId,
    reply: Workflow,
  }),
  updateWorkflow: route({
    method: 'PUT',
    path: '/workflows/{id}',
    kind: 'write',
    access: 'workflow',
    says: 'Change a workflow; fields that are left out keep their value.',
    params: ofId,
    body: WorkflowChange,
    reply: Workflow,
  }),
  deleteWorkflow: route({
    method: 'DELETE',
    path: '/workflows/{id}',
    kind: 'write',
    access: 'workflow',
    says: 'Delete a workflow and everything that belongs to it.',
    params: ofId,
    reply: Workflow,
  }),
  archiveWorkflow: route({
    method: 'POST',
    path: '/workflows/{id}/archive',
    kind: 'write',
    access: 'workflow',
    says: 'Put a workflow away, or take it out again.',
    params: ofId,
    body: z.object({ is_archived: z.boolean() }),
    reply: Workflow,
  }),
  cancelWorkflow: route({
    method: 'PUT',
    path: '/workflows/{id}/cancel',
    kind: 'write',
    access: 'workflow',
    says: 'Cancel a workflow: nothing new starts, running and pending jobs become canceled.',
    params: ofId,
    reply: Workflow,
  }),
  getWorkflowStatus: route({
    method: 'GET',
    path: '/workflows/{id}/status',
    kind: 'read',
    access: 'workflow',
    says: 'How a workflow stands, in one call.',
    params: ofId,
    reply: WorkflowStatus,
  }),
  isComplete: route({
    method: 'GET',
    path: '/workflows/{id}/is_complete',
    kind: 'read',
    access: 'workflow',
    says: 'Has every job ended, or was the workflow canceled?',
    params: ofId,
    reply: z.object({ is_complete: z.boolean(), is_canceled: z.boolean() }),
  }),
  isUninitialized: route({
    method: 'GET',
    path: '/workflows/{id}/is_uninitialized',
    kind: 'read',
    access: 'workflow',
    says: 'Are all jobs uninitialized or disabled?',
    params: ofId,
    reply: z.object({ is_uninitialized: z.boolean() }),
  }),
  listJobIds: route({
    method: 'GET',
    path: '/workflows/{id}/job_ids',
    kind: 'read',
    access: 'workflow',
    says: 'The ids of all jobs.',
    params: ofId,
    reply: z.object({ job_ids: z.array(id), count: z.int() }),
  }),
  resetStatus: route({
    method: 'POST',
    path: '/workflows/{id}/reset_status',
    kind: 'write',
    access: 'workflow',
    says: 'Begin a new run: clear the cancellation and raise run_id.',
    params: ofId,
    query: z.object({ force: queryFlag.optional() }),
    reply: Workflow,
  }),
  resetJobStatus: route({
    method: 'POST',
    path: '/workflows/{id}/reset_job_status',
    kind: 'write',
    access: 'workflow',
    says: 'Make all jobs uninitialized, or only those that failed with everything downstream of them.',
    params: ofId,
    query: z.object({ failed_only: queryFlag.optional() }),
    reply: z.object({
      workflow_id: id,
      updated_count: z.int(),
      status: z.string(),
      reset_type: z.string().optional(),
    }),
  }),
  initializeJobs: route({
    method: 'POST',
    path: '/workflows/{id}/initialize_jobs',
    kind: 'write',
    access: 'workflow',
    says: 'Make jobs ready or blocked, from what they depend on.',
    params: ofId,
    query: z.object({ only_uninitialized: queryFlag.optional(), clear_ephemeral_user_data: queryFlag.optional() }),
    reply: message,
  }),
  processChangedJobInputs: route({
    method: 'POST',
    path: '/workflows/{id}/process_changed_job_inputs',
    kind: 'write',
    access: 'workflow',
    says: 'Make jobs uninitialized whose user data changed since the last initialisation.',
    params: ofId,
    query: z.object({ dry_run: queryFlag.optional() }),
    reply: z.object({ reinitialized_jobs: z.array(z.string()) }),
  }),
  listRequiredExistingFiles: route({
    method: 'GET',
    path: '/workflows/{id}/required_existing_files',
    kind: 'read',
    access: 'workflow',
    says: 'Files that must exist: inputs that no job makes, and outputs of completed jobs.',
    params: ofId,
    reply: z.object({ files: z.array(id) }),
  }),
  listMissingUserData: route({
    method: 'GET',
    path: '/workflows/{id}/missing_user_data',
    kind: 'read',
    access: 'workflow',
    says: 'User data without a value that jobs read and no job makes, and empty outputs of completed jobs.',
    params: ofId,
    reply: z.object({ user_data: z.array(id) }),
  }),
  listJobDependencies: route({
    method: 'GET',
    path: '/workflows/{id}/job_dependencies',
    kind: 'read',
    access: 'workflow',
    says: 'Which job waits for which.',
    params: ofId,
    query: z.object(paging),
    reply: page(JobDependency),
  }),
  listJobFileRelationships: route({
    method: 'GET',
    path: '/workflows/{id}/job_file_relationships',
    kind: 'read',
    access: 'workflow',
    says: 'Which job makes which file for which job.',
    params: ofId,
    query: z.object(paging),
    reply: page(JobFileRelationship),
  }),
  listJobUserDataRelationships: route({
    method: 'GET',
    path: '/workflows/{id}/job_user_data_relationships',
    kind: 'read',
    access: 'workflow',
    says: 'Which job makes which user data for which job.',
    params: ofId,
    query: z.object(paging),
    reply: page(JobUserDataRelationship),
  }),

  createJob: route({
    method: 'POST',
    path: '/jobs',
    kind: 'write',
    access: 'workflow',
    says: 'Create a job; it is uninitialized.',
    body: Job,
    reply: Job,
  }),
  createJobs: route({
    method: 'POST',
    path: '/bulk_jobs',
    kind: 'write',
    access: 'workflow',
    says: 'Create jobs of one workflow, all or none. With reply=ids the answer has their ids only.',
    query: z.object({ reply: z.enum(['ids']).optional() }),
    body: z.object({ jobs: z.array(Job) }),
    reply: z.object({ jobs: z.array(Job).optional(), job_ids: z.array(id).optional() }),
    bodyMebibytes: BULK_MEBIBYTES,
  }),
  listJobs: route({
    method: 'GET',
    path: '/jobs',
    kind: 'read',
    access: 'workflow',
    says: 'List jobs of a workflow.',
    query: ofWorkflow.extend({
      status: jobStatus.optional(),
      needs_file_id: queryInteger.optional(),
      upstream_job_id: queryInteger.optional(),
      active_compute_node_id: queryInteger.optional(),
      origin_is_set: queryFlag.optional(),
      name: z.string().optional(),
      command: z.string().optional(),
      labels: z.string().optional(),
      include_relationships: queryFlag.optional(),
    }),
    reply: page(Job),
  }),
  getJob: route({
    method: 'GET',
    path: '/jobs/{id}',
    kind: 'read',
    access: 'workflow',
    says: 'One job with its relationships.',
    params: ofId,
    reply: Job,
  }),
  startJob: route({
    method: 'PUT',
    path: '/jobs/{id}/start_job/{run_id}/{compute_node_id}',
    kind: 'write',
    access: 'workflow',
    says: 'A pending job starts on a compute node.',
    params: z.object({ id: queryInteger, run_id: queryInteger, compute_node_id: queryInteger }),
    reply: Job,
  }),
  completeJob: route({
    method: 'POST',
    path: '/jobs/{id}/complete_job/{status}/{run_id}',
    kind: 'write',
    access: 'workflow',
    says: 'A job ended; its dependants are released in the same transaction.',
    params: z.object({ id: queryInteger, status: jobStatus, run_id: queryInteger }),
    body: Result,
    reply: Job,
  }),
  manageStatusChange: route({
    method: 'PUT',
    path: '/jobs/{id}/manage_status_change/{status}/{run_id}',
    kind: 'write',
    access: 'workflow',
    says: 'Set the status of a job by hand, to anything that is not an end.',
    params: z.object({ id: queryInteger, status: jobStatus, run_id: queryInteger }),
    reply: Job,
  }),
  retryJob: route({
    method: 'POST',
    path: '/jobs/{id}/retry/{run_id}',
    kind: 'write',
    access: 'workflow',
    says: 'Make a job ready again as a new attempt.',
    params: z.object({ id: queryInteger, run_id: queryInteger }),
    query: z.object({ max_retries: queryInteger }),
    reply: Job,
  }),

  claimJobsBasedOnResources: route({
    method: 'POST',
    path: '/workflows/{id}/claim_jobs_based_on_resources/{limit}',
    kind: 'write',
    access: 'workflow',
    says: 'Hand out ready jobs that fit together into what is offered.',
    params: z.object({ id: queryInteger, limit: queryInteger }),
    query: z.object({ strict_scheduler_match: queryFlag.optional() }),
    body: ComputeNodesResources,
    reply: z.object({ jobs: z.array(Job).optional(), reason: z.string().optional() }),
  }),
  claimNextJobs: route({
    method: 'POST',
    path: '/workflows/{id}/claim_next_jobs',
    kind: 'write',
    access: 'workflow',
    says: 'Hand out the next ready jobs, whatever they need.',
    params: ofId,
    query: z.object({ limit: queryInteger.optional(), labels: z.string().optional() }),
    reply: z.object({ jobs: z.array(Job).optional() }),
  }),
  batchCompleteJobs: route({
    method: 'POST',
    path: '/workflows/{id}/batch_complete_jobs',
    kind: 'write',
    access: 'workflow',
    says: 'Complete many jobs; an entry that is refused does not stop the others.',
    params: ofId,
    body: z.object({ completions: z.array(JobCompletion) }),
    reply: z.object({ completed: z.array(id), errors: z.array(JobCompletionError) }),
    bodyMebibytes: BULK_MEBIBYTES,
  }),
  exchange: route({
    method: 'POST',
    path: '/workflows/{id}/exchange',
    kind: 'write',
    access: 'workflow',
    says: 'A whole turn of a runner (ours): what started, what ended, what it wants next.',
    params: ofId,
    body: ExchangeRequest,
    reply: ExchangeReply,
    bodyMebibytes: BULK_MEBIBYTES,
  }),
  reportLostRunner: route({
    method: 'POST',
    path: '/workflows/{id}/compute_nodes/{compute_node_id}/lost',
    kind: 'write',
    access: 'workflow',
    says: 'The last turn of a runner that is proven gone (ours).',
    params: z.object({ id: queryInteger, compute_node_id: queryInteger }),
    body: LostRunner,
    reply: LostRunnerReply,
    bodyMebibytes: BULK_MEBIBYTES,
  }),

  createFile: route({
    method: 'POST',
    path: '/files',
    kind: 'write',
    access: 'workflow',
    says: 'Create a file record.',
    body: File,
    reply: File,
  }),
  createFiles: route({
    method: 'POST',
    path: '/bulk_files',
    kind: 'write',
    access: 'workflow',
    says: 'Create file records of one workflow, all or none.',
    body: z.object({ files: z.array(File) }),
    reply: z.object({ files: z.array(File) }),
    bodyMebibytes: BULK_MEBIBYTES,
  }),
  listFiles: route({
    method: 'GET',
    path: '/files',
    kind: 'read',
    access: 'workflow',
    says: 'List the files of a workflow.',
    query: ofWorkflow.extend({
      produced_by_job_id: queryInteger.optional(),
      name: z.string().optional(),
      path: z.string().optional(),
      is_output: queryFlag.optional(),
    }),
    reply: page(File),
  }),
  getFile: route({
    method: 'GET',
    path: '/files/{id}',
    kind: 'read',
    access: 'workflow',
    says: 'One file record.',
    params: ofId,
    reply: File,
  }),
  updateFile: route({
    method: 'PUT',
    path: '/files/{id}',
    kind: 'write',
    access: 'workflow',
    says: 'Change a file record; st_mtime is always written, other absent fields keep their value.',
    params: ofId,
    body: File.partial(),
    reply: File,
  }),

  createUserData: route({
    method: 'POST',
    path: '/user_data',
    kind: 'write',
    access: 'workflow',
    says: 'Create user data, for a consumer and a producer if they are named.',
    query: z.object({ consumer_job_id: queryInteger.optional(), producer_job_id: queryInteger.optional() }),
    body: UserData,
    reply: UserData,
  }),
  createUserDataList: route({
    method: 'POST',
    path: '/bulk_user_data',
    kind: 'write',
    access: 'workflow',
    says: 'Create user data of one workflow, all or none.',
    body: z.object({ user_data: z.array(UserData) }),
    reply: z.object({ user_data: z.array(UserData) }),
    bodyMebibytes: BULK_MEBIBYTES,
  }),
  listUserData: route({
    method: 'GET',
    path: '/user_data',
    kind: 'read',
    access: 'workflow',
    says: 'List the user data of a workflow.',
    query: ofWorkflow.extend({
      consumer_job_id: queryInteger.optional(),
      producer_job_id: queryInteger.optional(),
      name: z.string().optional(),
      is_ephemeral: queryFlag.optional(),
    }),
    reply: page(UserData),
  }),
  getUserData: route({
    method: 'GET',
    path: '/user_data/{id}',
    kind: 'read',
    access: 'workflow',
    says: 'One user data record.',
    params: ofId,
    reply: UserData,
  }),
  updateUserData: route({
    method: 'PUT',
    path: '/user_data/{id}',
    kind: 'write',
    access: 'workflow',
    says: 'Change user data; this is how jobs publish values.',
    params: ofId,
    body: UserData.partial(),
    reply: UserData,
  }),

  createResourceRequirements: route({
    method: 'POST',
    path: '/resource_requirements',
    kind: 'write',
    access: 'workflow',
    says: 'Create resource requirements.',
    body: ResourceRequirements,
    reply: ResourceRequirements,
  }),
  listResourceRequirements: route({
    method: 'GET',
    path: '/resource_requirements',
    kind: 'read',
    access: 'workflow',
    says: 'List the resource requirements of a workflow.',
    query: ofWorkflow.extend({
      name: z.string().optional(),
      memory: z.string().optional(),
      num_cpus: queryInteger.optional(),
      num_gpus: queryInteger.optional(),
      num_nodes: queryInteger.optional(),
      runtime: queryInteger.optional(),
    }),
    reply: page(ResourceRequirements),
  }),
  getResourceRequirements: route({
    method: 'GET',
    path: '/resource_requirements/{id}',
    kind: 'read',
    access: 'workflow',
    says: 'One record of resource requirements.',
    params: ofId,
    reply: ResourceRequirements,
  }),

  createSlurmScheduler: route({
    method: 'POST',
    path: '/slurm_schedulers',
    kind: 'write',
    access: 'workflow',
    says: 'Create a Slurm scheduler record.',
    body: SlurmScheduler,
    reply: SlurmScheduler,
  }),
  listSlurmSchedulers: route({
    method: 'GET',
    path: '/slurm_schedulers',
    kind: 'read',
    access: 'workflow',
    says: 'List the Slurm schedulers of a workflow.',
    query: ofWorkflow,
    reply: page(SlurmScheduler),
  }),
  createFailureHandler: route({
    method: 'POST',
    path: '/failure_handlers',
    kind: 'write',
    access: 'workflow',
    says: 'Create a failure handler.',
    body: FailureHandler,
    reply: FailureHandler,
  }),
  listFailureHandlers: route({
    method: 'GET',
    path: '/workflows/{id}/failure_handlers',
    kind: 'read',
    access: 'workflow',
    says: 'List the failure handlers of a workflow.',
    params: ofId,
    query: z.object(paging),
    reply: page(FailureHandler),
  }),
  createWorkflowAction: route({
    method: 'POST',
    path: '/workflows/{id}/actions',
    kind: 'write',
    access: 'workflow',
    says: 'Create an action of a workflow.',
    params: ofId,
    body: WorkflowAction,
    reply: WorkflowAction,
  }),
  listWorkflowActions: route({
    method: 'GET',
    path: '/workflows/{id}/actions',
    kind: 'read',
    access: 'workflow',
    says: 'The actions of a workflow.',
    params: ofId,
    reply: z.array(WorkflowAction),
  }),

  listResults: route({
    method: 'GET',
    path: '/results',
    kind: 'read',
    access: 'workflow',
    says: 'List results: the current one of each job, or with all_runs the whole history.',
    query: ofWorkflow.extend({
      job_id: queryInteger.optional(),
      run_id: queryInteger.optional(),
      return_code: queryInteger.optional(),
      status: jobStatus.optional(),
      compute_node_id: queryInteger.optional(),
      all_runs: queryFlag.optional(),
    }),
    reply: page(Result),
  }),
  getResult: route({
    method: 'GET',
    path: '/results/{id}',
    kind: 'read',
    access: 'workflow',
    says: 'One result.',
    params: ofId,
    reply: Result,
  }),

  createComputeNode: route({
    method: 'POST',
    path: '/compute_nodes',
    kind: 'write',
    access: 'workflow',
    says: 'Register a runner.',
    body: ComputeNode,
    reply: ComputeNode,
  }),
  listComputeNodes: route({
    method: 'GET',
    path: '/compute_nodes',
    kind: 'read',
    access: 'workflow',
    says: 'List the runners of a workflow.',
    query: ofWorkflow.extend({ hostname: z.string().optional(), is_active: queryFlag.optional() }),
    reply: page(ComputeNode),
  }),
  getComputeNode: route({
    method: 'GET',
    path: '/compute_nodes/{id}',
    kind: 'read',
    access: 'workflow',
    says: 'One runner.',
    params: ofId,
    reply: ComputeNode,
  }),
  updateComputeNode: route({
    method: 'PUT',
    path: '/compute_nodes/{id}',
    kind: 'write',
    access: 'workflow',
    says: 'Change a runner; fields that are left out keep their value.',
    params: ofId,
    body: ComputeNode.partial(),
    reply: ComputeNode,
  }),

  createEvent: route({
    method: 'POST',
    path: '/events',
    kind: 'write',
    access: 'workflow',
    says: 'Write down an event.',
    body: Event,
    reply: Event,
  }),
  listEvents: route({
    method: 'GET',
    path: '/events',
    kind: 'read',
    access: 'workflow',
    says: 'List the events that were written down.',
    query: ofWorkflow.extend({ category: z.string().optional(), after_timestamp: queryInteger.optional() }),
    reply: page(Event),
  }),
  getEvent: route({
    method: 'GET',
    path: '/events/{id}',
    kind: 'read',
    access: 'workflow',
    says: 'One event.',
    params: ofId,
    reply: Event,
  }),
  streamEvents: route({
    method: 'GET',
    path: '/workflows/{id}/events/stream',
    kind: 'stream',
    access: 'workflow',
    says: 'What happens in a workflow, as it happens. With Last-Event-ID nothing is missed after a lost connection.',
    params: ofId,
    query: z.object({ level: z.string().optional(), types: z.string().optional() }),
    reply: StreamEvent,
  }),
} as const satisfies Record<string, Route>;

export type Routes = typeof routes;
export type RouteName = keyof Routes;

type Shape<R, Part extends string> = R extends { readonly [K in Part]: infer T extends z.ZodType }
  ? z.output<T>
  : undefined;

/** What a handler of the route is given: its parameters, its query and its body, checked. */
export interface Input<N extends RouteName> {
  readonly params: Shape<Routes[N], 'params'>;
  readonly query: Shape<Routes[N], 'query'>;
  readonly body: Shape<Routes[N], 'body'>;
}

/** What the route answers. */
export type Reply<N extends RouteName> = z.output<Routes[N]['reply']>;
