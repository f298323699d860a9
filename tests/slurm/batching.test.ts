import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Result } from '../../src/core/contract/result.ts';
import { type RunningServer, startServer, temporaryFolder, until } from '../support/programs.ts';
import { byHand } from './by-hand.ts';
import { leftovers } from './leftovers.ts';
import { type Cluster, nodeName, slurmIsMissing, startCluster } from './cluster.ts';

/** As many as this machine has, so that Slurm's CPUs are real ones; two at least, for two jobs at a time. */
const CPUS = Math.max(2, availableParallelism());

const head = `resource_requirements:
  - {name: small, num_cpus: 1, memory: 60m, runtime: PT1M}
  - {name: gpu, num_cpus: 1, num_gpus: 1, memory: 60m, runtime: PT1M}
  - {name: both, num_cpus: 1, memory: 60m, runtime: PT1M, num_nodes: 2}
`;
const batching = 'execution_config: {mode: slurm, step_batching: true}\n';

const flows = {
  results: `${head}${batching}jobs:
  - {name: good, resource_requirements: small, command: "echo $TORC_JOB_NAME [$SLURM_STEP_ID] [$SLURM_NTASKS]; echo trouble >&2"}
  - {name: high, resource_requirements: small, command: "exit 200"}
  - {name: segfault, resource_requirements: small, command: "kill -SEGV $$"}
  - {name: missing, resource_requirements: small, command: "/no/such/program"}
  - {name: after, resource_requirements: small, command: "true", depends_on: [good]}
  - {name: "cpu_{i}", parameters: {i: "1:2"}, resource_requirements: small, command: "touch cpu-{i}; until [ $(ls cpu-* | wc -l) = 2 ]; do sleep 0.05; done; grep Cpus_allowed_list /proc/self/status"}
`,
  nodes: `${head}${batching}jobs:
  - {name: two, resource_requirements: both, command: "echo once on $SLURM_STEP_NUM_NODES; srun --overlap -N2 -n2 printenv SLURMD_NODENAME | sort"}
  - {name: "gpu_{i}", parameters: {i: "1:4"}, resource_requirements: gpu, command: "touch gpu-{i}; until [ $(ls gpu-* | wc -l) = 4 ]; do sleep 0.05; done; echo $SLURMD_NODENAME $CUDA_VISIBLE_DEVICES"}
  - {name: none, resource_requirements: small, command: "echo [$CUDA_VISIBLE_DEVICES]; srun --overlap -N2 -n2 printenv SLURMD_NODENAME | sort"}
`,
  memory: `${head}${batching}jobs:
  - {name: large, resource_requirements: small, command: "(head -c 200M /dev/zero | tail | sleep 120) & wait"}
  - {name: modest, resource_requirements: small, command: "until [ -e go-modest ]; do sleep 0.1; done"}
`,
  launcher: `${head}${batching}jobs:
  - {name: held, resource_requirements: small, command: "touch launcher-1; sleep 600"}
  - {name: apart, resource_requirements: small, command: "setsid sleep 600 & touch launcher-2; wait"}
  - {name: next, resource_requirements: small, command: "true", depends_on: [held, apart], cancel_on_blocking_job_failure: false}
`,
  runner: `${head}${batching}jobs:
  - {name: held, resource_requirements: small, command: "trap '' TERM; touch orphan-1; sleep 600"}
  - {name: apart, resource_requirements: small, command: "setsid sleep 600 & touch orphan-2; wait"}
`,
  deadline: `${head}execution_config: {mode: slurm, step_batching: true, srun_termination_signal: "USR1@4", sigkill_headroom_seconds: 4}
jobs:
  - {name: asked, resource_requirements: small, command: "trap 'exit 0' USR1; touch deadline-1; while :; do sleep 0.1; done"}
  - {name: deaf, resource_requirements: small, command: "trap '' USR1 TERM; touch deadline-2; (setsid sleep 600) & while :; do sleep 0.1; done"}
`,
  ended: `${head}${batching}jobs:
  - {name: plain, resource_requirements: small, command: "touch ended-1; sleep 600"}
  - {name: clean, resource_requirements: small, command: "trap 'sleep 1; exit 3' TERM; touch ended-2; while :; do sleep 0.1; done"}
`,
  canceled: `${head}${batching}jobs:
  - {name: plain, resource_requirements: small, command: "touch canceled-1; sleep 600"}
  - {name: clean, resource_requirements: small, command: "trap 'exit 3' TERM; touch canceled-2; while :; do sleep 0.1; done"}
`,
  single: `${head}execution_config: {mode: slurm, step_batching: true, srun_termination_signal: "TERM@2"}
jobs:
  - {name: clean, resource_requirements: small, command: "trap 'echo asked; exit 3' TERM; touch single-1; while :; do sleep 0.1; done"}
  - {name: deaf, resource_requirements: small, command: "trap '' TERM; touch single-2; while :; do sleep 0.1; done"}
  - {name: next, resource_requirements: small, command: "echo next"}
`,
  step: `${head}execution_config: {mode: slurm, srun_termination_signal: "TERM@2"}
jobs:
  - {name: clean, resource_requirements: small, command: "trap 'echo asked; exit 3' TERM; touch step-1; while :; do sleep 0.1; done"}
  - {name: deaf, resource_requirements: small, command: "trap '' TERM; touch step-2; while :; do sleep 0.1; done"}
  - {name: next, resource_requirements: small, command: "echo next"}
`,
  ahead: `${head}${batching}jobs:
  - {name: "early_{i}", parameters: {i: "1:200"}, resource_requirements: small, command: "echo $TORC_JOB_ID begins >> ahead; echo $TORC_JOB_ID ends >> ahead"}
  - {name: killer, resource_requirements: small, command: "kill -9 $PPID; sleep 600"}
  - {name: "late_{i}", parameters: {i: "1:200"}, resource_requirements: small, command: "echo $TORC_JOB_ID begins >> ahead; echo $TORC_JOB_ID ends >> ahead"}
`,
  srun: `${head}${batching}jobs:
  - {name: held, resource_requirements: small, command: "trap '' TERM; touch srun-1; sleep 600"}
  - {name: apart, resource_requirements: small, command: "setsid sleep 600 & touch srun-2; wait"}
`,
} as const;

