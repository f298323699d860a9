import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { type RunningServer, startServer, temporaryFolder, torc, until } from '../support/programs.ts';
import { clocksApart, fakeTimeIsMissing } from './clocks.ts';
import { type Cluster, nodeName, slurmIsMissing, startCluster } from './cluster.ts';

/** A requeued allocation starts again after 21 s. */
const timeout = 300_000;
const APART_SECONDS = 600;

/** A job that takes as long as its file is missing, and one that says when it is asked to end. */
const flow = (name: string, { node, command, walltime }: Shape) => `
name: ${name}
execution_config: {mode: direct, sigterm_lead_seconds: 10, sigkill_headroom_seconds: 20}
resource_requirements: [{name: one, num_cpus: 1, memory: 50m, runtime: PT1M}]
slurm_schedulers: [{name: nodes, account: any, nodes: 1, walltime: "${walltime}", mem: 500m, extra: "--nodelist=${node}"}]
jobs:
  - {name: only, resource_requirements: one, command: ${JSON.stringify(command)}}
`;

interface Shape {
  readonly node: string;
  readonly command: string;
  readonly walltime: string;
}

describe.skipIf(slurmIsMissing !== undefined || fakeTimeIsMissing !== undefined)(
  'nodes whose clocks are ten minutes from that of Slurm',
  () => {
    let cluster: Cluster;
    let folder: string;
    let server: RunningServer;
    let ends: Map<string, PromiseSettledResult<void>>;

    beforeAll(async () => {
      folder = temporaryFolder();
      const apart = clocksApart(folder, { '1': -APART_SECONDS, '2': APART_SECONDS });
      cluster = await startCluster({ nodes: 2, set: [apart] });
      server = await startServer(folder);
      // Each takes most of its time waiting for Slurm: all of them wait at once.
      const tries = WAYS.flatMap(([clock, node]) =>
        ACTS.map(([what, act]) => [`${clock}: ${what}`, act, node] as const),
      );
      const settled = await Promise.allSettled(
        tries.map(([name, act, node]) => act(name.replaceAll(/\W+/g, '_'), node)),
      );
      ends = new Map(tries.map(([name], at) => [name, settled[at] as PromiseSettledResult<void>]));
    }, timeout);

    const call = (...args: string[]) =>
      torc(['--url', server.url, ...args], { cwd: folder, environment: cluster.environment });
    const well = async (...args: string[]) => {
      const ended = await call(...args);
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
    const begin = async (name: string, shape: Shape) => {
      writeFileSync(join(folder, `${name}.yaml`), flow(name, shape));
      const id = Number(/\d+/.exec((await well('create', `${name}.yaml`)).stdout)?.[0]);
      await well('workflows', 'init', String(id));
      const { stderr } = await well('slurm', 'schedule-nodes', String(id), '-o', `out-${id}`, '-p', '1');
      await isRunning(id, 1);
      return { id, allocation: /with ID=(\d+)/.exec(stderr)?.[1] as string };
    };
    const resultsOf = async (id: number) =>
      (await server.client.listResults({ query: { workflow_id: id, all_runs: true } })).items;
    const completes = async (id: number, name: string, earlier: readonly string[] = []) => {
      writeFileSync(join(folder, name), '');
      await until(
        () => jobOf(id),
        ({ status }) => status !== 'running',
        'the job to end',
      );
      const results = await resultsOf(id);
      expect(results.map(({ status, return_code: code }) => `${status} ${code}`)).toEqual([...earlier, 'completed 0']);
    };
    const runnerOf = async (id: number) =>
      (await server.client.listComputeNodes({ query: { workflow_id: id, is_active: true } })).items[0];
    /** The clock is apart, or this proves nothing. */
    const isApart = async (id: number) => {
      const { process: about } = (await runnerOf(id)) ?? {};
      expect(Math.abs(Math.abs(about?.clock_ahead_seconds ?? 0) - APART_SECONDS)).toBeLessThan(30);
    };

    const waits = (name: string) => `until [ -e ${name} ]; do sleep 0.1; done`;

    const recovered = async (name: string, node: string) => {
      const { id } = await begin(name, { node, command: waits(name), walltime: '00:20:00' });
      await isApart(id);
      const { code, stderr } = await call('recover', String(id), '--no-prompts');
      expect([code, stderr]).toEqual([
        1,
        expect.stringContaining('cannot be recovered: 1 of its allocations wait or run'),
      ]);
      await well('workflows', 'sync-status', String(id));
      expect(await jobOf(id)).toEqual({ status: 'running', attempt: 1 });
      await completes(id, name);
    };

    const requeued = async (name: string, node: string) => {
      const { id, allocation } = await begin(name, { node, command: waits(name), walltime: '00:20:00' });
      await isApart(id);
      cluster.run('scontrol', 'requeue', allocation);
      await until(
        () => cluster.run('squeue', '-h', '-j', allocation, '-o', '%T').trim(),
        (state) => state === 'PENDING',
        'the allocation to wait again',
      );
      await well('workflows', 'sync-status', String(id));
      expect(await jobOf(id)).toEqual({ status: 'ready', attempt: 2 });
      await isRunning(id, 2);
      // The attempt that was lost, and the one that ran again.
      await completes(id, name, ['failed -128']);
    };

    const ended = async (name: string, node: string) => {
      const command = `trap 'touch asked-${name}; exit 3' TERM; sleep 600 & wait $!`;
      const { id } = await begin(name, { node, command, walltime: '00:02:00' });
      await isApart(id);
      const { start_time: start = '', end_time: end } = (await runnerOf(id)) ?? {};
      const seconds = (Date.parse(end ?? '') - Date.parse(start)) / 1000;
      expect(seconds).toBeGreaterThan(90);
      expect(seconds).toBeLessThanOrEqual(121);
      // By the clock of the server too.
      const { max_allocation_remaining_seconds: left } = await server.client.getWorkflowStatus({ params: { id } });
      expect(left).toBeGreaterThan(60);
      expect(left).toBeLessThanOrEqual(121);
      await until(
        () => jobOf(id),
        ({ status }) => status !== 'running',
        'the job to be ended',
        150_000,
      );
      expect(existsSync(join(folder, `asked-${name}`))).toBe(true);
      expect((await resultsOf(id)).map(({ status, return_code: code }) => `${status} ${code}`)).toEqual([
        'terminated 3',
      ]);
    };

    const WAYS = [
      ['on a node that is behind', nodeName(1)],
      ['on a node that is ahead', nodeName(2)],
    ] as const;
    const ACTS = [
      ['recover is refused while the allocation runs, and its job goes on', recovered],
      ['a job of a requeued allocation runs again as a new attempt', requeued],
      ['a job has the time of its allocation, and is asked to end before it is over', ended],
    ] as const;

    it.for(WAYS.flatMap(([clock]) => ACTS.map(([what]) => `${clock}: ${what}`)))('%s', (name) => {
      const end = ends.get(name);
      if (end?.status === 'rejected') throw end.reason;
    });
  },
);
