import type { Client } from '../../../src/client/client.ts';
import { observed } from './observed.ts';
import { testService, type TestService } from '../../support/service.ts';

/**
 * What every case of a route finds: the ids below are those that the records get, for each test has a server of its own.
 *
 * Workflow 1, `study` of ada, is initialized (run 1); workflow 2, `other` of bob, is what must not be touched. Job 1
 * `first` makes file 2 and user data 2 from file 1 and user data 1, and is ready; job 2 `second` reads them and is
 * blocked; job 3 `third` is for itself, labelled and ready; job 4 `elsewhere` is of workflow 2 and uninitialized.
 */
export interface World extends TestService {
  /** Hands job 1 to runner 1 by the route of the original. */
  claim(): Promise<void>;
  /** Job 1 runs on runner 1. */
  start(): Promise<void>;
  /** Job 1 ended; its result has the id 1. */
  finish(returnCode?: number): Promise<void>;
}

/** The service's clock stands still. */
export const AT = '2026-03-01T12:00:00.000Z';
export const AT_MS = Date.parse(AT);

/** As it is read. */
export const workflow = {
  id: 1,
  name: 'study',
  user: 'ada',
  description: 'A Study',
  timestamp: AT,
  env: { LEVEL: '1' },
  compute_node_wait_for_new_jobs_seconds: 90,
  compute_node_ignore_workflow_completion: false,
  compute_node_wait_for_healthy_database_minutes: 20,
  compute_node_min_time_for_new_jobs_seconds: 300,
  use_pending_failed: false,
  enable_ro_crate: false,
  run_id: 1,
  is_canceled: false,
  is_archived: false,
  access_groups: ['team'],
};

export const defaultRequirements = {
  id: 1,
  workflow_id: 1,
  name: 'default',
  num_cpus: 1,
  num_gpus: 0,
  num_nodes: 1,
  memory: '1m',
  runtime: 'P0DT1M',
};
export const requirements = {
  id: 3,
  workflow_id: 1,
  name: 'big',
  num_cpus: 2,
  num_gpus: 0,
  num_nodes: 1,
  memory: '2g',
  runtime: 'PT1H',
};

export const scheduler = {
  id: 1,
  workflow_id: 1,
  name: 'short',
  account: 'a1',
  nodes: 2,
  walltime: '04:00:00',
  serialize_allocations: false,
};
export const handler = { id: 1, workflow_id: 1, name: 'again', rules: '[{"exit_codes":[1],"max_retries":2}]' };

export const input = { id: 1, workflow_id: 1, name: 'in', path: 'data/in.csv', st_mtime: 1_700_000_000.25 };
export const output = { id: 2, workflow_id: 1, name: 'out', path: 'data/out.csv' };
export const parameters = { id: 1, workflow_id: 1, name: 'parameters', data: { a: [1, null] }, is_ephemeral: false };
export const answer = { id: 2, workflow_id: 1, name: 'answer', is_ephemeral: true };

/** Job 1 as lists show it; what is not set stands as zeros and empty text. */
export const job = {
  id: 1,
  workflow_id: 1,
  name: 'first',
  command: 'python first.py',
  invocation_script: '',
  env: { LEVEL: '1' },
  status: 'ready',
  cancel_on_blocking_job_failure: true,
  resource_requirements_id: 3,
  scheduler_id: 0,
  failure_handler_id: 1,
  supports_termination: false,
  attempt_id: 1,
  priority: 5,
};
/** What only the reading of one job, or of a list that asks for it, says. */
export const relationships = {
  input_file_ids: [1],
  output_file_ids: [2],
  input_user_data_ids: [1],
  output_user_data_ids: [2],
};

export const node = {
  id: 1,
  workflow_id: 1,
  hostname: 'n01.cluster',
  pid: 4711,
  start_time: AT,
  is_active: true,
  num_cpus: 8,
  memory_gb: 16,
  num_gpus: 0,
  num_nodes: 1,
  compute_node_type: 'slurm',
  scheduler: { scheduler_id: 1, type: 'slurm' },
};

export const allocation = {
  id: 1,
  workflow_id: 1,
  scheduler_id: 812,
  scheduler_config_id: 1,
  scheduler_type: 'slurm',
  status: 'complete',
};

export const action = {
  id: 1,
  workflow_id: 1,
  trigger_type: 'on_workflow_start',
  action_type: 'run_commands',
  action_config: { commands: ['mkdir out'] },
  trigger_count: 1,
  required_triggers: 1,
  executed: false,
  persistent: false,
  is_recovery: false,
};