type Name = keyof typeof flows;

/** More than the usual options of an allocation. Nodes that are named are kept free of the others. */
const more: { readonly [N in Name]?: readonly string[] } = {
  results: ['-w', nodeName(9)],
  nodes: ['-w', [10, 11].map(nodeName).join(), '-N', '2', '--ntasks-per-node=1', '--gpus-per-node=2'],
  runner: ['-N', '2', '--ntasks-per-node=1'],
};

describe.skipIf(slurmIsMissing !== undefined)('jobs inside one long step of a node', { timeout: 240_000 }, () => {
  let cluster: Cluster;
  let folder: string;
  let server: RunningServer;
  let lane: ReturnType<typeof byHand>;
  let begun: Record<Name, { readonly id: number; readonly job: string }>;
  beforeAll(async () => {
    cluster = await startCluster({ nodes: 14, cpusPerNode: CPUS, set: ['KillWait=20'] });
    folder = temporaryFolder();
    server = await startServer(folder);
    lane = byHand({ cluster, folder, server });
    // All of them run while the tests look at one after the other.
    const names = Object.keys(flows) as Name[];
    begun = Object.fromEntries(await Promise.all(names.map(async (name) => [name, await begin(name)]))) as typeof begun;
  }, 240_000);

  const begin = async (name: Name) => {
    const id = await lane.created(name, flows[name]);
    const place = more[name]?.[0] === '-w' ? [] : ['-x', [9, 10, 11].map(nodeName).join()];
    const options = ['-c', String(CPUS), '--mem=700M', '-t', '10', ...place, ...(more[name] ?? [])];
    // The runner of this one believes that its allocation ends soon.
    const lines = (runner: string) => [
      'end=$(($(date +%s) + 32)) play=$PWD/squeue-of-deadline',
      String.raw`printf '#!/bin/sh\ndate -d @%s +%%FT%%T\n' $end > $play; chmod +x $play`,
      'export SLURM_JOB_END_TIME=$end TORC_FAKE_SQUEUE=$play',
      runner,
    ];
    return { id, job: lane.allocated(id, options, name === 'deadline' ? lines : undefined) };
  };
  const codesOf = (results: Record<string, Result>) =>
    Object.fromEntries(Object.entries(results).map(([name, each]) => [name, [each.status, each.return_code]]));
  const printed = (id: number, result: Result | undefined, stream: 'o' | 'e' = 'o') =>
    readFileSync(join(folder, `out-${id}/job_stdio/job_wf${id}_j${result?.job_id}_r1_a1.${stream}`), 'utf8');
  const stepsIn = (job: string) =>
    cluster
      .run('sacct', '-j', job, '-P', '-n', '--format', 'JobName,JobID')
      .split('\n')
      .filter((line) => line.startsWith('wf'));
  const nothingIsLeft = (id: number) => leftovers({ cluster, server }).gone(id);

  it('jobs have their results, their output and CPUs of their own, and Slurm started one step for all', async () => {
    const { id, job } = begun.results;
    const results = await lane.finished(id);
    expect(codesOf(results)).toEqual({
      good: ['completed', 0],
      high: ['failed', 200],
      segfault: ['failed', 139],
      missing: ['failed', 127],
      after: ['completed', 0],
      cpu_1: ['completed', 0],
      cpu_2: ['completed', 0],
    });
    expect([printed(id, results['good']), printed(id, results['good'], 'e')]).toEqual(['good [] []\n', 'trouble\n']);
    const [one, two] = ['cpu_1', 'cpu_2'].map((name) => printed(id, results[name]));
    expect(one).toMatch(/^Cpus_allowed_list:\s*\d+\n$/);
    expect(two).toMatch(/^Cpus_allowed_list:\s*\d+\n$/);
    expect(one).not.toBe(two);
    const steps = stepsIn(job);
    expect(steps).toHaveLength(1);
    expect(steps[0]).toMatch(new RegExp(`^wf${id}_r1_jobs_${nodeName(9)}\\|`));
    const { items: stats } = await server.client.listSlurmStats({ query: { workflow_id: id } });
    expect(stats).toHaveLength(7);
    const carrier = steps[0]?.split('|')[1];
    expect(new Set(stats.map((each) => `${each.slurm_job_id} ${each.slurm_step} ${each.node_list}`))).toEqual(
      new Set([`${job} ${carrier} ${nodeName(9)}`]),
    );
    const { stdout } = await lane.call('slurm', 'stats', String(id));
    expect(stdout).toContain(carrier);
    expect(lane.logOf(id)).toContain('A launcher starts the jobs of a node');
  });

  it('a job on two nodes is a step of its own beside the long steps, each node has one, and jobs with GPUs have different ones', async () => {
    const { id, job } = begun.nodes;
    const results = await lane.finished(id);
    expect(new Set(Object.values(codesOf(results)).map(String))).toEqual(new Set(['completed,0']));
    expect(printed(id, results['two'])).toBe(`once on 2\n${nodeName(10)}\n${nodeName(11)}\n`);
    expect(printed(id, results['none'])).toBe(`[]\n${nodeName(10)}\n${nodeName(11)}\n`);
    const gpus = [1, 2, 3, 4].map((i) => printed(id, results[`gpu_${i}`]).trim());
    expect(gpus.sort()).toEqual([10, 11].flatMap((node) => [`${nodeName(node)} 0`, `${nodeName(node)} 1`]));
    const names = stepsIn(job).map((line) => line.split('|')[0] as string);
    expect(names.sort()).toEqual([
      `wf${id}_j${results['two']?.job_id}_r1_a1`,
      `wf${id}_r1_jobs_${nodeName(10)}`,
      `wf${id}_r1_jobs_${nodeName(11)}`,
    ]);
    const { items: stats } = await server.client.listSlurmStats({ query: { workflow_id: id } });
    expect(stats.filter(({ slurm_step: step }) => step === null || step === undefined)).toMatchObject([
      { job_id: results['two']?.job_id },
    ]);
  });

  it('a job that uses more memory than it asked for is killed alone, and its result says so', async () => {
    const { id } = begun.memory;
    await until(
      async () => codesOf(await lane.resultsOf(id)),
      (codes) => codes['large'] !== undefined,
      'the large job to be killed',
    );
    cluster.run('touch', join(folder, 'go-modest'));
    const results = await lane.finished(id);
    expect(codesOf(results)).toEqual({ large: ['failed', 137], modest: ['completed', 0] });
    expect(results['large']?.peak_memory_bytes).toBeGreaterThan(60 * 2 ** 20);
    expect((await lane.call('jobs', 'explain', String(results['large']?.job_id))).stdout).toContain(
      'it used more memory than it may',
    );
    await nothingIsLeft(id);
  });

  it('a launcher that is killed ends its jobs with a named reason, those in other sessions too, and the next jobs run in a new step', async () => {
    const { id, job } = begun.launcher;
    await lane.there('launcher-', 2);
    const launchers = cluster.processes(`^[^ ]*node .*torc.mjs step-launcher wf${id}_`);
    expect(launchers).not.toEqual([]);
    for (const pid of launchers) process.kill(pid, 'SIGKILL');
    const results = await lane.finished(id);
    expect(codesOf(results)).toEqual({ held: ['failed', 137], apart: ['failed', 137], next: ['completed', 0] });
    expect(results['held']?.cause).toMatch(
      new RegExp(`^step ${job}\\.\\d+ on ${nodeName(String.raw`\d+`)}, in which it ran, ended before it`),
    );
    expect((await lane.call('jobs', 'explain', String(results['held']?.job_id))).stdout).toContain('in which it ran');
    expect(stepsIn(job)).toHaveLength(2);
    await nothingIsLeft(id);
  });

  it('of short jobs whose launcher is killed, those that were sent to it fail, the others run in a new step, and none runs twice', async () => {
    const { id, job } = begun.ahead;
    const results = Object.values(await lane.finished(id));
    const lines = readFileSync(join(folder, 'ahead'), 'utf8').trim().split('\n');
    expect(results).toHaveLength(401);
    expect(new Set(lines).size).toBe(lines.length);
    const completed = results.filter(({ status }) => status === 'completed');
    expect(completed.filter(({ job_id: each }) => !lines.includes(`${each} ends`))).toEqual([]);
    const failed = results.filter(({ status }) => status !== 'completed');
    // Those that ran at that moment, and up to two that were sent ahead to the place of each.
    expect(failed.length).toBeLessThanOrEqual(3 * CPUS);
    for (const { return_code: code, cause } of failed) {
      expect(code).toBe(137);
      expect(cause).toMatch(
        new RegExp(`^step ${job}\\.\\d+ on ${nodeName(String.raw`\d+`)}, in which it ran, ended before it`),
      );
    }
    expect(stepsIn(job)).toHaveLength(2);
    await nothingIsLeft(id);
  });

  it('jobs whose srun is killed have failed when nothing of them is left', async () => {
    const { id } = begun.srun;
    await lane.there('srun-', 2);
    const [pid] = cluster.processes(`^srun.*--job-name=wf${id}_r1_jobs`);
    process.kill(Number(pid), 'SIGKILL');
    await until(
      async () => Object.keys(await lane.resultsOf(id)),
      (ended) => ended.length === 2,
      'the jobs to have a result',
    );
    expect(leftovers({ cluster, server }).steps(id)).toEqual([]);
    expect(codesOf(await lane.finished(id))).toEqual({ held: ['failed', 137], apart: ['failed', 137] });
    await nothingIsLeft(id);
  });

  it('nothing is left of a runner that is killed, nor of its step and of what its jobs started', async () => {
    const { id } = begun.runner;
    await lane.there('orphan-', 2);
    const { items } = await server.client.listComputeNodes({ query: { workflow_id: id } });
    process.kill(items[0]?.pid as number, 'SIGKILL');
    await nothingIsLeft(id);
  });

  it('jobs of a canceled allocation are terminated, and those of a canceled workflow have no result', async () => {
    const { id: ended, job } = begun.ended;
    const { id: canceled } = begun.canceled;
    await Promise.all([lane.there('ended-', 2), lane.there('canceled-', 2)]);
    cluster.run('scancel', job);
    await server.client.cancelWorkflow({ params: { id: canceled } });
    expect(codesOf(await lane.finished(ended))).toEqual({ plain: ['terminated', 143], clean: ['terminated', 3] });
    expect(await lane.finished(canceled)).toEqual({});
    expect((await lane.jobsOf(canceled)).map(({ status }) => status)).toEqual(['canceled', 'canceled']);
    await nothingIsLeft(ended);
    await nothingIsLeft(canceled);
  });

  it.each(['single', 'step'] as const)(
    'jobs that are canceled alone get the signal of the workflow, then SIGKILL, and the next job runs in their place (%s)',
    async (name) => {
      const { id } = begun[name];
      await lane.there(`${name}-`, 2);
      const cancel = await lane.call('jobs', 'cancel', 'clean', 'deaf', '-w', String(id));
      expect(cancel.stdout).toContain(`Canceled 2 jobs of workflow ${id}`);
      const results = await lane.finished(id);
      expect(codesOf(results)).toEqual({ clean: ['canceled', 3], deaf: ['canceled', 137], next: ['completed', 0] });
      expect(printed(id, results['clean'])).toBe('asked\n');
      expect(printed(id, results['next'])).toBe('next\n');
      await nothingIsLeft(id);
    },
  );

  it('near the end of the allocation jobs get the signal of the workflow, and what is left is killed', async () => {
    const { id } = begun.deadline;
    const results = await lane.finished(id);
    expect(codesOf(results)).toEqual({ asked: ['completed', 0], deaf: ['terminated', 152] });
    await nothingIsLeft(id);
  });
});
