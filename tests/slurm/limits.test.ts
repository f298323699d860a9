import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { type RunningServer, startServer, temporaryFolder, torc, until } from '../support/programs.ts';
import { type Cluster, slurmIsMissing, startCluster } from './cluster.ts';

/** QOS `few` lets two jobs of a user into the queue, and one run; QOS `normal`, that of everybody, allows 12 hours (`cluster.sh`). */
describe.skipIf(slurmIsMissing !== undefined)('accounts and limits of a site', { timeout: 240_000 }, () => {
  let cluster: Cluster;
  let folder: string;
  let server: RunningServer;
  beforeAll(async () => {
    cluster = await startCluster({ nodes: 1 });
    folder = temporaryFolder();
    server = await startServer(folder);
  });

  const call = (...args: string[]) =>
    torc(['--url', server.url, ...args], { cwd: folder, environment: cluster.environment });

  /** What a person sees who submits a workflow of two jobs with this scheduler. */
  const submitted = async (name: string, scheduler: string, { allocations = 1, more = [] as string[] } = {}) => {
    writeFileSync(
      join(folder, `${name}.yaml`),
      `name: ${name}
resource_requirements: [{name: one, num_cpus: 1, memory: 50m, runtime: PT1M}]
slurm_schedulers: [{name: nodes, nodes: 1, mem: 500m, ${scheduler}}]
jobs: [{name: "${name}_{i}", parameters: {i: "1:2"}, command: "until [ -e ${name}-go ]; do sleep 0.1; done", resource_requirements: one}]
actions: [{trigger_type: on_workflow_start, action_type: schedule_nodes, scheduler: nodes, scheduler_type: slurm, num_allocations: ${allocations}}]
`,
    );
    const { code, stderr } = await call('submit', `${name}.yaml`, '-o', name, ...more);
    return { code, stderr, id: Number(/Created workflow (\d+)/.exec(stderr)?.[1]) };
  };
  const queued = () => cluster.run('squeue', '-h', '-r', '-o', '%i').split('\n').filter(Boolean);
  const statuses = async (id: number) =>
    (await server.client.listJobs({ query: { workflow_id: id } })).items.map(({ status }) => status);
  const explained = async (id: number) => {
    const [job] = (await server.client.listJobs({ query: { workflow_id: id } })).items;
    return (await call('jobs', 'explain', String(job?.id))).stdout;
  };
  const SHOW = 'sacctmgr show associations user=$USER format=Account,Partition,QOS';

  it.each([
    ['an account', 'account: others', 'account others', 'Invalid account or account/partition combination specified'],
    ['a QOS', 'account: any, qos: gold', 'account any, QOS gold', 'Invalid qos specification'],
  ])('%s that the user may not name is refused before anything is submitted', async (_, scheduler, asked, words) => {
    const { code, stderr } = await submitted('refused', `${scheduler}, walltime: "00:10:00"`);
    expect([code, stderr]).toEqual([1, expect.stringContaining('Nothing is submitted.')]);
    expect(stderr).toContain(`Slurm would refuse allocations of nodes (${asked}): ${words} (yours: ${SHOW})\n`);
    expect(queued()).toEqual([]);
  });

  it('an account that Slurm refuses in earnest is reported with its words, and where to look', async () => {
    const { code, stderr, id } = await submitted('earnest', 'account: others, walltime: "00:10:00"', {
      more: ['--skip-checks'],
    });
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining(
        `Batch job submission failed: Invalid account or account/partition combination specified (yours: ${SHOW})`,
      ),
    ]);
    expect((await server.client.listScheduledComputeNodes({ query: { workflow_id: id } })).items).toEqual([]);
    expect(queued()).toEqual([]);
  });

  it('an allocation that asks for more time than its QOS allows never starts, and submit and explain say so', async () => {
    const { code, stderr, id } = await submitted('long', 'account: any, walltime: "13:00:00"');
    const [job = ''] = queued();
    const words = 'QOSMaxWallDurationPerJobLimit: it asks for more than its account or QOS allows one job';
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining(`Allocation ${job} does not start as requested (${words}). To give up: scancel ${job}\n`),
    ]);
    expect(await explained(id)).toMatch(
      new RegExp(`allocation ${job} waits \\(${words}\\)\n+Next:\n  scancel ${job}\n`),
    );
    await call('cancel', String(id), '--no-prompts');
    expect(queued()).toEqual([]);
  });

  it('an allocation behind one that uses up its QOS waits for that, and says so, and one for which the queue has no room is submitted later', async () => {
    const first = await submitted('first', 'account: any, qos: few, walltime: "00:10:00"', { allocations: 2 });
    expect([first.code, first.stderr]).toEqual([0, expect.stringMatching(/with ID=\d+_0\n[^]*with ID=\d+_1\n/)]);
    const second = await submitted('second', 'account: any, qos: few, walltime: "00:10:00"');
    const limit = 'QOSMaxSubmitJobPerUserLimit';
    expect([second.code, second.stderr]).toEqual([
      0,
      expect.stringMatching(
        new RegExp(
          `${limit}: its account or QOS is at a limit until other jobs end\n1 allocation is not submitted yet .*${limit}`,
        ),
      ),
    ]);
    await until(
      () => statuses(first.id),
      (found) => found.includes('running'),
      'the first allocation to run a job',
    );
    const [waits = ''] = cluster.run('squeue', '-h', '-r', '-t', 'PD', '-o', '%i').split('\n');
    await until(
      async () => (await call('status', String(first.id))).stdout,
      (text) =>
        text.includes(
          `Allocation ${waits} waits in the queue of Slurm (QOSMaxJobsPerUserLimit: its account or QOS is at a limit until other jobs end)\n`,
        ),
      'status to say why the other one waits',
    );
    writeFileSync(join(folder, 'second-go'), '');
    writeFileSync(join(folder, 'first-go'), '');
    // The last runner of the first workflow cancels its other allocation, which is not needed.
    await until(
      () => Promise.resolve(queued()),
      (left) => left.length === 0,
      'the queue to be empty',
    );
    const again = await call('submit', String(second.id), '-o', 'second');
    expect([again.code, again.stderr]).toEqual([0, expect.stringContaining('with ID=')]);
    await until(
      () => statuses(second.id),
      (found) => found.every((status) => status === 'completed'),
      'the jobs of the second workflow to be completed',
    );
  });
});
