import { type Client, createClient } from '../../src/client/client.ts';
import { BASE_PATH } from '../../src/core/contract/base-path.ts';
import { type StreamEventType, streamEvents } from '../../src/core/contract/event.ts';
import type { ClaimedJob } from '../../src/core/contract/exchange.ts';
import type { Workflow } from '../../src/core/contract/workflow.ts';
import { credentialLogin } from '../../src/server/access/login.ts';
import { recoveries } from '../../src/cli/commands/server/recoveries.ts';
import { type AppOptions, createApp } from '../../src/server/http/app.ts';
import { type Database, openDatabase } from '../../src/server/store/database.ts';
import { migrateDatabase } from '../../src/server/store/migrate.ts';
import type { ServerLimits } from '../../src/server/records/limits/limit-counts.ts';
import { createStore, type Store } from '../../src/server/records/store.ts';

/** The real app over a real database in memory, with the real client, in one process and without a port. */
export interface TestService {
  readonly client: Client;
  /** The same for a caller with a login. */
  readonly as: (user: string, password?: string) => Client;
  readonly store: Store;
  readonly app: ReturnType<typeof createApp>;
  /** Errors that were not refusals: a test that makes one fails in `expectNoErrors`. */
  readonly errors: unknown[];
  /** The service's clock, in Unix milliseconds. */
  readonly clock: { now: number };
}

/** The tables, as they were made for the first database of a test file: that takes 11 ms, and a service 9 ms more. */
let tables: Uint8Array | undefined;

/** A database in memory with the tables. The first compiles all statements at once, so that an invalid one is found. */
export function databaseInMemory(): Database {
  if (tables !== undefined) return openDatabase(':memory:', { compilesAtOnce: false, image: tables });
  const first = openDatabase(':memory:', { compilesAtOnce: true });
  migrateDatabase(first);
  tables = first.image();
  return first;
}

export function testService({ credential, store: given, image, jobLimits, ...options }: TestOptions = {}): TestService {
  const clock = { now: Date.parse('2026-03-01T12:00:00Z') };
  const errors: unknown[] = [];
  const database = () =>
    image === undefined ? databaseInMemory() : openDatabase(':memory:', { compilesAtOnce: false, image });
  const store =
    given ?? createStore(database(), { now: () => clock.now, onBroken: (error) => errors.push(error), jobLimits });
  const login = credential === undefined ? {} : { login: credentialLogin(credential) };
  const app = createApp(store, {
    recoveries,
    ...login,
    ...options,
    onError: (error) => errors.push(error),
  });
  const clientWith = (authorization: string | undefined): Client =>
    createClient(async ({ method, path, body, key }) => {
      const headers = { ...headersOf(body, authorization), ...(key === undefined ? {} : { 'Idempotency-Key': key }) };
      const response = await app.request(BASE_PATH + path, {
        method,
        headers,
        ...(body === undefined ? {} : { body }),
      });
      return { status: response.status, text: await response.text() };
    });
  return {
    client: clientWith(credential === undefined ? undefined : `Bearer ${credential}`),
    as: (user, password = '') => clientWith(basic(user, password)),
    store,
    app,
    errors,
    clock,
  };
}

/** The real client of a service that listens on a port of this machine. */
export const clientOf = (port: number, authorization?: string): Client =>
  createClient(async ({ method, path, body }) => {
    const response = await fetch(`http://127.0.0.1:${port}${BASE_PATH}${path}`, {
      method,
      headers: headersOf(body, authorization),
      ...(body === undefined ? {} : { body }),
    });
    return { status: response.status, text: await response.text() };
  });

const headersOf = (body: string | undefined, authorization: string | undefined): Record<string, string> => ({
  ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
  ...(authorization === undefined ? {} : { Authorization: authorization }),
});

/** A login as a request carries it. */
export const basic = (user: string, password: string): string =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;

type TestOptions = Omit<AppOptions, 'onError'> & {
  readonly credential?: string;
  /** The store of another service: what a server finds that was restarted. */
  readonly store?: Store;
  /** What all jobs, and those of each user, may hold at a time. */
  readonly jobLimits?: ServerLimits;
  /** All that is in the database at first, as the image of another one. */
  readonly image?: Uint8Array | undefined;
};

interface JobSketch {
  readonly name: string;
  readonly command?: string;
  readonly after?: readonly string[];
  readonly cancels?: boolean;
  readonly priority?: number;
  readonly labels?: string[];
  readonly requirements?: string;
  /** The rules of a failure handler of its own. */
  readonly retries?: string;
}

