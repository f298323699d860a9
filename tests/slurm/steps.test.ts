import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Result } from '../../src/core/contract/result.ts';
import { parseSlurmMemory } from '../../src/core/quantity/bytes.ts';
import { type RunningServer, startServer, temporaryFolder, until } from '../support/programs.ts';
import { byHand } from './by-hand.ts';
import { leftovers } from './leftovers.ts';
import { type Cluster, nodeName, slurmIsMissing, startCluster } from './cluster.ts';

const head = `resource_requirements:
  - {name: small, num_cpus: 1, memory: 50m, runtime: PT1M}
  - {name: two, num_cpus: 2, memory: 70m, runtime: PT1M}
  - {name: wide, num_cpus: 3, memory: 50m, runtime: PT1M}
  - {name: large, num_cpus: 2, memory: 400m, runtime: PT1M}
  - {name: both, num_cpus: 1, memory: 50m, runtime: PT1M, num_nodes: 2}
  - {name: gpu, num_cpus: 1, num_gpus: 1, memory: 50m, runtime: PT1M}
execution_config: {mode: slurm}
`;

/** Settings of the signal before the end, each with the seconds that a job has left when it hears it. */
const warnings = {
  steps: ['mode: slurm, srun_termination_signal: "USR1@20", sigkill_headroom_seconds: 10', 20],
  steps_with_headroom: ['mode: slurm, srun_termination_signal: "TERM@15", sigkill_headroom_seconds: 45', 15],
  steps_of_a_minute: ['mode: slurm, srun_termination_signal: "TERM@50", sigkill_headroom_seconds: 30', 30],
  batched: ['mode: slurm, step_batching: true, srun_termination_signal: "USR1@20", sigkill_headroom_seconds: 10', 20],
  direct: ['mode: direct, termination_signal: SIGUSR1, sigterm_lead_seconds: 20, sigkill_headroom_seconds: 10', 20],
} as const;
type Warning = keyof typeof warnings;

/** A job that leaves when it hears the signal, and one that goes on to its end. Both write when something happened. */
const warned = (name: Warning) => `${head.replace('mode: slurm', warnings[name][0])}jobs:
  - {name: leaves, resource_requirements: small, command: "trap 'exit 0' USR1 TERM; while :; do sleep 0.1; done"}
  - {name: stays, resource_requirements: small, command: "say() { echo $1 $EPOCHREALTIME >> warned-${name}; }; trap 'say signal' USR1 TERM; while :; do say alive; sleep 0.2; done"}
`;

/** Jobs that end in different ways, the last ones by their time limit. */
const ends = `${head}jobs:
  - {name: memory, resource_requirements: small, command: "head -c 300M /dev/zero | tail | (head -c 1 > /dev/null; sleep 3)"}
  - {name: canceled, resource_requirements: small, command: "touch ends-canceled; sleep 600"}
  - {name: handled, resource_requirements: small, command: "trap 'exit 5' TERM; touch ends-handled; while :; do sleep 0.1; done"}
  - {name: late, resource_requirements: small, command: "touch ends-late; sleep 600"}
  - {name: late_handled, resource_requirements: small, command: "trap 'exit 0' TERM; touch ends-late_handled; while :; do sleep 0.1; done"}
`;

