import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { type RunningServer, startServer, temporaryFolder, torc, until } from '../support/programs.ts';
import { type Cluster, slurmIsMissing, startCluster } from './cluster.ts';

/** Licenses that Slurm counts: `docs/how-to/licences-and-limits.md`. */
describe.skipIf(slurmIsMissing !== undefined)('the licenses of a cluster', { timeout: 240_000 }, () => {
  let cluster: Cluster;
  let folder: string;
  let server: RunningServer;
  beforeAll(async () => {
    cluster = await startCluster({ nodes: 2, set: ['Licenses=matlab:3,ansys@srv:1'] });
    folder = temporaryFolder();
    server = await startServer(folder);
  });

  const call = (...args: string[]) =>
    torc(['--url', server.url, ...args], { cwd: folder, environment: cluster.environment });
  const jobsOf = async (id: number) => (await server.client.listJobs({ query: { workflow_id: id } })).items;
  const licenses = () => cluster.run('scontrol', '-o', 'show', 'licenses');

  it('an allocation asks for what its jobs hold, waits while others have it, and runs no more at a time than it got', async () => {
    const other = cluster.run('sbatch', '--parsable', '-L', 'matlab:2', '--mem=50', '--wrap', 'sleep 1000').trim();
    await until(licenses, (text) => text.includes('matlab Total=3 Used=2'), 'the licenses of the other to be in use');
    writeFileSync(
      join(folder, 'solve.yaml'),
      `name: solve
limits: {matlab: 2}
resource_requirements: [{name: one, num_cpus: 1, memory: 50m, runtime: PT1M}]
slurm_schedulers: [{name: nodes, account: any, nodes: 1, mem: 500m, walltime: "00:10:00", extra: "--cpus-per-task=4"}]
jobs: [{name: "solve_{i}", parameters: {i: "1:6"}, command: "echo + >> log; sleep 0.5; echo - >> log", resource_requirements: one, licenses: {matlab: 1, fileserver: 1}}]
actions: [{trigger_type: on_workflow_start, action_type: schedule_nodes, scheduler: nodes, scheduler_type: slurm}]
`,
    );
    const { code, stderr } = await call('submit', 'solve.yaml', '-o', 'out');
    expect([code, stderr]).toEqual([0, expect.stringContaining('Created workflow')]);
    const id = Number(/Created workflow (\d+)/.exec(stderr)?.[1]);
    await until(
      () => cluster.run('squeue', '-h', '-o', '%r'),
      (text) => text.includes('Licenses'),
      'Slurm to say that the allocation waits for licenses',
    );
    const [first] = await jobsOf(id);
    const { stdout } = await call('jobs', 'explain', String(first?.id));
    expect(stdout).toContain('it waits for licences');
    // One is free, so that is not why a single job waits; what Slurm does not know is not asked for.
    expect(stdout).not.toContain('the cluster has');
    expect(stdout).not.toContain('fileserver');
    cluster.run('sbatch', '-L', 'matlab:1', '--mem=50', '--wrap', 'sleep 1000');
    await until(licenses, (text) => text.includes('matlab Total=3 Used=3'), 'all licenses to be in use');
    expect((await call('jobs', 'explain', String(first?.id))).stdout).toContain(
      'the cluster has 3 matlab (scontrol show lic), and 3 are in use; the job needs 1',
    );

    cluster.run('scancel', other);
    await until(
      () => jobsOf(id),
      (jobs) => jobs.every(({ status }) => status === 'completed'),
      'all jobs to be completed',
      120_000,
    );
    let [now, most] = [0, 0];
    for (const sign of readFileSync(join(folder, 'log'), 'utf8').trim().split('\n')) {
      now += sign === '+' ? 1 : -1;
      most = Math.max(most, now);
    }
    expect(most).toBe(2);
  });

  it('where a workflow may have one node, the next allocation is submitted as the runner of the last one ends', async () => {
    writeFileSync(
      join(folder, 'nodes.yaml'),
      `name: nodes
limits: {nodes: 1}
resource_requirements:
  - {name: small, num_cpus: 1, memory: 50m, runtime: PT1M}
  - {name: large, num_cpus: 1, memory: 700m, runtime: PT1M}
slurm_schedulers:
  - {name: small, account: any, nodes: 1, mem: 500m, walltime: "00:10:00"}
  - {name: large, account: any, nodes: 1, mem: 1000m, walltime: "00:10:00"}
jobs:
  - {name: first, command: "true", resource_requirements: small, scheduler: small}
  - {name: second, command: "true", resource_requirements: large, scheduler: large}
actions:
  - {trigger_type: on_workflow_start, action_type: schedule_nodes, scheduler: small, scheduler_type: slurm}
  - {trigger_type: on_workflow_start, action_type: schedule_nodes, scheduler: large, scheduler_type: slurm}
`,
    );
    const { code, stderr } = await call('submit', 'nodes.yaml', '-o', 'nodes');
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining(
        '1 allocation is not submitted yet (at most 1 node of its workflow, and 1 are in use or asked for)',
      ),
    ]);
    const id = Number(/Created workflow (\d+)/.exec(stderr)?.[1]);
    await until(
      () => jobsOf(id),
      (jobs) => jobs.every(({ status }) => status === 'completed'),
      'both jobs to be completed',
      120_000,
    );
    const { items } = await server.client.listComputeNodes({ query: { workflow_id: id, sort_by: 'id' } });
    expect(items).toHaveLength(2);
    const [one, two] = items;
    expect(Date.parse(two?.start_time ?? '')).toBeGreaterThan(Date.parse(one?.start_time ?? ''));
  });

  it('a runner in an allocation of a person, who asked for one license, runs one job at a time that holds it', async () => {
    writeFileSync(
      join(folder, 'one.yaml'),
      `name: one
resource_requirements: [{name: one, num_cpus: 1, memory: 50m, runtime: PT1M}]
jobs: [{name: "one_{i}", parameters: {i: "1:3"}, command: "echo + >> one; sleep 0.5; echo - >> one", resource_requirements: one, licenses: {ansys: 1}}]
`,
    );
    const created = JSON.parse((await call('-f', 'json', 'create', 'one.yaml')).stdout) as { workflow_id: number };
    const id = created.workflow_id;
    await call('workflows', 'init', String(id));
    const line = `torc-slurm-job-runner ${server.url} ${id} ${folder}/byhand`;
    cluster.run('sbatch', '-L', 'ansys@srv:1', '-c', '4', '--mem=500', '-t', '5', '-D', folder, '--wrap', line);
    await until(
      () => jobsOf(id),
      (jobs) => jobs.every(({ status }) => status === 'completed'),
      'all jobs to be completed',
      120_000,
    );
    expect(readFileSync(join(folder, 'one'), 'utf8')).toBe('+\n-\n'.repeat(3));
  });
});
