import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { type RunningServer, startServer, temporaryFolder, until } from '../support/programs.ts';
import { byHand } from './by-hand.ts';
import { type Cluster, memoryIsPolled, nodeName, slurmIsMissing, startCluster } from './cluster.ts';
import { leftovers } from './leftovers.ts';

const head = `resource_requirements:
  - {name: small, num_cpus: 1, memory: 60m, runtime: PT1M}
`;
/** One that cannot be asked to end, and one that left its session. */
const pair = (name: string, mode: string) => `${head}execution_config: ${mode}
jobs:
  - {name: held, resource_requirements: small, command: "trap '' TERM; touch ${name}-1; sleep 600"}
  - {name: apart, resource_requirements: small, command: "setsid sleep 600 & touch ${name}-2; wait"}
`;
const flows = {
  steps: pair('steps', '{mode: slurm}'),
  processes: pair('processes', '{mode: direct}'),
  batches: pair('batches', '{mode: slurm, step_batching: true}'),
  outlived: `${head}execution_config: {mode: slurm}
jobs:
  - {name: held, resource_requirements: small, command: "touch outlived-1; until [ -e outlived-end ]; do sleep 0.1; done; echo goes on; echo done >> held-done"}
  - {name: other, resource_requirements: small, command: "touch outlived-2; until [ -e outlived-end ]; do sleep 0.1; done; exit 3"}
  - {name: waiting, resource_requirements: small, command: "touch waiting-began; true"}
`,
  srun: pair('srun', '{mode: slurm}'),
  crash: pair('crash', '{mode: slurm}'),
  neighbors: `${head}execution_config: {mode: slurm, step_batching: true}
resource_monitor: {enabled: true, granularity: summary, sample_interval_seconds: 1}
jobs:
  - {name: light, resource_requirements: small, command: "touch neighbors-1; sleep 2"}
  - {name: heavy, resource_requirements: small, command: "touch neighbors-2; head -c 40M /dev/zero | tail | (sleep 2; cat > /dev/null)"}
`,
  memory: `${head}execution_config: {mode: slurm}
jobs: [{name: large, resource_requirements: small, command: "head -c 300M /dev/zero | tail | (head -c 1 > /dev/null; sleep 3)"}]
`,
} as const;
type Name = keyof typeof flows;