export const entity = {
  id: 1,
  workflow_id: 1,
  file_id: 1,
  entity_id: 'data/in.csv',
  entity_type: 'File',
  metadata: { '@id': 'data/in.csv' },
};

/** What a runner reports of the end of job 1. */
export const resultOf = (returnCode = 0) => ({
  job_id: 1,
  workflow_id: 1,
  run_id: 1,
  attempt_id: 1,
  compute_node_id: 1,
  return_code: returnCode,
  exec_time_minutes: 0.5,
  completion_time: '2026-03-01T12:01:00.000Z',
  status: returnCode === 0 ? ('completed' as const) : ('failed' as const),
  peak_memory_bytes: 1_048_576,
});

/** Makes the records of the world, in a service without any. */
export async function fill(client: Client): Promise<void> {
  const none = { id: undefined };
  await client.createWorkflow({
    body: { name: 'study', user: 'ada', description: 'A Study', env: { LEVEL: '1' } },
  });
  await client.createWorkflow({ body: { name: 'other', user: 'bob' } });
  await client.createResourceRequirements({ body: { ...requirements, ...none } });
  await client.createSlurmScheduler({ body: { ...scheduler, ...none } });
  await client.createSlurmScheduler({ body: { ...scheduler, ...none, workflow_id: 2 } });
  await client.createFailureHandler({ body: { ...handler, ...none } });
  await client.createFiles({ body: { files: [input, output] } });
  await client.createFile({ body: { workflow_id: 2, name: 'in', path: 'in' } });
  await client.createUserDataList({ body: { user_data: [parameters, answer] } });
  await client.createUserData({ body: { workflow_id: 2, name: 'parameters' } });
  const { id: _, env: __, status: ___, ...definition } = job;
  await client.createJob({ body: { ...definition, ...relationships } });
  await client.createJob({
    body: { workflow_id: 1, name: 'second', command: 'true', input_file_ids: [2], input_user_data_ids: [2] },
  });
  await client.createJob({ body: { workflow_id: 1, name: 'third', command: 'sleep 1', labels: ['gpu'] } });
  await client.createJob({ body: { workflow_id: 2, name: 'elsewhere', command: 'true' } });
  await client.createComputeNode({ body: { ...node, ...none } });
  await client.createComputeNode({ body: { ...node, ...none, workflow_id: 2 } });
  await client.createScheduledComputeNode({ body: { ...allocation, ...none } });
  await client.createWorkflowAction({ params: { id: 1 }, body: { ...action, ...none } });
  await client.createRoCrateEntity({ body: { ...entity, ...none } });
  await client.createLocalScheduler({ body: { workflow_id: 1, memory: '4g', num_cpus: 2 } });
  await client.addRemoteWorkers({ params: { id: 1 }, body: ['me@host:22'] });
  await client.createSlurmStats({ body: { workflow_id: 1, job_id: 1, run_id: 1, attempt_id: 1, max_rss_bytes: 7 } });
  await client.createAccessGroup({ body: { name: 'team', description: 'The Team' } });
  await client.addGroupMember({ params: { id: 2 }, body: { user_name: 'ada', group_id: 2, role: 'admin' } });
  await client.addWorkflowToGroup({ params: { id: 1, group_id: 2 } });
  await client.shareWorkflow({ params: { id: 1, user_name: 'eve' } });
  await client.createEvent({ body: { workflow_id: 2, timestamp: 0, data: { category: 'note' } } });
  await client.resetStatus({ params: { id: 1 } });
  await client.initializeJobs({ params: { id: 1 } });
}

export async function createWorld(): Promise<World> {
  const service = testService({ telemetry: observed(AT_MS / 1000) });
  const { client } = service;
  await fill(client);

  const claim = async () => {
    const offer = { num_cpus: 8, memory_gb: 16, num_gpus: 0, num_nodes: 1 };
    await client.claimJobsBasedOnResources({ params: { id: 1, limit: 1 }, body: offer });
  };
  const start = async () => {
    await claim();
    await client.startJob({ params: { id: 1, run_id: 1, compute_node_id: 1 } });
  };
  const finish = async (returnCode = 0) => {
    await start();
    const body = resultOf(returnCode);
    await client.completeJob({ params: { id: 1, status: body.status, run_id: 1 }, body });
  };
  return { ...service, claim, start, finish };
}
