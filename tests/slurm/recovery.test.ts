import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { type RunningServer, startServer, temporaryFolder, torc, until } from '../support/programs.ts';
import { type Cluster, nodeName, slurmIsMissing, startCluster } from './cluster.ts';

/** A node is down after 16 s, and its allocation starts again 21 s later. */
const timeout = 300_000;

/** A job that takes as long as its file is missing. */
const flow = (name: string, nodes: string) => `
name: ${name}
resource_requirements: [{name: one, num_cpus: 1, memory: 50m, runtime: PT5M}]
slurm_schedulers: [{name: nodes, account: any, nodes: 1, walltime: "00:20:00", mem: 500m, extra: "--exclude=${nodes}"}]
jobs:
  - {name: wait, command: "until [ -e ${name} ]; do sleep 0.1; done", resource_requirements: one}
`;

describe.skipIf(slurmIsMissing !== undefined)('jobs of an allocation that is gone', () => {
  let cluster: Cluster;
  let folder: string;
  let server: RunningServer;
  let ends: Record<keyof typeof acts, PromiseSettledResult<void>>;
  beforeAll(async () => {
    cluster = await startCluster({ nodes: 5 });
    folder = temporaryFolder();
    server = await startServer(folder);
    // Each takes most of its time waiting for Slurm: all of them wait at once.
    const names = Object.keys(acts) as (keyof typeof acts)[];
    const settled = await Promise.allSettled(names.map((name) => acts[name]()));
    ends = Object.fromEntries(names.map((name, at) => [name, settled[at]])) as typeof ends;
  }, timeout);

  const call = async (...args: string[]) => {
    const ended = await torc(['--url', server.url, ...args], { cwd: folder, environment: cluster.environment });
    if (ended.code !== 0) throw new Error(ended.stderr);
    return ended;
  };
  const jobOf = async (id: number) => {
    const [job] = (await server.client.listJobs({ query: { workflow_id: id } })).items;
    return { status: job?.status, attempt: job?.attempt_id };
  };
  const isRunning = (id: number, attempt: number) =>
    until(
      () => jobOf(id),
      (job) => job.status === 'running' && job.attempt === attempt,
      `attempt ${attempt} to run`,
      120_000,
    );
  /** Submits an allocation; its id in Slurm. */
  const allocate = async (id: number): Promise<string> => {
    const { stderr } = await call('slurm', 'schedule-nodes', String(id), '-o', 'out', '-p', '1');
    return /with ID=(\d+)/.exec(stderr)?.[1] as string;
  };
  /** A workflow whose allocations keep off these nodes, which others crash or need. */
  const begin = async (name: string, nodes: string) => {
    writeFileSync(join(folder, `${name}.yaml`), flow(name, nodes));
    const { stdout } = await call('create', `${name}.yaml`);
    const id = Number(/\d+/.exec(stdout)?.[0]);
    await call('workflows', 'init', String(id));
    const allocation = await allocate(id);
    await isRunning(id, 1);
    return { id, allocation };
  };
  const completes = async (id: number, name: string) => {
    writeFileSync(join(folder, name), '');
    await until(
      () => jobOf(id),
      ({ status }) => status === 'completed',
      'the job to be completed',
    );
  };
  const statusOf = async (id: number, allocation: string) => {
    const query = { workflow_id: id, scheduler_id: Number(allocation) };
    return (await server.client.listScheduledComputeNodes({ query })).items[0]?.status;
  };

  const nodesOf = async (id: number) =>
    (await server.client.listComputeNodes({ query: { workflow_id: id, is_active: true } })).items;

  const acts = {
    async killed() {
      const { id, allocation } = await begin('killed', nodeName('[2-5]'));
      // No runner reports anything.
      process.kill((await nodesOf(id))[0]?.pid as number, 'SIGKILL');
      await until(
        () => cluster.run('squeue', '-h', '-t', 'all', '-j', allocation, '-o', '%T').trim(),
        (state) => !['RUNNING', 'COMPLETING'].includes(state),
        'the allocation to end',
      );
      expect(await jobOf(id)).toEqual({ status: 'running', attempt: 1 });
      await allocate(id);
      await isRunning(id, 2);
      expect(await statusOf(id, allocation)).toBe('complete');
      await completes(id, 'killed');
    },
    async crashed() {
      const { id, allocation } = await begin('crashed', nodeName('[1,4-5]'));
      const node = cluster.run('squeue', '-h', '-j', allocation, '-o', '%N').trim();
      cluster.run('scontrol', 'update', `JobId=${allocation}`, 'Requeue=0');
      cluster.node('crash', node);
      await allocate(id);
      await isRunning(id, 2);
      expect(cluster.run('sacct', '-X', '-n', '-P', '-j', allocation, '-o', 'State').trim()).toBe('NODE_FAIL');
      expect((await nodesOf(id)).map(({ scheduler }) => scheduler)).toEqual([
        expect.not.objectContaining({ slurm_job_id: allocation }),
      ]);
      await completes(id, 'crashed');
    },
    async requeued() {
      const { id, allocation } = await begin('requeued', nodeName('[1-3]'));
      const node = cluster.run('squeue', '-h', '-j', allocation, '-o', '%N').trim();
      cluster.node('crash', node);
      await isRunning(id, 2);
      expect(await statusOf(id, allocation)).toBe('active');
      expect((await nodesOf(id)).map(({ scheduler }) => scheduler)).toEqual([
        expect.objectContaining({ slurm_job_id: allocation }),
      ]);
      await completes(id, 'requeued');
    },
  } as const;

  it.for([
    ['run again in the next allocation, wherever it is, when Slurm says that theirs has ended', 'killed'],
    ['run again when the node of their allocation crashed, by a runner that was already waiting', 'crashed'],
    ['run again in the same allocation when its node crashed and Slurm requeued it', 'requeued'],
  ] as const)('%s', ([, name]) => {
    const end = ends[name];
    if (end.status === 'rejected') throw end.reason;
  });
});