const flows = {
  results: `${head}jobs:
  - {name: good, command: "echo step $SLURM_STEP_ID of $SLURM_JOB_ID, $TORC_JOB_NAME", resource_requirements: small}
  - {name: seven, command: "exit 7", resource_requirements: small}
  - {name: high, command: "exit 200", resource_requirements: small}
  - {name: segfault, command: "kill -SEGV $$", resource_requirements: small}
  - {name: missing, command: "/no/such/program", resource_requirements: small}
  - {name: after, command: "true", depends_on: [good], resource_requirements: small}
`,
  size: `${head}jobs: [{name: sized, command: "true", resource_requirements: two}]
`,
  nodes: `${head}jobs:
  - {name: two, resource_requirements: both, command: "echo once on $SLURM_STEP_NUM_NODES; srun --overlap -N2 -n2 printenv SLURMD_NODENAME | sort"}
  - {name: "one_{i}", parameters: {i: "1:2"}, resource_requirements: wide, command: "until [ $(ls here-* | wc -l) = 2 ]; do touch here-{i}; sleep 0.1; done; echo $SLURMD_NODENAME"}
`,
  gpus: `${head}jobs:
  - {name: "gpu_{i}", parameters: {i: "1:2"}, resource_requirements: gpu, command: "until [ $(ls gpus-* | wc -l) = 3 ]; do touch gpus-{i}; sleep 0.1; done; echo [$CUDA_VISIBLE_DEVICES]"}
  - {name: none, resource_requirements: small, command: "until [ $(ls gpus-* | wc -l) = 3 ]; do touch gpus-none; sleep 0.1; done; echo [$CUDA_VISIBLE_DEVICES]"}
`,
  samples: `${head}resource_monitor: {sample_interval_seconds: 1, jobs: {enabled: true, granularity: time_series}}
jobs:
  - name: busy
    resource_requirements: large
    command: "(head -c 100M /dev/zero | tail -c 100M | (head -c 1 > /dev/null; sleep 5)) & (ulimit -t 5; while :; do :; done); wait"
`,
  cancel: `${head}jobs:
  - {name: "long_{i}", parameters: {i: "1:3"}, resource_requirements: small, command: "touch long-{i}; sleep 600"}
`,
  canceled: `${head}jobs:
  - {name: "run_{i}", parameters: {i: "1:2"}, resource_requirements: small, command: "touch run-{i}; sleep 600"}
`,
  srun: `${head}jobs: [{name: lost, resource_requirements: small, command: "touch lost-1; sleep 600"}]
`,
  runner: `${head}jobs: [{name: apart, resource_requirements: small, command: "setsid sleep 600 & touch apart-1; wait"}]
`,
  crash: `${head}jobs:
  - {name: "part_{i}", parameters: {i: "1:2"}, resource_requirements: wide, command: "touch part-{i}; until [ $(ls part-* | wc -l) = 2 ]; do sleep 0.1; done; if [ $SLURMD_NODENAME = ${nodeName(7)} ]; then touch crash-now; sleep 600; fi"}
`,
  refused: `${head}jobs: [{name: wide, resource_requirements: wide, command: "true"}]
`,
  burst: `${head}jobs: [{name: "short_{i}", parameters: {i: "1:60"}, resource_requirements: small, command: "touch burst-{i}"}]
`,
} as const;

type Name = keyof typeof flows;

/** Allocations on the nodes that no other needs for itself. */
const shared = (cpus: number, memory = '400M') => [
  '-x',
  [4, 5, 6, 7].map(nodeName).join(),
  '-c',
  String(cpus),
  `--mem=${memory}`,
];
const pair = ['-N', '2', '--ntasks-per-node=1', '-c', '4', '--mem=400M'];
const options: Readonly<Record<Name, readonly string[]>> = {
  results: ['-w', nodeName(1), '-c', '2', '--mem=400M'],
  size: shared(4),
  nodes: [...pair, '-w', [4, 5].map(nodeName).join()],
  gpus: [...shared(3), '--gpus-per-node=2'],
  samples: shared(2, '600M'),
  cancel: shared(3),
  canceled: shared(2),
  srun: shared(2),
  runner: shared(2),
  crash: [...pair, '-w', [6, 7].map(nodeName).join(), '--no-kill', '--no-requeue'],
  refused: shared(2),
  burst: shared(12, '1000M'),
};

/** What stands in the scripts of allocations instead of the runner alone. */
const scripts: Partial<Readonly<Record<Name, (runner: string) => readonly string[]>>> = {
  // This runner believes in more CPUs than the allocation has.
  refused: (runner) => ['export SLURM_CPUS_ON_NODE=8 SLURM_JOB_CPUS_PER_NODE=8', `exec ${runner}`],
};

/** A runner that believes that its allocation ends soon: its jobs have 85 s, and it starts none with less than 60 s. */
const endingSoon = (name: Warning) => (runner: string) => [
  `end=$(($(date +%s) + 85 + ${/headroom_seconds: (\d+)/.exec(warnings[name][0])?.[1]})) play=$(mktemp $PWD/squeue-XXXXXX)`,
  String.raw`printf '#!/bin/sh\ncase "$*" in *--steps*) exec squeue "$@" ;; esac\ndate -d @%s +%%FT%%T\n' $end > $play; chmod +x $play`,
  'export SLURM_JOB_END_TIME=$end TORC_FAKE_SQUEUE=$play',
  runner,
];