describe.skipIf(slurmIsMissing !== undefined)(
  `jobs where Slurm uses control groups${slurmIsMissing === undefined ? '' : ` (${slurmIsMissing})`}`,
  { timeout: 240_000 },
  () => {
    /** The node of one workflow alone. */
    const crashing = nodeName(6);
    let cluster: Cluster;
    let server: RunningServer;
    let folder: string;
    let lane: ReturnType<typeof byHand>;
    /** Settles when nothing is left on the node that crashed. */
    let crashed: Promise<void>;
    let begun: Record<Name, { readonly id: number; readonly job: string }>;
    beforeAll(async () => {
      cluster = await startCluster({ nodes: 6, set: ['KillWait=3'] });
      folder = temporaryFolder();
      server = await startServer(folder);
      lane = byHand({ cluster, folder, server });
      const names = Object.keys(flows) as Name[];
      const all = names.map(async (name) => {
        const id = await lane.created(name, flows[name]);
        const place = name === 'crash' ? '-w' : '-x';
        return [name, { id, job: lane.allocated(id, ['-c', '2', '--mem=400M', '-t', '10', place, crashing]) }] as const;
      });
      begun = Object.fromEntries(await Promise.all(all)) as typeof begun;
      crashed = crash();
      crashed.catch(() => {});
    }, 240_000);

    const crash = async () => {
      await lane.there('crash-', 2);
      cluster.node('crash', crashing);
      await leftovers({ cluster, server }).gone(begun.crash.id, 30);
    };

    it.for(['steps', 'processes', 'batches'] as const)(
      'nothing is left of a runner that is killed while its jobs run as %s',
      async (name) => {
        const { id } = begun[name];
        await lane.there(`${name}-`, 2);
        const { items } = await server.client.listComputeNodes({ query: { workflow_id: id } });
        process.kill(items[0]?.pid as number, 'SIGKILL');
        await leftovers({ cluster, server }).gone(id);
      },
    );

    /** Kills all processes of all sruns: first the children, each of which ends the step when it sees the end of its parent. */
    const killSruns = (id: number) => {
      for (const pid of cluster.processes(`^srun.*--job-name=wf${id}_`).toReversed()) process.kill(pid, 'SIGKILL');
    };
    /** The ids of the steps of jobs that Slurm lists. */
    const stepsOf = (job: string) =>
      cluster
        .run('squeue', '--steps', '-h', '-j', job, '-o', '%i|%j')
        .split('\n')
        .flatMap((line) => (/_j\d+_/.test(line) ? [line.split('|')[0] as string] : []));

    it('a job whose srun is killed goes on, keeps its CPU, and its end is the one of its command', async () => {
      const { id, job } = begun.outlived;
      await lane.there('outlived-', 2);
      killSruns(id);
      await until(
        () => lane.logOf(id).split('which is watched').length - 1,
        (count) => count === 2,
        'the runner to see the ends of both',
      );
      // Longer than an end was waited for before, by Slurm's clock of the allocation.
      const from = performance.now();
      await until(
        () => stepsOf(job).length,
        (count) => count !== 2 || performance.now() - from > 8_000,
        '8 s with both steps',
      );
      expect(stepsOf(job)).toHaveLength(2);
      expect(existsSync(join(folder, 'waiting-began'))).toBe(false);
      expect(await lane.resultsOf(id)).toEqual({});
      writeFileSync(join(folder, 'outlived-end'), '');
      const results = await lane.finished(id);
      const codes = Object.entries(results).map(([name, each]) => `${name} ${each.status} ${each.return_code}`);
      expect(codes.sort()).toEqual(['held completed 0', 'other failed 3', 'waiting completed 0']);
      expect(readFileSync(join(folder, 'held-done'), 'utf8')).toBe('done\n');
    });

    it('a job whose srun is killed has failed when its step is, and what it started in another session ends with it', async () => {
      const { id, job } = begun.srun;
      await lane.there('srun-', 2);
      killSruns(id);
      await until(
        () => lane.logOf(id).split('which is watched').length - 1,
        (count) => count === 2,
        'the runner to see the ends of both',
      );
      cluster.run('scancel', '-s', 'KILL', ...stepsOf(job));
      const results = await lane.finished(id);
      expect(Object.values(results).map((each) => `${each.status} ${each.return_code}`)).toEqual([
        'failed 137',
        'failed 137',
      ]);
      await leftovers({ cluster, server }).gone(id);
    });

    it.skipIf(memoryIsPolled)(
      'a job that the kernel killed for its memory is OUT_OF_MEMORY in Slurm, and has failed with 137',
      async () => {
        const { id, job } = begun.memory;
        const { large } = await lane.finished(id);
        expect([large?.status, large?.return_code]).toEqual(['failed', 137]);
        const state = await until(
          () => cluster.run('sacct', '-j', job, '-P', '-n', '--format', 'JobName,State').split('\n'),
          (rows) => rows.some((row) => row.startsWith(`wf${id}_`)),
          'the row of the step',
        );
        expect(state).toContain(`wf${id}_j${large?.job_id}_r1_a1|OUT_OF_MEMORY`);
      },
    );

    it('a job inside a long step is counted with its own memory, and not with that of the whole step', async () => {
      const { light, heavy } = await lane.finished(begun.neighbors.id);
      expect([light?.status, heavy?.status]).toEqual(['completed', 'completed']);
      expect(light?.peak_memory_bytes).toBeLessThan(20 * 2 ** 20);
      expect(heavy?.peak_memory_bytes).toBeGreaterThan(40 * 2 ** 20);
    });

    it('nothing is left of a node that crashed: no step, and no process of its jobs', async () => {
      await crashed;
    });

    // Slurm's shortest usual KillWait leaves the runner two seconds for its results: too few now and then on a busy machine.
    it(
      'all jobs of a canceled allocation have a result when Slurm kills it after three seconds, also one that ignores the signal',
      { retry: 2 },
      async () => {
        const name = `short-${Date.now()}`;
        const id = await lane.created(
          name,
          `${head}jobs:
  - {name: plain, resource_requirements: small, command: "touch ${name}-1; sleep 600"}
  - {name: clean, resource_requirements: small, command: "trap 'exit 3' TERM; touch ${name}-2; while :; do sleep 0.1; done"}
  - {name: deaf, resource_requirements: small, command: "trap '' TERM; touch ${name}-3; while :; do sleep 0.1; done"}
`,
        );
        const job = lane.allocated(id, ['-c', '3', '--mem=400M', '-t', '10', '-x', crashing]);
        await lane.there(`${name}-`, 3);
        cluster.run('scancel', job);
        const results = await until(
          () => lane.resultsOf(id),
          (found) => Object.keys(found).length === 3,
          'all jobs to have a result',
        );
        const codes = Object.entries(results).map(
          ([each, { status, return_code: code }]) => `${each} ${status} ${code}`,
        );
        expect(codes.sort()).toEqual(['clean terminated 3', 'deaf terminated 137', 'plain terminated 143']);
      },
    );
  },
);
