import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { type RunningServer, start, startServer, temporaryFolder, torc, until } from '../support/programs.ts';
import { type Cluster, nodeName, slurmIsMissing, startCluster } from './cluster.ts';

const timeout = 420_000;

const HELD = `
name: held
resource_requirements: [{name: one, num_cpus: 1, memory: 50m, runtime: PT1M}]
slurm_schedulers: [{name: nodes, account: any, nodes: 1, walltime: "00:10:00", mem: 500m}]
actions: [{trigger_type: on_workflow_start, action_type: schedule_nodes, scheduler: nodes, scheduler_type: slurm, num_allocations: 1}]
jobs: [{name: a, command: "true", resource_requirements: one}]
`;

/** `long` takes as long as its file is missing. A runner that is asked to end gives its job a second. */
const FLOW = `
name: losses
execution_config: {mode: direct, sigterm_lead_seconds: 1, sigkill_headroom_seconds: 5}
resource_requirements: [{name: one, num_cpus: 1, memory: 50m, runtime: PT5M}]
slurm_schedulers: [{name: nodes, account: any, nodes: 1, walltime: "00:20:00", mem: 500m}]
actions: [{trigger_type: on_workflow_start, action_type: schedule_nodes, scheduler: nodes, scheduler_type: slurm, num_allocations: 1}]
jobs:
  - {name: short, command: "true", resource_requirements: one}
  - {name: long, command: "until [ -e over ]; do sleep 0.1; done", resource_requirements: one}
`;

const LOSSES = ['canceled', 'killed', 'preempted'] as const;

describe.skipIf(slurmIsMissing !== undefined)('a workflow under torc watch', () => {
  let cluster: Cluster;
  let folder: string;
  let server: RunningServer;
  beforeAll(async () => {
    cluster = await startCluster({ nodes: 1, set: ['PreemptType=preempt/qos', 'PreemptMode=CANCEL'] });
    const user = cluster.run('id', '-un').trim();
    cluster.run('sacctmgr', '-i', 'add', 'qos', 'urgent', 'Preempt=normal', 'Priority=100');
    cluster.run('sacctmgr', '-i', 'modify', 'user', user, 'set', 'qos+=urgent');
    folder = temporaryFolder();
    server = await startServer(folder);
  }, timeout);

  const call = (...args: string[]) =>
    torc(['--url', server.url, ...args], { cwd: folder, environment: cluster.environment });
  const watch = (id: number, ...options: string[]) =>
    start('torc', ['--url', server.url, 'watch', String(id), '-p', '1', '-o', 'output', ...options], {
      cwd: folder,
      environment: cluster.environment,
    });
  const idOf = async (name: string) =>
    (await server.client.listWorkflows({ query: {} })).items.find((each) => each.name === name)?.id as number;
  const resultsOf = async (id: number) => {
    const query = { workflow_id: id, all_runs: true };
    const { items } = await server.client.listResults({ query });
    return items.filter(({ job_name: name }) => name === 'long').toSorted((a, b) => a.run_id - b.run_id);
  };
  /** The runner and the allocation in which the job runs that did not run in one of these. */
  const runnerOf = (id: number, before: ReadonlySet<string>) =>
    until(
      async () => {
        const query = { workflow_id: id };
        const [job] = (await server.client.listJobs({ query: { ...query, status: 'running' } })).items;
        if (job?.name !== 'long') return undefined;
        const { items } = await server.client.listComputeNodes({ query: { ...query, is_active: true } });
        const node = items.find((each) => each.id === job.compute_node_id);
        const allocation = String((node?.scheduler as { slurm_job_id?: string } | null)?.slurm_job_id ?? '');
        return node === undefined || before.has(allocation) ? undefined : { pid: node.pid, allocation };
      },
      (found) => found !== undefined,
      'the job to run in another allocation',
      120_000,
    );

  const lose = {
    canceled: ({ allocation }: { allocation: string }) => void cluster.run('scancel', allocation),
    killed: ({ pid }: { pid: number }) => void process.kill(pid, 'SIGKILL'),
    preempted: () =>
      void cluster.run(
        'sbatch',
        '--qos=urgent',
        '--exclusive',
        '--mem=0',
        '-t',
        '1',
        '-o',
        '/dev/null',
        '--wrap',
        'true',
      ),
  };

  it(
    'that loses its allocation ten times in a row is completed by one torc watch --recover, and each attempt says what ended it',
    { timeout },
    async () => {
      writeFileSync(join(folder, 'losses.yaml'), FLOW);
      const submitted = await call('submit', 'losses.yaml');
      expect(submitted).toMatchObject({ code: 0 });
      const id = await idOf('losses');
      const watching = watch(id, '--recover');
      const lost: { allocation: string; how: (typeof LOSSES)[number] }[] = [];
      for (let at = 0; at < 10; at += 1) {
        const found = (await runnerOf(id, new Set(lost.map(({ allocation }) => allocation)))) as NonNullable<
          Awaited<ReturnType<typeof runnerOf>>
        >;
        const how = LOSSES[at % LOSSES.length] as (typeof LOSSES)[number];
        lose[how](found);
        lost.push({ allocation: found.allocation, how });
      }
      await runnerOf(id, new Set(lost.map(({ allocation }) => allocation)));
      writeFileSync(join(folder, 'over'), '');
      const ended = await watching.ended;
      expect(ended).toMatchObject({ code: 0 });
      const user = cluster.run('id', '-u').trim();
      const said = { canceled: `CANCELLED by ${user}`, killed: 'FAILED', preempted: 'PREEMPTED' };
      expect((await resultsOf(id)).map(({ cause }) => cause ?? undefined)).toEqual([
        ...lost.map(({ allocation, how }) => `allocation ${allocation} ended ${said[how]}`),
        undefined,
      ]);
      for (const { allocation, how } of lost)
        expect(ended.stderr + ended.stdout).toContain(`allocation ${allocation} ended ${said[how]}`);
    },
  );

  it(
    'says why Slurm does not start its allocation and what releases it, and with --recover releases one that failed to start',
    { timeout },
    async () => {
      const node = nodeName(1);
      cluster.run('scontrol', 'update', `NodeName=${node}`, 'State=DRAIN', 'Reason=test');
      writeFileSync(join(folder, 'held.yaml'), HELD);
      expect(await call('submit', 'held.yaml', '--skip-checks')).toMatchObject({ code: 0 });
      const id = await idOf('held');
      const [{ scheduler_id: job } = { scheduler_id: 0 }] = (
        await server.client.listScheduledComputeNodes({ query: { workflow_id: id } })
      ).items;
      const looking = watch(id);
      await looking.says(`Allocation ${job} waits in the queue of Slurm (`);
      // What stands in the place of its folder keeps slurmd from starting it.
      const spool = /SlurmdSpoolDir\s*=\s*(\S+)/.exec(cluster.run('scontrol', 'show', 'config'))?.[1] as string;
      writeFileSync(join(spool.replace('%n', node), `job${String(job).padStart(5, '0')}`), '');
      cluster.run('scontrol', 'update', `NodeName=${node}`, 'State=RESUME');
      await looking.says(
        new RegExp(
          `Allocation ${job} does not start as requested \\(launch failed requeued held: .*scontrol release ${job}\\.`,
        ),
      );
      looking.child.kill('SIGKILL');
      const recovering = watch(id, '--recover');
      await recovering.says(`Allocation ${job} is released: it could not be started, and was held`);
      recovering.child.kill('SIGKILL');
      expect(cluster.run('squeue', '-h', '-j', String(job), '-o', '%r')).not.toContain('held');
      cluster.run('scancel', String(job));
    },
  );
});
