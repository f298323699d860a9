import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { type RunningServer, startServer, temporaryFolder, torc, until } from '../support/programs.ts';
import { type Cluster, slurmIsMissing, startCluster } from './cluster.ts';

const MEBIBYTE = 2 ** 20;
/** What bash, head, tail and sleep of a job use themselves. */
const OWN_BYTES = 12 * MEBIBYTE;
/** Allocates so many MiB at once, and holds them for three seconds more: tail writes when it has read all, and waits for its reader. */
const hold = (mebibytes: string) => `head -c ${mebibytes}M /dev/zero | tail | (head -c 1 > /dev/null; sleep 3)`;
const SIZES = Array.from({ length: 57 }, (_, at) => 20 + Math.round((at * 180) / 56));
const SCHEDULERS = { one: 5, wide: 1 };

const flow = `
name: acceptance
compute_node_wait_for_new_jobs_seconds: 1
execution_config: {mode: slurm}
resource_requirements:
  - {name: one, num_cpus: 1, memory: 300m, runtime: PT1M}
  - {name: gpu, num_cpus: 1, num_gpus: 1, memory: 300m, runtime: PT1M}
  - {name: both, num_cpus: 1, memory: 300m, runtime: PT1M, num_nodes: 2}
slurm_schedulers:
  - {name: one, account: any, nodes: 1, walltime: "00:10:00", mem: 1300m, extra: "--cpus-per-task=4"}
  - {name: wide, account: any, nodes: 2, walltime: "00:10:00", mem: 1300m, extra: "--ntasks-per-node=1 --cpus-per-task=4 --gpus-per-node=1"}
jobs:
  - {name: "hold_{m}", parameters: {m: "[${SIZES.join(',')}]"}, command: "${hold('{m}')}", resource_requirements: one}
  - {name: "gpu_{i}", parameters: {i: "1:2"}, command: "${hold('100')}", resource_requirements: gpu, scheduler: wide}
  - {name: both, command: "${hold('100')}; srun --overlap -N2 -n2 printenv SLURMD_NODENAME | sort", resource_requirements: both, scheduler: wide}
actions:
  - {trigger_type: on_workflow_start, action_type: schedule_nodes, scheduler: wide, scheduler_type: slurm, num_allocations: ${SCHEDULERS.wide}}
  - {trigger_type: on_workflow_start, action_type: schedule_nodes, scheduler: one, scheduler_type: slurm, num_allocations: ${SCHEDULERS.one}}
`;

/** A row of sacct: an allocation, or a step of it. */
interface Row {
  readonly id: string;
  readonly name: string;
  readonly rss: string;
  readonly cpu: string;
  readonly nodes: string;
  readonly start: number;
  readonly end: number;
  readonly use: Readonly<Record<string, number>>;
}

const FIELDS = 'JobIDRaw,JobName,MaxRSS,AveCPU,NodeList,Start,End,AllocTRES';

function rowOf(line: string): Row {
  const [id = '', name = '', rss = '', cpu = '', nodes = '', start = '', end = '', tres = ''] = line.split('|');
  const use = tres.split(',').map((each): [string, number] => {
    const [key = '', amount = ''] = each.split('=');
    return [key, Number.parseFloat(amount) * (amount.endsWith('G') ? 1024 : 1)];
  });
  const times = { start: Date.parse(start), end: Date.parse(end) };
  return { id, name, rss, cpu, nodes, ...times, use: Object.fromEntries(use) };
}