describe.skipIf(slurmIsMissing !== undefined)('jobs as steps of a real Slurm allocation', { timeout: 300_000 }, () => {
  let cluster: Cluster;
  let folder: string;
  let server: RunningServer;
  let lane: ReturnType<typeof byHand>;
  /** Everything runs while the tests look at one after the other. */
  let begun: Record<Name, { readonly id: number; readonly job: string }>;
  let endsId: number;
  let warnedIds: Readonly<Record<Warning, number>>;
  let endsJob: string;
  /** Settles when nothing is left on the node that crashed. */
  let crashed: Promise<void>;
  let burst: Promise<void>;
  beforeAll(async () => {
    cluster = await startCluster({ nodes: 7, cpusPerNode: 16 });
    folder = temporaryFolder();
    server = await startServer(folder);
    lane = byHand({ cluster, folder, server });
    endsId = await slowlyEnding();
    warnedIds = Object.fromEntries(
      await Promise.all((Object.keys(warnings) as Warning[]).map(async (name) => [name, await warn(name)] as const)),
    ) as typeof warnedIds;
    const names = Object.keys(flows) as Name[];
    begun = Object.fromEntries(await Promise.all(names.map(async (name) => [name, await begin(name)]))) as typeof begun;
    for (const act of [(crashed = crash()), (burst = cancelInBurst())]) act.catch(() => {});
  }, 240_000);

  const nothingIsLeft = (id: number) => leftovers({ cluster, server }).gone(id);

  const begin = async (name: Name) => {
    const id = await lane.created(name, flows[name]);
    const job = lane.allocated(id, [...options[name], '-t', '20'], scripts[name]);
    return { id, job };
  };

  const warn = async (name: Warning): Promise<number> => {
    const id = await lane.created(`warned_${name}`, warned(name));
    lane.allocated(id, [...shared(2), '-t', '20'], endingSoon(name));
    return id;
  };

  /** A workflow whose allocation is short. Its time passes while the other tests run. */
  const slowlyEnding = async (): Promise<number> => {
    const id = await lane.created('ends', ends);
    const job = lane.allocated(id, [...shared(5, '1000M'), '-t', '3']);
    endsJob = job;
    await lane.there('ends-', 4);
    const jobs = await lane.jobsOf(id);
    const lines = cluster.run('squeue', '--steps', '-h', '-j', job, '-o', '%i|%j').split('\n');
    const stepOf = (name: string) => {
      const jobId = jobs.find((each) => each.name === name)?.id;
      return lines.find((line) => line.trim().endsWith(`_j${jobId}_r1_a1`))?.split('|')[0] as string;
    };
    cluster.run('scancel', stepOf('canceled'));
    cluster.run('scancel', '-s', 'TERM', stepOf('handled'));
    return id;
  };

  const cancelInBurst = async (): Promise<void> => {
    await until(
      () => readdirSync(folder).some((name) => name.startsWith('burst-')),
      (is) => is,
      'a job to run',
      120_000,
    );
    cluster.run('scancel', begun.burst.job);
  };

  const crash = async (): Promise<void> => {
    await lane.there('crash-now', 1);
    cluster.node('crash', nodeName(7));
    await leftovers({ cluster, server }).gone(begun.crash.id, 30);
  };

  it('a job is a step with its name, its output and its result, and its accounting is stored', async () => {
    const { id, job } = begun.results;
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
    expect(
      stats.every(({ slurm_job_id: slurmJob, node_list: nodes }) => slurmJob === job && nodes === nodeName(1)),
    ).toBe(true);
    // The runner removes them when it ends, which is later than its last result.
    await until(
      () => readdirSync(join(folder, `out-${id}`)).filter((each) => each.startsWith('job_runner_steps')),
      (left) => left.length === 0,
      'the files of its steps to be removed',
    );
  });

  it('a step has the CPUs and the memory that its job asks for', async () => {
    const { id, job } = begun.size;
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
  });

  it('a job on two nodes runs once and reaches both, and a runner uses all nodes of its allocation', async () => {
    const { id } = begun.nodes;
    const results = await lane.finished(id);
    expect(Object.values(results).map(({ status }) => status)).toEqual(['completed', 'completed', 'completed']);
    const printed = (name: string) => {
      const { job_id: job, run_id: run } = results[name] as Result;
      return readFileSync(join(folder, `out-${id}/job_stdio/job_wf${id}_j${job}_r${run}_a1.o`), 'utf8');
    };
    expect(printed('two')).toBe(`once on 2\n${nodeName(4)}\n${nodeName(5)}\n`);
    expect([printed('one_1'), printed('one_2')].sort()).toEqual([`${nodeName(4)}\n`, `${nodeName(5)}\n`]);
    const { items: stats } = await server.client.listSlurmStats({ query: { workflow_id: id } });
    expect(stats.find(({ job_id: job }) => job === results['two']?.job_id)?.node_list).toBe(nodeName('[4-5]'));
    expect((await server.client.listComputeNodes({ query: { workflow_id: id } })).items).toMatchObject([
      { num_nodes: 2 },
    ]);
  });

  it('jobs with GPUs have different ones, and a job without has none and waits for none', async () => {
    const { id } = begun.gpus;
    const results = await lane.finished(id);
    const printed = Object.entries(results).map(([name, { job_id: job }]) => [
      name,
      readFileSync(join(folder, `out-${id}/job_stdio/job_wf${id}_j${job}_r1_a1.o`), 'utf8').trim(),
    ]);
    const devices = Object.fromEntries(printed) as Record<string, string>;
    expect([devices['gpu_1'] ?? '', devices['gpu_2'] ?? ''].sort()).toEqual(['[0]', '[1]']);
    expect(devices['none']).toBe('[]');
  });

  it('all jobs of a canceled allocation are reported as terminated', async () => {
    const { id, job } = begun.cancel;
    await lane.there('long-', 3);
    cluster.run('scancel', job);
    const results = await lane.finished(id);
    expect(Object.values(results).map(({ status }) => status)).toEqual(['terminated', 'terminated', 'terminated']);
    await nothingIsLeft(id);
  });

  it('a job that is sampled has its CPU and memory, and the peak is near what it allocates', async () => {
    const { id, job } = begun.samples;
    const { busy } = await lane.finished(id);
    expect(busy?.status).toBe('completed');
    expect(busy?.peak_memory_bytes).toBeGreaterThan(85e6);
    expect(busy?.peak_cpu_percent).toBeGreaterThan(0);
    expect(busy?.avg_memory_bytes).toBeGreaterThan(0);
    expect(busy?.avg_memory_bytes).toBeLessThanOrEqual(busy?.peak_memory_bytes ?? 0);
    const [stats] = (await server.client.listSlurmStats({ query: { workflow_id: id } })).items;
    expect(stats?.max_rss_bytes).toBeGreaterThan(85e6);
    const fields = 'JobName,MaxRSS,MaxVMSize,MaxDiskRead,MaxDiskWrite';
    const rows = cluster.run('sacct', '-j', job, '-P', '-n', '--format', fields).split('\n');
    const [, ...sizes] = rows.find((row) => row.startsWith(`wf${id}_j`))?.split('|') ?? [];
    expect([
      stats?.max_rss_bytes,
      stats?.max_vm_size_bytes,
      stats?.max_disk_read_bytes,
      stats?.max_disk_write_bytes,
    ]).toEqual(sizes.map(parseSlurmMemory));
    // It may use five seconds of CPU; how long that takes depends on the machine.
    const cpuSeconds = stats?.ave_cpu_seconds ?? 0;
    expect(cpuSeconds).toBeGreaterThanOrEqual(3);
    expect(busy?.avg_cpu_percent).toBeCloseTo((cpuSeconds / ((busy?.exec_time_minutes ?? 0) * 60)) * 100, 3);
    const file = readdirSync(join(folder, `out-${id}/resource_utilization`)).find((name) => name.endsWith('.db'));
    expect(file).toBeDefined();
  });

  it('a workflow that is canceled ends its steps, and their jobs have no result', async () => {
    const { id } = begun.canceled;
    await lane.there('run-', 2);
    await server.client.cancelWorkflow({ params: { id } });
    expect(await lane.finished(id)).toEqual({});
    const { items } = await server.client.listJobs({ query: { workflow_id: id } });
    expect(items.map(({ status }) => status)).toEqual(['canceled', 'canceled']);
    await nothingIsLeft(id);
  });

  const sruns = (id: number) => cluster.processes(`^srun.*--job-name=wf${id}_`);

  it('the srun of a job has the options that its requirements and its allocation ask for', async () => {
    const { id, job } = begun.srun;
    await lane.there('lost-', 1);
    const words = readFileSync(`/proc/${sruns(id)[0]}/cmdline`, 'utf8').split('\0');
    const options = words.slice(1, words.indexOf('bash')).filter((word) => word !== '--gpus=0');
    expect(options).toEqual([
      `--jobid=${job}`,
      '--ntasks=1',
      '--cpu-bind=none',
      '--exact',
      expect.stringMatching(new RegExp(`^--job-name=wf${id}_j\\d+_r1_a1$`)),
      '--nodes=1',
      '--cpus-per-task=1',
      '--mem=50M',
      // Twenty minutes without the headroom of one, less what has passed before.
      expect.stringMatching(/^--time=1[5-8]$/),
    ]);
  });

  it('a job whose srun is killed still runs, and ends when its workflow is canceled', async () => {
    const { id } = begun.srun;
    await lane.there('lost-', 1);
    // First its child, which ends the step when it sees the end of its parent.
    for (const pid of sruns(id).toReversed()) process.kill(pid, 'SIGKILL');
    await until(
      () => lane.logOf(id),
      (text) => text.includes('srun has ended, and perhaps not its step'),
      'the runner to see the end of srun',
    );
    expect((await lane.jobsOf(id)).map(({ status }) => status)).toEqual(['running']);
    await server.client.cancelWorkflow({ params: { id } });
    expect(await lane.finished(id)).toEqual({});
    await nothingIsLeft(id);
  });

  it('a job on a node that fails is never completed, although srun exits with 0, and nothing is left of it', async () => {
    const results = Object.values(await lane.finished(begun.crash.id));
    expect(results.map(({ status, return_code: code }) => `${status} ${code}`).sort()).toEqual([
      'completed 0',
      'failed 137',
    ]);
    await crashed;
  });

  it('a step that Slurm refuses leaves its job ready', async () => {
    const { id, job } = begun.refused;
    await until(
      () => lane.logOf(id),
      (text) => /More processors requested than permitted|Unable to create step for job/.test(text),
      'the reason in the log',
    );
    cluster.run('scancel', job);
    expect(await lane.finished(id)).toEqual({});
    expect((await lane.jobsOf(id)).map(({ status }) => status)).toEqual(['ready']);
  });

  it('an allocation that is canceled in a burst of starts loses no job, and no attempt is without an end', async () => {
    const { id } = begun.burst;
    await burst;
    await lane.finished(id);
    const jobs = await lane.jobsOf(id);
    expect(jobs.filter(({ status }) => !['ready', 'completed', 'terminated'].includes(String(status)))).toEqual([]);
    const { items: results } = await server.client.listResults({ query: { workflow_id: id } });
    expect(results).toHaveLength(jobs.filter(({ status }) => status !== 'ready').length);
    await nothingIsLeft(id);
  });

  it.each(Object.keys(warnings) as Warning[])(
    'with the settings of %s a job hears the signal of its workflow as long before its end as the workflow says',
    async (name) => {
      const { leaves, stays } = await lane.finished(warnedIds[name]);
      expect([leaves?.status, leaves?.return_code]).toEqual(['completed', 0]);
      expect([stays?.status, stays?.return_code]).toEqual(['terminated', 152]);
      const lines = readFileSync(join(folder, `warned-${name}`), 'utf8')
        .trim()
        .split('\n');
      const timeOf = (line: string | undefined) => Number(line?.split(' ')[1]);
      const leadSeconds = timeOf(lines.at(-1)) - timeOf(lines.find((line) => line.startsWith('signal')));
      expect(Math.abs(leadSeconds - warnings[name][1])).toBeLessThan(4);
    },
  );

  it('no step and no process is left of a runner that was killed', async () => {
    const { id } = begun.runner;
    await lane.there('apart-', 1);
    const { items } = await server.client.listComputeNodes({ query: { workflow_id: id } });
    process.kill(items[0]?.pid as number, 'SIGKILL');
    await nothingIsLeft(id);
  });

  it('each kind of end has its result: memory, a person, a signal, the time limit', async () => {
    const results = await lane.finished(endsId);
    expect(
      Object.fromEntries(Object.entries(results).map(([name, each]) => [name, [each.status, each.return_code]])),
    ).toEqual({
      memory: ['failed', 137],
      canceled: ['failed', 137],
      handled: ['failed', 5],
      late: ['terminated', 152],
      late_handled: ['completed', 0],
    });
    const states = cluster.run('sacct', '-j', endsJob, '-P', '-n', '--format', 'JobName,State').split('\n');
    expect(states).toContain(`wf${endsId}_j${results['late']?.job_id}_r1_a1|TIMEOUT`);
    // A person ended it: that is no lack of memory.
    const explained = await lane.call('jobs', 'explain', String(results['canceled']?.job_id));
    // A busy accounting may say by whom only after the result.
    expect(explained.stdout).toMatch(/user 0 canceled its step|nothing says by whom/);
    expect(explained.stdout).not.toContain('more memory than it asked for');
  });
});