/** A runner in the first step of Slurm job 7, as it registers. */
export const slurmNodeOf = (
  workflowId: number,
  more: { readonly is_active?: boolean; readonly num_cpus?: number } = {},
) => ({
  workflow_id: workflowId,
  hostname: 'n1',
  pid: 1,
  start_time: '2026-03-01T12:00:00.000Z',
  is_active: true,
  num_cpus: 8,
  memory_gb: 16,
  num_gpus: 0,
  num_nodes: 1,
  compute_node_type: 'slurm',
  scheduler: { type: 'slurm', slurm_job_id: '7', slurm_node_id: '0', slurm_task_pid: '5' },
  ...more,
});

/** A workflow of jobs that are given by name, in an order in which each stands after what it depends on, initialized. */
export async function workflowOf(
  { client }: TestService,
  jobs: readonly JobSketch[],
  requirements: Readonly<
    Record<string, { num_cpus?: number; memory?: string; num_gpus?: number; num_nodes?: number; runtime?: string }>
  > = {},
  fields: Partial<Workflow> = {},
): Promise<{ id: number; jobIds: Map<string, number>; nodeId: number }> {
  const { id } = (await client.createWorkflow({ body: { name: 'test', user: 'tester', ...fields } })) as { id: number };
  const requirementIds = new Map<string, number>();
  for (const [name, needs] of Object.entries(requirements)) {
    const created = await client.createResourceRequirements({ body: { workflow_id: id, name, ...needs } });
    requirementIds.set(name, created.id);
  }
  const jobIds = new Map<string, number>();
  for (const {
    name,
    command = 'true',
    after = [],
    cancels = true,
    priority = 0,
    labels = [],
    requirements: needs,
    retries,
  } of jobs) {
    const body = { workflow_id: id, name, rules: retries ?? '' };
    const handler = retries === undefined ? undefined : await client.createFailureHandler({ body });
    const created = await client.createJob({
      body: {
        workflow_id: id,
        name,
        command,
        priority,
        labels,
        cancel_on_blocking_job_failure: cancels,
        depends_on_job_ids: after.map((each) => jobIds.get(each) as number),
        resource_requirements_id: needs === undefined ? undefined : requirementIds.get(needs),
        failure_handler_id: handler?.id,
      },
    });
    jobIds.set(name, created.id);
  }
  await client.resetStatus({ params: { id } });
  await client.initializeJobs({ params: { id } });
  return { id, jobIds, nodeId: await registerNode({ client }, id) };
}

/** A runner, as far as the service knows. */
export async function registerNode(
  { client }: Pick<TestService, 'client'>,
  workflowId: number,
  labels: string[] = [],
  scheduler?: Readonly<Record<string, string>>,
): Promise<number> {
  const node = await client.createComputeNode({
    body: {
      workflow_id: workflowId,
      hostname: 'test-host',
      pid: 1,
      start_time: '2026-03-01T12:00:00.000Z',
      is_active: true,
      num_cpus: 8,
      memory_gb: 16,
      num_gpus: 0,
      num_nodes: 1,
      compute_node_type: 'local',
      labels,
      scheduler,
    },
  });
  return node.id;
}

/** The end of an attempt, as a runner reports it. */
export function ended({ id, attempt_id: attempt }: Pick<ClaimedJob, 'id' | 'attempt_id'>, returnCode = 0) {
  return {
    job_id: id,
    attempt_id: attempt,
    status: returnCode === 0 ? ('completed' as const) : ('failed' as const),
    return_code: returnCode,
    exec_time_minutes: 0.01,
    completion_time: '2026-03-01T12:00:01.000Z',
  };
}

export function started({ id, attempt_id: attempt }: Pick<ClaimedJob, 'id' | 'attempt_id'>) {
  return { job_id: id, attempt_id: attempt, start_time: '2026-03-01T12:00:00.500Z' };
}

/** The status of each job by its name. */
export async function statuses({ client }: TestService, workflowId: number): Promise<Record<string, string>> {
  const { items } = await client.listJobs({ query: { workflow_id: workflowId } });
  return Object.fromEntries(items.map(({ name, status }) => [name, status as string]));
}

/** All that the log of changes says of a workflow. */
export const recordedChanges = ({ changes }: Store, workflowId: number) =>
  changes.read(workflowId, 0, Object.keys(streamEvents) as StreamEventType[], Infinity).changes;