describe.skipIf(slurmIsMissing !== undefined)('60 jobs on a real Slurm cluster, from torc submit to the end', () => {
  let cluster: Cluster;
  let folder: string;
  let server: RunningServer;
  beforeAll(async () => {
    cluster = await startCluster({ nodes: 3, cpusPerNode: 8 });
    folder = temporaryFolder();
    server = await startServer(folder);
  });

  /** sbatch, with a line for each call. */
  const counting = (): Record<string, string> => {
    const bin = join(folder, 'bin');
    mkdirSync(bin);
    const path = cluster.environment['PATH'] as string;
    const lines = ['#!/bin/bash', `echo "$*" >> '${folder}/sbatch-calls'`, `PATH='${path}' exec sbatch "$@"`];
    writeFileSync(join(bin, 'sbatch'), lines.join('\n'));
    chmodSync(join(bin, 'sbatch'), 0o755);
    return { ...cluster.environment, PATH: [bin, path].join(delimiter) };
  };

  it('60 jobs on a real Slurm cluster, from torc submit to the end have their results, their peaks and their accounting, and no allocation has more in use than it has', async () => {
    writeFileSync(join(folder, 'flow.yaml'), flow);
    const environment = counting();
    const args = ['--url', server.url, '-f', 'json', 'submit', 'flow.yaml', '-o', 'out', '-p', '1'];
    const { code, stdout, stderr } = await torc(args, { cwd: folder, environment });
    expect([code, stderr]).toEqual([0, expect.stringContaining('with ID=')]);
    const id = (JSON.parse(stdout) as { workflow_id: number }).workflow_id;
    const query = { workflow_id: id };
    await until(
      async () => (await server.client.listScheduledComputeNodes({ query })).items.map(({ status }) => status),
      (states) => states.every((status) => status === 'complete' || status === 'canceled'),
      'the allocations to end',
      240_000,
    );

    const { items: jobs } = await server.client.listJobs({ query });
    expect(jobs.map(({ status, attempt_id: attempt }) => `${status} ${attempt}`)).toEqual(
      Array.from({ length: 60 }, () => 'completed 1'),
    );
    const nameOf = new Map(jobs.map((job) => [job.id, job.name]));
    const { items: results } = await server.client.listResults({ query });
    const peaks = results.map(({ job_id: job, peak_memory_bytes: peak }) => {
      const name = nameOf.get(job) as string;
      const held = (name.startsWith('hold_') ? Number(name.slice(5)) : 100) * MEBIBYTE;
      return { name, peak: peak ?? 0, least: held * 0.85, most: held * 1.15 + OWN_BYTES };
    });
    expect(peaks).toHaveLength(60);
    expect(peaks.filter(({ peak, least, most }) => peak < least || peak > most)).toEqual([]);
    expect(results.filter(({ exec_time_minutes: minutes }) => minutes * 60 < 3)).toEqual([]);

    // The accounting is stored as sacct prints it.
    const allocations = [...stderr.matchAll(/with ID=(\d+)/g)].map(([, job]) => job as string);
    const rows = cluster
      .run('sacct', '-j', allocations.join(','), '-P', '-n', '--noconvert', '--format', FIELDS)
      .trim()
      .split('\n')
      .map(rowOf);
    const steps = rows.filter(({ name }) => name.startsWith(`wf${id}_j`));
    const { items: stats } = await server.client.listSlurmStats({ query });
    const seconds = (text: string) => text.split(':').reduce((sum, part) => sum * 60 + Number(part), 0);
    expect(
      stats
        .map((each) => ({
          step: `wf${id}_j${each.job_id}_r${each.run_id}_a${each.attempt_id}`,
          allocation: each.slurm_job_id,
          rss: each.max_rss_bytes,
          cpu: each.ave_cpu_seconds,
          nodes: each.node_list,
        }))
        .toSorted((a, b) => a.step.localeCompare(b.step)),
    ).toEqual(
      steps
        .map(({ id: step, name, rss, cpu, nodes }) => ({
          step: name,
          allocation: step.split('.')[0],
          rss: Number(rss),
          cpu: seconds(cpu),
          nodes,
        }))
        .toSorted((a, b) => a.step.localeCompare(b.step)),
    );
    expect(stats).toHaveLength(60);

    // At the start of each step, the steps of its allocation together have no more than it has.
    const usedNodes = new Set<string>();
    for (const allocation of rows.filter((row) => allocations.includes(row.id))) {
      const own = steps.filter((row) => row.id.startsWith(`${allocation.id}.`));
      for (const { nodes } of own) usedNodes.add(nodes);
      for (const { start } of own) {
        const running = own.filter((row) => row.start <= start && start < row.end);
        for (const resource of ['cpu', 'mem', 'gres/gpu']) {
          const used = running.reduce((sum, { use }) => sum + (use[resource] ?? 0), 0);
          expect(used, `${resource} of allocation ${allocation.id}`).toBeLessThanOrEqual(allocation.use[resource] ?? 0);
        }
      }
    }
    expect(usedNodes.size).toBeGreaterThan(2);
    expect(new Set(steps.map((row) => row.id.split('.')[0])).size).toBeGreaterThanOrEqual(3);
    const both = jobs.find(({ name }) => name === 'both')?.id;
    expect(readFileSync(join(folder, `out/job_stdio/job_wf${id}_j${both}_r1_a1.o`), 'utf8').split('\n')).toHaveLength(
      3,
    );

    const lines = readFileSync(join(folder, 'sbatch-calls'), 'utf8').trim().split('\n');
    const calls = lines.filter((line) => !line.includes('--test-only'));
    // The allocations of a scheduler are equal: one job array.
    expect([calls.length, allocations.length]).toEqual([2, 6]);
    expect(cluster.run('squeue', '-h', '-t', 'PENDING,CONFIGURING')).toBe('');
  }, 300_000);
});
