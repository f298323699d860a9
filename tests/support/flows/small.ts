import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll } from 'vitest';
import { type RunningServer, startServer, temporaryFolder, torc } from '../programs.ts';
import { wordsTo } from '../words.ts';

/** Two jobs that pass a file and a value on, and one that fails. */
const flow = `
name: small
enable_ro_crate: false
jobs:
  - {name: first, command: "echo made > \${files.output.made}; echo seen # \${user_data.output.seen}"}
  - {name: second, command: "cat \${files.input.made} \${files.input.given} # \${user_data.input.seen}"}
  - {name: bad, command: exit 3, failure_handler: again}
files: [{name: made, path: made.txt}, {name: given, path: given.txt}]
user_data: [{name: seen}]
failure_handlers: [{name: again, rules: [{exit_codes: [9], max_retries: 1}]}]
`;

export let folder: string;
export let server: RunningServer;
/** A workflow that no runner runs: its records are made and unmade here. */
export let empty: string;
/** Ids of the jobs of workflow 1 by name. */
export let jobs: Record<string, number>;

beforeAll(async () => {
  folder = temporaryFolder();
  server = await startServer(folder);
  writeFileSync(join(folder, 'flow.yaml'), flow);
  writeFileSync(join(folder, 'given.txt'), 'given\n');
  await program('run', 'flow.yaml');
  const { items: rows } = await server.client.listJobs({ query: { workflow_id: 1 } });
  jobs = Object.fromEntries(rows.map(({ name, id }) => [name, id]));
  empty = String((await json('workflows', 'new', '--name', 'empty'))['id']);
});

/** The program itself, for what only a process can show. */
export const program = (...args: string[]) => torc(args, { cwd: folder, environment: { TORC_API_URL: server.url } });
export const { call, json, items, csv } = wordsTo(() => server.url);

/** The id of a record that the words create. */
export const created = async (...words: string[]) => String((await json(...words))['id']);

export const createFile = (name: string) => created('files', 'create', empty, '-n', name, '-p', `${name}.txt`);
export const createGroup = (name: string) => created('access-groups', 'create', name);

export const createJob = async (workflow: string, name: string) => {
  const body = { workflow_id: Number(workflow), name, command: 'true' };
  return String((await server.client.createJob({ body })).id);
};

/** A runner in an allocation of Slurm, as it would have registered. */
export async function createNode(workflow_id: number, scheduler: Record<string, string | number>): Promise<number> {
  const body = {
    workflow_id,
    hostname: 'n1',
    pid: 1,
    start_time: new Date(Date.now() - 65_000).toISOString(),
    is_active: true,
    num_cpus: 4,
    memory_gb: 8,
    num_gpus: 0,
    num_nodes: 1,
    compute_node_type: 'slurm',
    scheduler,
    labels: ['b', 'a'],
  };
  const { id } = await server.client.createComputeNode({ body });
  const measured = { peak_cpu_percent: 50, peak_memory_bytes: 2 ** 31, avg_memory_bytes: 2 ** 30 };
  await server.client.updateComputeNode({ params: { id: id }, body: measured });
  return id;
}

export const createResult = (workflow_id: number, job_id: number, compute_node_id: number) =>
  server.client.createResult({
    body: {
      job_id,
      workflow_id,
      run_id: 1,
      compute_node_id,
      return_code: 0,
      exec_time_minutes: 1,
      completion_time: '2026-01-01T00:00:00.000Z',
      status: 'completed',
    },
  });
