import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { openBatch } from '../../src/cluster/open-batch.ts';
import { jobOfAllocation } from '../../src/core/allocation/slurm-job.ts';
import { type RunningServer, startServer, temporaryFolder, torc, until } from '../support/programs.ts';
import { type Cluster, slurmIsMissing, startCluster } from './cluster.ts';

const flowOf = (name: string, allocations: number, { extra = '', jobs = '' }) => `
name: ${name}
execution_config: {mode: slurm}
resource_requirements: [{name: one, num_cpus: 1, memory: 50m, runtime: PT1M}]
slurm_schedulers: [{name: s, account: any, nodes: 1, walltime: "00:10:00", mem: 500m, extra: "--cpus-per-task=2 ${extra}"}]
jobs:
${jobs}
actions:
  - {trigger_type: on_workflow_start, action_type: schedule_nodes, scheduler: s, scheduler_type: slurm, num_allocations: ${allocations}}
`;

describe.skipIf(slurmIsMissing !== undefined)('allocations that are submitted together', () => {
  let cluster: Cluster;
  let folder: string;
  let server: RunningServer;
  beforeAll(async () => {
    cluster = await startCluster({ nodes: 1 });
    folder = temporaryFolder();
    server = await startServer(folder);
  });

  const call = (args: readonly string[], environment: Readonly<Record<string, string>> = {}) =>
    torc(['--url', server.url, ...args], { cwd: folder, environment: { ...cluster.environment, ...environment } });
  const recordsOf = async (id: number) =>
    (await server.client.listScheduledComputeNodes({ query: { workflow_id: id } })).items;
  const namesOf = async (id: number) => (await recordsOf(id)).map((record) => String(jobOfAllocation(record)));
  const statusesOf = async (id: number) => (await recordsOf(id)).map(({ status }) => status);
  const idOf = (text: string) => Number(/orkflow (\d+)/.exec(text)?.[1]);
  /** The jobs and tasks of a workflow that wait or run in Slurm. */
  const jobsOf = (id: number) =>
    cluster
      .run('squeue', '-hr', '-o', '%i|%o')
      .split('\n')
      .filter((line) => line.includes(`/wf${id}_`))
      .map((line) => line.split('|')[0] as string);

  it('killed after the third of twelve, torc submit is repeated: twelve jobs after the first time, and nothing more to submit until they are canceled', async () => {
    const jobs = '  - {name: only, command: "true", resource_requirements: one}';
    writeFileSync(join(folder, 'twelve.yaml'), flowOf('twelve', 12, { extra: '--hold', jobs }));
    const sbatch = join(folder, 'sbatch-that-kills');
    const kills =
      'n=$(($(cat "$0.n" 2>/dev/null) + 1)); echo $n > "$0.n"; sbatch "$@" || exit; [ $n = 3 ] && kill -9 $PPID';
    writeFileSync(sbatch, `#!/bin/bash\n${kills}\ntrue\n`, { mode: 0o755 });
    const words = ['submit', 'twelve.yaml', '--no-job-arrays', '-o', 'out'];
    const killed = await call(words, { TORC_FAKE_SBATCH: sbatch });
    expect([killed.code, killed.signal]).not.toEqual([0, null]);
    const id = idOf(killed.stderr);
    expect([jobsOf(id).length, await statusesOf(id)]).toEqual([
      3,
      ['pending', 'pending', 'submitting', ...Array<string>(9).fill('planned')],
    ]);
    const status = await call(['status', String(id)]);
    expect(status.stdout).toContain(
      `10 allocations are not submitted yet: torc --url ${server.url} submit ${id} completes them\n`,
    );

    const repeated = await call(['submit', String(id), '--no-job-arrays', '-o', 'out']);
    expect([repeated.code, repeated.stdout]).toEqual([0, `Successfully submitted workflow ${id} (10 allocation(s))\n`]);
    expect(jobsOf(id).toSorted()).toEqual((await namesOf(id)).toSorted());
    expect([new Set(jobsOf(id)).size, new Set(await statusesOf(id))]).toEqual([12, new Set(['pending'])]);
    const more = await call(['submit', String(id), '-o', 'out']);
    const nothing = `Nothing more to submit: 12 allocation(s) of workflow ${id} wait or run\n`;
    expect([more.code, more.stdout, jobsOf(id).length]).toEqual([0, nothing, 12]);
    await call(['cancel', String(id), '--no-prompts']);
    expect([jobsOf(id), new Set(await statusesOf(id))]).toEqual([[], new Set(['canceled'])]);
    const canceled = await call(['submit', String(id), '-o', 'out']);
    expect([canceled.code, canceled.stderr]).toEqual([1, expect.stringContaining('No allocation was submitted')]);
  });

  /** A workflow of which torc submit was killed at the second of three allocations. */
  const interrupted = async (name: string): Promise<number> => {
    const jobs = '  - {name: only, command: "true", resource_requirements: one}';
    writeFileSync(join(folder, `${name}.yaml`), flowOf(name, 3, { extra: '--hold', jobs }));
    const sbatch = join(folder, `sbatch-that-dies-${name}`);
    const dies = '[ -e "$0.once" ] && { kill -9 $PPID; exit 1; }; touch "$0.once"; exec sbatch "$@"';
    writeFileSync(sbatch, `#!/bin/bash\n${dies}\n`, { mode: 0o755 });
    const words = ['submit', `${name}.yaml`, '--no-job-arrays', '-o', 'out'];
    const id = idOf((await call(words, { TORC_FAKE_SBATCH: sbatch })).stderr);
    expect(jobsOf(id)).toHaveLength(1);
    return id;
  };

  it('torc watch --recover completes an interrupted submission', async () => {
    const id = await interrupted('watched');
    const watching = call(['watch', String(id), '--recover', '-p', '1', '-o', 'out']);
    await until(
      () => statusesOf(id),
      (statuses) => statuses.every((status) => status === 'pending'),
      'the missing allocations',
    );
    expect(jobsOf(id).toSorted()).toEqual((await namesOf(id)).toSorted());
    expect(jobsOf(id)).toHaveLength(3);
    await call(['cancel', String(id), '--no-prompts']);
    expect([(await watching).code, jobsOf(id)]).toEqual([1, []]);
  });

  it('recover completes an interrupted submission instead of refusing', async () => {
    const id = await interrupted('left');
    const recovered = await call(['recover', String(id), '--no-prompts', '-o', 'out']);
    expect([recovered.code, recovered.stdout]).toEqual([
      0,
      expect.stringContaining('Completed an interrupted submission: 2 allocations\n'),
    ]);
    expect(jobsOf(id).toSorted()).toEqual((await namesOf(id)).toSorted());
    const refused = await call(['recover', String(id), '--no-prompts', '-o', 'out']);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('3 of its allocations wait or run')]);
    await call(['cancel', String(id), '--no-prompts']);
  });

  it('four allocations are one job array, whose tasks wait, run, are canceled and end each by itself', async () => {
    const wait = 'trap \\"touch signaled\\" TERM; touch begun-$TORC_JOB_NAME; until [ -e go ]; do sleep 0.1; done';
    const job = (name: string, command: string) =>
      `  - {name: ${name}, command: "${command}", resource_requirements: one}`;
    // Two tasks have CPUs, for two jobs each. While the fifth job waits, the other tasks have work, so nothing cancels them.
    const names = ['a', 'b', 'c', 'd', 'e'];
    const jobs = names.map((name) => job(name, wait)).join('\n');
    writeFileSync(join(folder, 'array.yaml'), flowOf('array', 4, { jobs }));
    const { code, stderr } = await call(['submit', 'array.yaml', '-o', 'out']);
    expect([code, stderr]).toEqual([0, expect.stringMatching(/with ID=(\d+)_0\n[^]*with ID=\1_3\n/)]);
    const id = idOf(stderr);
    const array = /with ID=(\d+)_0/.exec(stderr)?.[1] as string;
    expect(await namesOf(id)).toEqual([0, 1, 2, 3].map((task) => `${array}_${task}`));
    await until(
      () => names.filter((name) => existsSync(join(folder, `begun-${name}`))).length,
      (begun) => begun === 4,
      'the jobs to begin',
    );
    const rows = await recordsOf(id);
    expect(rows.map(({ status }) => status)).toEqual(['active', 'active', 'pending', 'pending']);
    // A task that runs has an id of its own, by which its files are named.
    const [first, second] = rows.map(({ scheduler_id: job }) => job) as [number, number];
    expect([first, second].every((each) => each > Number(array))).toBe(true);
    expect(rows.slice(2).map(({ scheduler_id: job }) => job)).toEqual([Number(array), Number(array)]);
    // status waits 3 s for squeue, which is too short on a machine with other work.
    await until(
      async () => (await call(['status', String(id)])).stdout,
      (text) => text.includes(`Allocations ${array}_2, ${array}_3 wait in the queue of Slurm`),
      'status to say what waits',
    );

    // A task that is canceled while it waits is forgotten by squeue and sacct.
    await openBatch(cluster.environment).cancelQueued([`${array}_3`]);
    await until(
      async () => (await call(['status', String(id)])).stdout,
      (text) => text.includes(`Allocation ${array}_3 ended before a runner began`),
      'status to say what ended',
    );
    await call(['workflows', 'sync-status', String(id)]);
    expect(await statusesOf(id)).toEqual(['active', 'active', 'pending', 'complete']);

    await call(['cancel', String(id), '--no-prompts']);
    await until(
      () => existsSync(join(folder, 'signaled')),
      (isThere) => isThere,
      'a step to get its signal',
    );
    writeFileSync(join(folder, 'go'), '');
    await until(
      async () => (await server.client.listComputeNodes({ query: { workflow_id: id, is_active: true } })).items.length,
      (active) => active === 0,
      'the runners to end',
    );
    expect([jobsOf(id).filter((job) => job.endsWith('_2')), await statusesOf(id)]).toEqual([
      [],
      ['canceled', 'canceled', 'canceled', 'complete'],
    ]);
  });

  it('jobs in the tasks of an array have their statistics, and the last runner cancels the tasks that wait', async () => {
    const jobs = '  - {name: "j_{i}", parameters: {i: "1:6"}, command: "sleep 1", resource_requirements: one}';
    writeFileSync(join(folder, 'stats.yaml'), flowOf('stats', 5, { jobs }));
    const { stderr } = await call(['submit', 'stats.yaml', '-o', 'out']);
    const id = idOf(stderr);
    await until(
      async () => (await statusesOf(id)).every((status) => status === 'complete' || status === 'canceled'),
      (isOver) => isOver,
      'the allocations to end',
    );
    const { items: done } = await server.client.listJobs({ query: { workflow_id: id } });
    expect(done.map(({ status }) => status)).toEqual(Array<string>(6).fill('completed'));
    const { items: stats } = await server.client.listSlurmStats({ query: { workflow_id: id } });
    const ran = (await recordsOf(id))
      .filter(({ status }) => status === 'complete')
      .map(({ scheduler_id: job }) => String(job));
    expect(stats.length).toBe(6);
    for (const { slurm_job_id: job } of stats) expect(ran).toContain(job);
    const outputs = ran.map((job) => join(folder, 'out', `slurm_output_wf${id}_sl${job}.o`));
    expect(outputs.filter((path) => !existsSync(path))).toEqual([]);
    const canceled = (await recordsOf(id)).flatMap((each) =>
      each.status === 'canceled' ? [String(jobOfAllocation(each))] : [],
    );
    expect(canceled.length).toBeGreaterThan(0);
    // The runner has noted that they are canceled before the controller has done it.
    await until(
      () => jobsOf(id).filter((job) => canceled.includes(job)),
      (queued) => queued.length === 0,
      'the canceled tasks to leave the queue',
    );
  });
});
