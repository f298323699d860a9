import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Result } from '../../src/core/contract/result.ts';
import { type RunningServer, startServer, temporaryFolder, until } from '../support/programs.ts';
import { byHand } from './by-hand.ts';
import { leftovers } from './leftovers.ts';
import { type Cluster, slurmIsMissing, startCluster } from './cluster.ts';

describe.skipIf(slurmIsMissing !== undefined)('jobs as steps of a real Slurm allocation', () => {
  let cluster: Cluster;
  let folder: string;
  let server: RunningServer;
  let lane: ReturnType<typeof byHand>;
  let slowEnds: Promise<number>;
  beforeAll(async () => {
    // Slurm's default: a busy machine needs more than a second or two to report the results of a canceled allocation.
    cluster = await startCluster({ nodes: 3, set: ['KillWait=30'] });
    folder = temporaryFolder();
    server = await startServer(folder);
    lane = byHand({ cluster, folder, server });
    // Time limits take more than a minute: they pass while the other tests run.
    slowEnds = slowlyEnding();
    slowEnds.catch(() => {});
  }, 120_000);

  const small = 'resource_requirements:\n  - {name: small, num_cpus: 1, memory: 50m, runtime: PT1M}\n';

  /** A workflow on a node of its own whose jobs end in different ways, the last ones by their time limit. */
  const slowlyEnding = async (): Promise<number> => {
    const id = await lane.created(
      'ends',
      `resource_requirements:
  - {name: small, num_cpus: 1, memory: 50m, runtime: PT1M}
execution_config: {mode: slurm}
jobs:
  - name: memory
    resource_requirements: small
    command: "head -c 300M /dev/zero | tail | sleep 60"
  - {name: canceled, resource_requirements: small, command: "touch canceled; sleep 600"}
  - {name: handled, resource_requirements: small, command: "trap 'exit 5' TERM; touch handled; while :; do sleep 0.1; done"}
  - {name: late, resource_requirements: small, command: "sleep 600"}
  - {name: late_handled, resource_requirements: small, command: "trap 'exit 0' TERM; while :; do sleep 0.1; done"}
`,
    );
    const job = lane.allocated(id, ['-w', 'n3', '-c', '4', '--mem=1000M', '-t', '3']);
    const stepOf = async (name: string) => {
      await until(
        () => readdirSync(folder).includes(name),
        (is) => is,
        `job ${name} to run`,
        60_000,
      );
      const { items } = await server.client.listJobs({ query: { workflow_id: id, name } });
      const step = cluster
        .run('squeue', '--steps', '-h', '-j', job, '-o', '%i|%j')
        .split('\n')
        .find((line) => line.trim().endsWith(`_j${items[0]?.id}_r1_a1`));
      return step?.split('|')[0] as string;
    };
    cluster.run('scancel', await stepOf('canceled'));
    cluster.run('scancel', '-s', 'TERM', await stepOf('handled'));
    return id;
  };

  it('a job is a step with its name, its output and its result, and its accounting is stored', async () => {
    const id = await lane.created(
      'results',
      `${small}execution_config: {mode: slurm}
jobs:
  - {name: good, command: "echo step $SLURM_STEP_ID of $SLURM_JOB_ID, $TORC_JOB_NAME", resource_requirements: small}
  - {name: seven, command: "exit 7", resource_requirements: small}
  - {name: high, command: "exit 200", resource_requirements: small}
  - {name: segfault, command: "kill -SEGV $$", resource_requirements: small}
  - {name: missing, command: "/no/such/program", resource_requirements: small}
  - {name: after, command: "true", depends_on: [good], resource_requirements: small}
`,
    );
    const job = lane.allocated(id, ['-c', '2', '--mem=400M', '-t', '5']);
    const results = await lane.finished(id);
    const codes = Object.fromEntries(
      Object.entries(results).map(([name, each]) => [name, [each.status, each.return_code]]),
    );
    expect(codes).toEqual({
      good: ['completed', 0],
      seven: ['failed', 7],
      high: ['failed', 200],
      segfault: ['failed', 139],
      missing: ['failed', 127],
      after: ['completed', 0],
    });
    const good = results['good'] as Result;
    const name = `wf${id}_j${good.job_id}_r${good.run_id}_a1`;
    expect(readFileSync(join(folder, `out-${id}/job_stdio/job_${name}.o`), 'utf8')).toMatch(
      new RegExp(`^step \\d+ of ${job}, good\n$`),
    );
    expect(cluster.run('sacct', '-j', job, '-P', '-n', '--format', 'JobName').split('\n')).toContain(name);
    expect(lane.logOf(id)).toContain('execution_mode=Slurm');
    const { items: stats } = await server.client.listSlurmStats({ query: { workflow_id: id } });
    expect(stats).toHaveLength(6);
    expect(stats.every(({ slurm_job_id: slurmJob, node_list: nodes }) => slurmJob === job && nodes === 'n1')).toBe(
      true,
    );
    // The runner removes them when it ends, which is later than its last result.
    await until(
      () => readdirSync(join(folder, `out-${id}`)).filter((each) => each.startsWith('job_runner_steps')),
      (left) => left.length === 0,
      'the files of its steps to be removed',
      60_000,
    );
  }, 240_000);

  it('a step has the CPUs and the memory that its job asks for', async () => {
    const id = await lane.created(
      'size',
      `resource_requirements: [{name: two, num_cpus: 2, memory: 70m, runtime: PT1M}]
execution_config: {mode: slurm}
jobs: [{name: sized, command: "true", resource_requirements: two}]
`,
    );
    const job = lane.allocated(id, ['-c', '4', '--mem=400M', '-t', '7']);
    await lane.finished(id);
    const [line] = await until(
      () =>
        cluster
          .run('sacct', '-j', job, '-P', '-n', '--format', 'JobName,AllocTRES')
          .split('\n')
          .filter((each) => each.startsWith(`wf${id}_j`)),
      (lines) => lines.length === 1,
      'the row of the step',
    );
    expect(line).toMatch(/\|cpu=2,(?:gres\/gpu=0,)?mem=70M,node=1$/);
  }, 240_000);

  it('a job on two nodes runs once and reaches both, and a runner uses all nodes of its allocation', async () => {
    const id = await lane.created(
      'nodes',
      `resource_requirements:
  - {name: both, num_cpus: 1, memory: 50m, runtime: PT1M, num_nodes: 2}
  - {name: wide, num_cpus: 3, memory: 50m, runtime: PT1M}
execution_config: {mode: slurm}
jobs:
  - {name: two, resource_requirements: both, command: "echo once on $SLURM_STEP_NUM_NODES; srun --overlap -N2 -n2 hostname | sort"}
  - {name: "one_{i}", parameters: {i: "1:2"}, resource_requirements: wide, command: "until [ $(ls here-* | wc -l) = 2 ]; do touch here-{i}; sleep 0.1; done; hostname"}
`,
    );
    lane.allocated(id, ['-N', '2', '--ntasks-per-node=1', '-c', '4', '--mem=400M', '-t', '5']);
    const results = await lane.finished(id);
    expect(Object.values(results).map(({ status }) => status)).toEqual(['completed', 'completed', 'completed']);
    const printed = (name: string) => {
      const { job_id: job, run_id: run } = results[name] as Result;
      return readFileSync(join(folder, `out-${id}/job_stdio/job_wf${id}_j${job}_r${run}_a1.o`), 'utf8');
    };
    expect(printed('two')).toBe('once on 2\nn1\nn2\n');
    expect([printed('one_1'), printed('one_2')].sort()).toEqual(['n1\n', 'n2\n']);
    const { items: stats } = await server.client.listSlurmStats({ query: { workflow_id: id } });
    expect(stats.find(({ job_id: job }) => job === results['two']?.job_id)?.node_list).toBe('n[1-2]');
    expect((await server.client.listComputeNodes({ query: { workflow_id: id } })).items).toMatchObject([
      { num_nodes: 2 },
    ]);
  }, 240_000);

  it('jobs with GPUs have different ones, and a job without has none and waits for none', async () => {
    const id = await lane.created(
      'gpus',
      `resource_requirements:
  - {name: cpu, num_cpus: 1, memory: 50m, runtime: PT1M}
  - {name: gpu, num_cpus: 1, num_gpus: 1, memory: 50m, runtime: PT1M}
execution_config: {mode: slurm}
jobs:
  - {name: "gpu_{i}", parameters: {i: "1:2"}, resource_requirements: gpu, command: "until [ $(ls gpus-* | wc -l) = 3 ]; do touch gpus-{i}; sleep 0.1; done; echo [$CUDA_VISIBLE_DEVICES]"}
  - {name: none, resource_requirements: cpu, command: "until [ $(ls gpus-* | wc -l) = 3 ]; do touch gpus-none; sleep 0.1; done; echo [$CUDA_VISIBLE_DEVICES]"}
`,
    );
    lane.allocated(id, ['-c', '3', '--mem=400M', '--gpus-per-node=2', '-t', '5']);
    const results = await lane.finished(id);
    const printed = Object.entries(results).map(([name, { job_id: job }]) => [
      name,
      readFileSync(join(folder, `out-${id}/job_stdio/job_wf${id}_j${job}_r1_a1.o`), 'utf8').trim(),
    ]);
    const devices = Object.fromEntries(printed) as Record<string, string>;
    expect([devices['gpu_1'] ?? '', devices['gpu_2'] ?? ''].sort()).toEqual(['[0]', '[1]']);
    expect(devices['none']).toBe('[]');
  }, 240_000);

  it('all jobs of a canceled allocation are reported as terminated', async () => {
    const id = await lane.created(
      'cancel',
      `${small}execution_config: {mode: slurm}
jobs:
  - {name: "long_{i}", parameters: {i: "1:3"}, resource_requirements: small, command: "touch long-{i}; sleep 600"}
`,
    );
    const job = lane.allocated(id, ['-c', '3', '--mem=400M', '-t', '5']);
    await until(
      () => readdirSync(folder).filter((name) => name.startsWith('long-')).length,
      (count) => count === 3,
      'the jobs to run',
      60_000,
    );
    cluster.run('scancel', job);
    const results = await lane.finished(id);
    expect(Object.values(results).map(({ status }) => status)).toEqual(['terminated', 'terminated', 'terminated']);
    expect(stepNames().filter((name) => name.startsWith(`wf${id}_`))).toEqual([]);
  }, 240_000);

  it('a job that is sampled has its CPU and memory, and the peak is near what it allocates', async () => {
    const id = await lane.created(
      'samples',
      `resource_requirements:
  - {name: two, num_cpus: 2, memory: 400m, runtime: PT1M}
execution_config: {mode: slurm}
resource_monitor: {sample_interval_seconds: 1, jobs: {enabled: true, granularity: time_series}}
jobs:
  - name: busy
    resource_requirements: two
    command: "(head -c 100M /dev/zero | tail -c 100M | (sleep 10; wc -c)) & (ulimit -t 5; while :; do :; done); wait"
`,
    );
    lane.allocated(id, ['-c', '2', '--mem=600M', '-t', '5']);
    const { busy } = await lane.finished(id);
    expect(busy?.status).toBe('completed');
    expect(busy?.peak_memory_bytes).toBeGreaterThan(85e6);
    expect(busy?.peak_cpu_percent).toBeGreaterThan(0);
    const [stats] = (await server.client.listSlurmStats({ query: { workflow_id: id } })).items;
    expect(stats?.max_rss_bytes).toBeGreaterThan(85e6);
    // It may use five seconds of CPU; how long that takes depends on the machine.
    const cpuSeconds = stats?.ave_cpu_seconds ?? 0;
    expect(cpuSeconds).toBeGreaterThanOrEqual(3);
    expect(busy?.avg_cpu_percent).toBeCloseTo((cpuSeconds / ((busy?.exec_time_minutes ?? 0) * 60)) * 100, 3);
    const file = readdirSync(join(folder, `out-${id}/resource_utilization`)).find((name) => name.endsWith('.db'));
    expect(file).toBeDefined();
  }, 240_000);

  const stepNames = () => cluster.run('squeue', '--steps', '-h', '-o', '%j').split('\n');

  it('a workflow that is canceled ends its steps, and their jobs have no result', async () => {
    const id = await lane.created(
      'canceled',
      `${small}execution_config: {mode: slurm}
jobs:
  - {name: "run_{i}", parameters: {i: "1:2"}, resource_requirements: small, command: "touch run-{i}; sleep 600"}
`,
    );
    lane.allocated(id, ['-c', '2', '--mem=400M', '-t', '5']);
    await lane.there('run-', 2);
    await server.client.cancelWorkflow({ params: { id } });
    expect(await lane.finished(id)).toEqual({});
    const { items } = await server.client.listJobs({ query: { workflow_id: id } });
    expect(items.map(({ status }) => status)).toEqual(['canceled', 'canceled']);
    expect(stepNames().filter((name) => name.startsWith(`wf${id}_`))).toEqual([]);
  }, 240_000);

  it('a job whose srun is killed has failed, and its step ends', async () => {
    const id = await lane.created(
      'killed',
      `${small}execution_config: {mode: slurm}
jobs: [{name: lost, resource_requirements: small, command: "touch lost-1; sleep 600"}]
`,
    );
    lane.allocated(id, ['-c', '2', '--mem=400M', '-t', '5']);
    await lane.there('lost-', 1);
    const pids = cluster.run('pgrep', '-f', `^srun.*--job-name=wf${id}_`).trim().split('\n').map(Number);
    for (const pid of pids) process.kill(pid, 'SIGKILL');
    expect((await lane.finished(id))['lost']).toMatchObject({ status: 'failed', return_code: 137 });
    await leftovers({ cluster, server }).gone(id);
  }, 240_000);

  it('a job on a node that fails is never completed, although srun exits with 0', async () => {
    const id = await lane.created(
      'node',
      `resource_requirements: [{name: wide, num_cpus: 3, memory: 50m, runtime: PT1M}]
execution_config: {mode: slurm}
jobs:
  - {name: "part_{i}", parameters: {i: "1:2"}, resource_requirements: wide, command: "touch part-{i}; until [ $(ls part-* | wc -l) = 2 ]; do sleep 0.1; done; if [ $SLURMD_NODENAME = n2 ]; then touch crash-now; sleep 600; fi"}
`,
    );
    lane.allocated(id, [
      '-N',
      '2',
      '--no-kill',
      '--no-requeue',
      '--ntasks-per-node=1',
      '-c',
      '4',
      '--mem=400M',
      '-t',
      '5',
    ]);
    await lane.there('crash-now', 1);
    cluster.node('crash', 'n2');
    const results = Object.values(await lane.finished(id)).map(({ status, return_code: code }) => `${status} ${code}`);
    cluster.node('start', 'n2');
    expect(results.sort()).toEqual(['completed 0', 'failed 137']);
  }, 300_000);

  it('each kind of end has its result: memory, a person, a signal, the time limit', async () => {
    const results = await lane.finished(await slowEnds);
    expect(
      Object.fromEntries(Object.entries(results).map(([name, each]) => [name, [each.status, each.return_code]])),
    ).toEqual({
      memory: ['failed', 137],
      canceled: ['failed', 137],
      handled: ['failed', 5],
      late: ['terminated', 152],
      late_handled: ['completed', 0],
    });
    // A person ended it: that is no lack of memory.
    const explained = await lane.call('jobs', 'explain', String(results['canceled']?.job_id));
    expect(explained.stdout).toContain('by Slurm, or by a user');
    expect(explained.stdout).not.toContain('more memory than it asked for');
  }, 300_000);
});
