/**
 * How long does one recovery of a large workflow take?
 *
 * `node bench/recover.ts [jobs] [orphans]`: a workflow of 100,000 jobs of which 10,000 ran in an allocation that Slurm
 * has ended. `torc recover` runs with stand-ins for Slurm's programs, which count how often they are asked; a thread of
 * its own sends /ping meanwhile.
 */
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createClient } from '../src/client/client.ts';
import { connect } from '../src/client/node/connect.ts';
import { BASE_PATH } from '../src/core/contract/base-path.ts';
import { argumentsOf } from './support/arguments.ts';
import { createFigures } from './support/figures.ts';
import { layOutPackage, workplace } from './support/package.ts';
import { startPings } from './support/pings.ts';
import { machine, startServer } from './support/processes.ts';

const { jobs, orphans = jobs / 10 } = argumentsOf<{ jobs: number; orphans: number | undefined }>({
  jobs: 100_000,
  orphans: undefined,
});
const { note, print } = createFigures();
const folder = workplace('recover');
const installed = layOutPackage();
const server = await startServer(installed, folder);
const url = `http://127.0.0.1:${server.port}${BASE_PATH}`;
const connection = connect({ url });
const client = createClient(connection.send);

const { id } = (await client.createWorkflow({ body: { name: 'large', user: 'bench' } })) as { id: number };
const needs = { workflow_id: id, name: 'small', num_cpus: 1, memory: '1g', runtime: 'PT10M' };
const { id: small } = await client.createResourceRequirements({ body: needs });
for (let at = 0; at < jobs; at += 10_000) {
  const body = {
    jobs: Array.from({ length: Math.min(10_000, jobs - at) }, (_, place) => ({
      workflow_id: id,
      name: `j${at + place}`,
      command: 'true',
      resource_requirements_id: small,
    })),
  };
  await client.createJobs({ body });
}
await client.resetStatus({ params: { id }, query: {} });
await client.initializeJobs({ params: { id }, query: {} });
const scheduler = { workflow_id: id, name: 's', account: 'a', nodes: 1, walltime: '4:00:00' };
const { id: schedulerId } = await client.createSlurmScheduler({ body: scheduler });
await client.createScheduledComputeNode({
  body: {
    workflow_id: id,
    scheduler_id: 7,
    scheduler_config_id: schedulerId,
    scheduler_type: 'slurm',
    status: 'active',
  },
});
const node = await client.createComputeNode({
  body: {
    workflow_id: id,
    hostname: 'n1',
    pid: 1,
    start_time: new Date().toISOString(),
    is_active: true,
    num_cpus: 8,
    memory_gb: 16,
    num_gpus: 0,
    num_nodes: 1,
    compute_node_type: 'slurm',
    scheduler: { type: 'slurm', slurm_job_id: '7' },
  },
});
const about = { run_id: 1, compute_node_id: node.id };
const turn = (body: object) => client.exchange({ params: { id }, body: { ...about, ...body } });
for (let taken = 0; taken < jobs; taken += 1000) {
  const { jobs: claimed } = await turn({ want: { limit: 1000, prefetch: 0 } });
  const start_time = new Date().toISOString();
  await turn({ started: claimed.map(({ id: job_id, attempt_id }) => ({ job_id, attempt_id, start_time })) });
  if (taken < orphans) continue;
  const ends = claimed.map(({ id: job_id, attempt_id }) => ({
    job_id,
    attempt_id,
    status: 'completed' as const,
    return_code: 0,
    exec_time_minutes: 0.1,
    completion_time: start_time,
  }));
  await turn({ completed: ends });
}

/** A program that writes a line for each call, and prints this. */
function standIn(name: string, prints: string): string {
  const path = join(folder, name);
  writeFileSync(path, `#!/bin/sh\necho ${name} >> ${join(folder, 'asked')}\nprintf '${prints}'\n`, { mode: 0o755 });
  return path;
}
const environment = {
  ...process.env,
  TORC_API_URL: url,
  NLR_CLUSTER: 'kestrel',
  TORC_FAKE_SQUEUE: standIn('squeue', '7 NODE_FAIL\\n'),
  TORC_FAKE_SACCT: standIn('sacct', '7|s|NODE_FAIL|0:0|00:10:00|2026-01-01T00:00:00|\\n'),
  TORC_FAKE_SBATCH: standIn('sbatch', 'Submitted batch job 8\\n'),
};
writeFileSync(join(folder, 'asked'), '');

const pings = await startPings(server);
// With -f json it also compares what all jobs used with what they requested.
const { seconds, longestMs } = await pings.during(() =>
  promisify(execFile)(join(installed, 'bin/torc'), ['recover', String(id), '--no-prompts'], {
    cwd: folder,
    env: environment,
    maxBuffer: 2 ** 28,
  }),
);
const { ready: reset } = (await client.getWorkflowStatus({ params: { id } })).jobs_by_status;
const asked = readFileSync(join(folder, 'asked'), 'utf8').split('\n');
console.log(`recover ${jobs} jobs, of which ${orphans} lost their allocation; ${machine()}`);
note('jobs that were reset', reset, 'jobs', { atLeast: orphans });
note('time of torc recover', seconds, 's', { atMost: 10 });
note('longest wait for a ping', longestMs, 'ms', { atMost: 50 });
note('status calls to Slurm', asked.filter((name) => name === 'squeue' || name === 'sacct').length, 'calls', {
  atMost: 3,
});
await pings.stop();
connection.close();
await server.stop();
print();
