import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { type RunningServer, startServer, temporaryFolder, until } from '../support/programs.ts';
import { byHand } from './by-hand.ts';
import { type Cluster, nodeName, startCluster, whyNoSlurm } from './cluster.ts';

/** What is decisive, on the newest release that is at hand: that of `TORC_TEST_SLURM`, or an archive in `shared/slurm` beside the checkout. */
const [newest] = [
  process.env['TORC_TEST_SLURM'] || [],
  globSync(resolve(import.meta.dirname, '../../../shared/slurm/slurm-*.tar.xz'))
    .sort()
    .toReversed(),
].flat();
const missing =
  newest === undefined ? 'TORC_TEST_SLURM names none, and there is none in ../shared/slurm' : whyNoSlurm(newest);

const head = `execution_config: {mode: slurm}
resource_requirements: [{name: one, num_cpus: 1, memory: 60m, runtime: PT5M}]
`;
const job = (name: string, command: string) =>
  `  - {name: ${name}, resource_requirements: one, command: ${JSON.stringify(command)}}\n`;

const flows = {
  code: `jobs:\n${job('code', 'exit 200')}`,
  cancel: `jobs:\n${job('saves', `trap 'echo asked >> cancel-1; sleep 1; echo saved >> cancel-1; exit 3' TERM; echo began >> cancel-1; while :; do sleep 0.1; done`)}`,
  memory: `jobs:\n${job('large', 'head -c 300M /dev/zero | tail -c 300M | (head -c 1 > /dev/null; sleep 60)')}`,
  requeue: `jobs:\n${job('again', 'touch requeue-$TORC_ATTEMPT_ID; until [ -e requeue-go ]; do sleep 0.1; done')}`,
  recover: `slurm_schedulers: [{name: nodes, account: any, nodes: 1, walltime: "00:10:00", mem: 500m, extra: "-w ${nodeName(2)}"}]
jobs:\n${job('lost', 'touch recover-$TORC_ATTEMPT_ID-$TORC_RUN_ID; until [ -e recover-go ]; do sleep 0.1; done')}`,
} as const;
type Name = keyof typeof flows;
const names = Object.keys(flows) as Name[];

describe.skipIf(missing !== undefined)(
  `the newest Slurm${missing === undefined ? '' : ` (${missing})`}`,
  { timeout: 240_000 },
  () => {
    let cluster: Cluster;
    let folder: string;
    let server: RunningServer;
    let lane: ReturnType<typeof byHand>;
    /** A requeued allocation starts again after 21 s: everything runs while the tests look at one after the other. */
    let begun: Record<Name, { readonly id: number; readonly allocation: string }>;
    let requeued: Promise<void>;

    beforeAll(async () => {
      cluster = await startCluster({ nodes: 2, cpusPerNode: 8, slurm: newest });
      folder = temporaryFolder();
      server = await startServer(folder);
      lane = byHand({ cluster, folder, server });
      begun = Object.fromEntries(
        await Promise.all(names.map(async (name) => [name, await begin(name)] as const)),
      ) as typeof begun;
      requeued = requeue();
      requeued.catch(() => {});
    });

    const begin = async (name: Name) => {
      const id = await lane.created(name, `${head}${flows[name]}`);
      if (name !== 'recover')
        return { id, allocation: lane.allocated(id, ['-w', nodeName(1), '-c', '1', '--mem=400M', '-t', '10']) };
      const { stderr } = await lane.call('slurm', 'schedule-nodes', String(id), '-o', `out-${id}`, '-p', '1');
      return { id, allocation: /with ID=(\d+)/.exec(stderr)?.[1] ?? stderr };
    };

    const requeue = async () => {
      await lane.there('requeue-', 1);
      cluster.run('scontrol', 'requeue', begun.requeue.allocation);
      await lane.there('requeue-', 2);
      writeFileSync(join(folder, 'requeue-go'), '');
    };

    const stateOf = (allocation: string) =>
      cluster.run('squeue', '-h', '-t', 'all', '-j', allocation, '-o', '%T').trim();

    it('a cluster is one of another release than 22.05', () => {
      expect(cluster.run('sinfo', '--version')).not.toContain('22.05');
    });

    it('a step keeps its exit code above 127, in its result and in the accounting', async () => {
      const { id, allocation } = begun.code;
      expect((await lane.finished(id))['code']).toMatchObject({ status: 'failed', return_code: 200 });
      const rows = await until(
        () => cluster.run('sacct', '-j', allocation, '-P', '-n', '--format', 'JobName,State,ExitCode').split('\n'),
        (found) => found.some((row) => row.startsWith(`wf${id}_`) && !row.includes('RUNNING')),
        'the row of the step',
      );
      expect(rows.find((row) => row.startsWith(`wf${id}_`))).toMatch(/\|FAILED\|200:0$/);
    });

    it('a job that a person cancels is asked to end, saves its work and ends by itself', async () => {
      const { id } = begun.cancel;
      await lane.there('cancel-', 1);
      const [saves] = await lane.jobsOf(id);
      await lane.call('jobs', 'cancel', String(saves?.id), '--no-prompts');
      const { saves: result } = await lane.finished(id);
      expect(readFileSync(join(folder, 'cancel-1'), 'utf8')).toBe('began\nasked\nsaved\n');
      expect(result).toMatchObject({ status: 'canceled', return_code: 3 });
    });

    it('a job that took more memory than its step may have failed for that, and not for a person who canceled it', async () => {
      const { large } = await lane.finished(begun.memory.id);
      expect(large).toMatchObject({ status: 'failed', return_code: 137 });
      const { stdout } = await lane.call('jobs', 'explain', String(large?.job_id));
      expect(stdout).toContain('exceeded memory limit');
    });

    it('a job of a requeued allocation runs again in it as a new attempt', async () => {
      await requeued;
      const { id, allocation } = begun.requeue;
      const { again } = await lane.finished(id);
      expect(again).toMatchObject({ status: 'completed', return_code: 0, attempt_id: 2 });
      await until(
        () => stateOf(allocation),
        (state) => /^(COMPLETING|COMPLETED)$/.test(state),
        'the allocation to end by itself',
      );
    });

    it('a job whose runner was killed runs again by recover, and nothing of the first remains', async () => {
      const { id, allocation } = begun.recover;
      await lane.there('recover-', 1);
      const { items } = await server.client.listComputeNodes({ query: { workflow_id: id } });
      process.kill(items[0]?.pid as number, 'SIGKILL');
      await until(
        () => stateOf(allocation),
        (state) => !['RUNNING', 'COMPLETING'].includes(state),
        'the allocation to end',
      );
      const words = ['--no-prompts', '--retry-unknown', '--partition', 'debug', '--walltime', '00:10:00'];
      const { code, stderr } = await lane.call('recover', String(id), '-o', `out-${id}`, ...words);
      expect([code, stderr]).toEqual([0, expect.any(String)]);
      await lane.there('recover-', 2);
      expect(cluster.processes(`^srun.*--job-name=wf${id}_`).length).toBeLessThanOrEqual(2);
      writeFileSync(join(folder, 'recover-go'), '');
      await until(
        () => lane.jobsOf(id),
        ([lost]) => lost?.status === 'completed',
        'the job to be completed',
      );
    });
  },
);
