import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeAll, beforeEach, expect, onTestFinished } from 'vitest';
import type { Result } from '../../../src/core/contract/result.ts';
import { type RunningServer, startServer, temporaryFolder } from '../programs.ts';
import { said } from '../words.ts';

/** `second` reads what `first` makes; `alone` has nothing to do with them. */
const flow = (folder: string) => `
name: chain
description: two in a row, one alone
jobs:
  - {name: first, command: "true # \${files.input.given} \${files.output.made}", resource_requirements: small}
  - {name: second, command: "true # \${files.input.made}", resource_requirements: small}
  - {name: alone, command: "exit 3", priority: 5, labels: [gpu], failure_handler: again}
files:
  - {name: given, path: ${join(folder, 'given.txt')}}
  - {name: made, path: ${join(folder, 'made.txt')}}
user_data: [{name: seen, data: {x: [1, two]}}]
resource_requirements: [{name: small, num_cpus: 2, memory: 4g, runtime: PT30M}]
failure_handlers: [{name: again, rules: [{exit_codes: [3], max_retries: 2}, {match_all_exit_codes: true}]}]
slurm_schedulers: [{name: short, account: abc, walltime: "01:00:00"}]
actions:
  - {trigger_type: on_workflow_start, action_type: schedule_nodes, scheduler: short, scheduler_type: slurm, num_allocations: 2}
  - {trigger_type: on_jobs_complete, action_type: run_commands, commands: [echo done], jobs: [first, second]}
`;

export let folder: string;
export let server: RunningServer;
/** A workflow of its own for each test. */
export let id: number;
export let jobs: Record<string, number>;

beforeAll(async () => {
  folder = temporaryFolder();
  server = await startServer(folder);
  writeFileSync(join(folder, 'flow.yaml'), flow(folder));
});

beforeEach(async () => {
  writeFileSync(join(folder, 'given.txt'), 'given');
  ({ workflow_id: id } = (await json('create', join(folder, 'flow.yaml'))) as { workflow_id: number });
  const { items } = await server.client.listJobs({ query: { workflow_id: id } });
  jobs = Object.fromEntries(items.map(({ name, id: jobId }) => [name, jobId]));
});

export const call = (...args: unknown[]) => said(args.map(String), { TORC_API_URL: server.url });

/** The JSON of a command that succeeds. */
export async function json(...args: unknown[]): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await call('-f', 'json', ...args);
  if (code !== 0) throw new Error(`torc ${args.join(' ')} ended with ${code}: ${stderr}`);
  return JSON.parse(stdout) as Record<string, unknown>;
}

/** The JSON of a command that fails and says why. */
export async function refusedJson(...args: unknown[]): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await call('-f', 'json', ...args);
  expect([code, stderr]).toEqual([1, expect.stringContaining('Error: ')]);
  return JSON.parse(stdout) as Record<string, unknown>;
}

/** A task that is under way for ever: of a server that is busy for long. */
export function openTask(): number {
  const database = new DatabaseSync(join(folder, 'server.db'));
  const { lastInsertRowid } = database
    .prepare(
      "insert into async_handle (workflow_id, operation, status, parameters, created_at_ms) values (?, 'initialize_jobs', 'queued', '[]', 1)",
    )
    .run(id);
  database.close();
  return Number(lastInsertRowid);
}

/** Lets the server fail at one change of a job, as a broken disk would, until the test is over. */
export function breakServer(at: 'insert' | 'update', when: string): void {
  const change = (sql: string) => {
    const database = new DatabaseSync(join(folder, 'server.db'));
    database.exec(sql);
    database.close();
  };
  change(
    `create trigger broken before ${at} on job when new.workflow_id = ${id} and ${when}
     begin select raise(abort, 'broken on purpose'); end`,
  );
  onTestFinished(() => change('drop trigger broken'));
}

export const node = () => ({
  workflow_id: id,
  hostname: 'host',
  pid: 1,
  start_time: '2026-03-01T12:00:00Z',
  is_active: false,
  num_cpus: 8,
  memory_gb: 16,
  num_gpus: 0,
  num_nodes: 1,
  compute_node_type: 'local',
});

/** A runner takes the job and starts it. */
export async function startJob(name: string): Promise<number> {
  const { run_id: runId } = await workflow();
  const { id: nodeId } = await server.client.createComputeNode({ body: node() });
  const jobId = jobs[name] as number;
  await server.client.manageStatusChange({ params: { id: jobId, status: 'pending', run_id: runId as number } });
  await server.client.startJob({
    params: { id: jobId, run_id: runId as number, compute_node_id: nodeId },
  });
  return nodeId;
}

export const latestNode = async () =>
  (await server.client.listComputeNodes({ query: { workflow_id: id } })).items.at(-1)?.id as number;

/** A runner takes the job, and it ends with this return code. */
export async function finish(name: string, returnCode: number, measured: Partial<Result> = {}): Promise<void> {
  const nodeId = await startJob(name);
  const { run_id: runId } = await workflow();
  const status = returnCode === 0 ? 'completed' : 'failed';
  const jobId = jobs[name] as number;
  await server.client.completeJob({
    params: { id: jobId, status, run_id: runId as number },
    body: {
      job_id: jobId,
      workflow_id: id,
      run_id: runId as number,
      compute_node_id: nodeId,
      return_code: returnCode,
      exec_time_minutes: 1,
      completion_time: '2026-03-01T12:01:00Z',
      status,
      ...measured,
    },
  });
}

export const statuses = async () => {
  const { items } = await server.client.listJobs({ query: { workflow_id: id } });
  return Object.fromEntries(items.map(({ name, status }) => [name, status]));
};
export const workflow = () => server.client.getWorkflow({ params: { id } });
