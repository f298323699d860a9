import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Job } from '../../src/core/contract/job.ts';
import { type RunningServer, startServer, temporaryFolder, torc, until } from '../support/programs.ts';
import { type Cluster, nodeName, slurmIsMissing, startCluster } from './cluster.ts';

/** A node is down after half a minute, and a requeued allocation starts again 21 s later. */
const timeout = 420_000;

interface Flow {
  readonly command: string;
  readonly memory?: string;
  readonly walltime?: string;
  readonly extra?: string;
  readonly mode?: 'direct' | 'slurm';
  readonly output?: string;
}

/** A workflow of one job and a scheduler. The last node is kept for the one that crashes. */
const flowOf = (
  name: string,
  { command, memory = '50m', walltime = '00:20:00', extra, mode = 'direct', output }: Flow,
) => `
name: ${name}
execution_config: {mode: ${mode}, sigkill_headroom_seconds: 15${mode === 'direct' ? ', sigterm_lead_seconds: 5' : ''}}
resource_requirements: [{name: one, num_cpus: 1, memory: ${memory}, runtime: PT1M}]
slurm_schedulers: [{name: nodes, account: any, nodes: 1, walltime: "${walltime}", mem: 600m, extra: "${extra ?? `--exclude=${nodeName(5)}`}"}]
${output === undefined ? '' : `files: [{name: out, path: ${output}}]`}
jobs:
  - {name: ${name}, command: ${JSON.stringify(command)}, resource_requirements: one${output === undefined ? '' : ', output_files: [out]'}}
`;

/** What is known of a failure after its recovery. */
interface Row {
  readonly status: string | undefined;
  /** Of the attempt that went wrong. */
  readonly code: number | undefined;
  readonly cause: string;
  readonly attempts: number;
  /** Submitted by the recovery. */
  readonly allocations: number;
}

/** Not those that were lost with their runner: on a busy machine Slurm may take a node for down that is not. */
const countedAttempts = (job: Job | undefined) => (job?.attempt_id ?? 0) - (job?.refunded_attempts ?? 0);

describe.skipIf(slurmIsMissing !== undefined)('ten failures on a cluster', () => {
  let cluster: Cluster;
  let folder: string;
  let server: RunningServer;
  beforeAll(async () => {
    cluster = await startCluster({ nodes: 5 });
    folder = temporaryFolder();
    server = await startServer(folder);
  });

  const call = (at: RunningServer, ...args: string[]) =>
    torc(['--url', at.url, ...args], { cwd: folder, environment: cluster.environment });
  const well = async (at: RunningServer, ...args: string[]) => {
    const ended = await call(at, ...args);
    if (ended.code !== 0)
      throw new Error(`torc ${args.join(' ')} ended with ${ended.code}:\n${ended.stderr}${ended.stdout}`);
    return ended;
  };
  const jobOf = async (at: RunningServer, id: number) =>
    (await at.client.listJobs({ query: { workflow_id: id } })).items[0];
  const allocationsOf = async (at: RunningServer, id: number) =>
    (await at.client.listScheduledComputeNodes({ query: { workflow_id: id } })).items;
  const reaches = (at: RunningServer, id: number, status: string) =>
    until(
      async () => (await jobOf(at, id))?.status,
      (found) => found === status,
      `the job of workflow ${id} to be ${status}`,
      timeout / 2,
    );
  const ends = (allocation: string) =>
    until(
      () => cluster.run('squeue', '-h', '-t', 'all', '-j', allocation, '-o', '%T').trim(),
      (state) => !['PENDING', 'CONFIGURING', 'RUNNING', 'COMPLETING'].includes(state),
      `allocation ${allocation} to end`,
      timeout / 2,
    );

  const begin = async (name: string, flow: Flow, at = server) => {
    writeFileSync(join(folder, `${name}.yaml`), flowOf(name, flow));
    const { stdout } = await well(at, 'create', `${name}.yaml`);
    const id = Number(/\d+/.exec(stdout)?.[0]);
    await well(at, 'workflows', 'init', String(id));
    const { stderr } = await well(at, 'slurm', 'schedule-nodes', String(id), '-o', `out_${name}`, '-p', '1');
    return {
      id,
      allocation: /with ID=(\d+)/.exec(stderr)?.[1] as string,
      go: () => writeFileSync(join(folder, name), ''),
    };
  };
  const untilThere = (name: string) => `until [ -e ${name} ]; do sleep 0.1; done`;
  const pidOf = async (id: number, at = server) =>
    (await at.client.listComputeNodes({ query: { workflow_id: id, is_active: true } })).items[0]?.pid as number;

  /** One `torc recover`, and what came of it. */
  const recovered = async (name: string, id: number, { at = server, completes = true } = {}): Promise<Row> => {
    const before = (await allocationsOf(at, id)).length;
    const ended = await call(at, '-f', 'json', 'recover', String(id), '--no-prompts', '-o', `out_${name}`);
    if (ended.code !== (completes ? 0 : 1)) throw new Error(`torc recover ended with ${ended.code}: ${ended.stderr}`);
    const { result } = JSON.parse(ended.stdout) as {
      result: { causes: readonly { cause: string; return_code?: number; detail: string }[] };
    };
    const [found] = result.causes;
    writeFileSync(join(folder, name), '');
    if (completes) await reaches(at, id, 'completed');
    const job = await jobOf(at, id);
    return {
      status: job?.status ?? undefined,
      code: found?.return_code,
      cause: [found?.cause ?? 'none', ...(/allocation \d+ (ended \w+)/.exec(found?.detail ?? '')?.slice(1) ?? [])].join(
        ', ',
      ),
      attempts: countedAttempts(job),
      allocations: (await allocationsOf(at, id)).length - before,
    };
  };

  const cases: Readonly<Record<string, () => Promise<Row>>> = {
    async 'out of memory'() {
      const command = 'head -c 300000000 /dev/zero | tail | (head -c 1 > /dev/null; sleep 4)';
      const { id, allocation } = await begin('memory', { command, memory: '250m', mode: 'slurm' });
      await ends(allocation);
      return recovered('memory', id);
    },
    async 'time limit'() {
      const { id, allocation } = await begin('time', {
        command: `trap '' TERM; ${untilThere('time')}`,
        walltime: '00:01:00',
      });
      await ends(allocation);
      return recovered('time', id);
    },
    async 'node crash'() {
      const { id, allocation } = await begin('crash', {
        command: untilThere('crash'),
        extra: `--nodelist=${nodeName(5)} --no-requeue`,
      });
      await reaches(server, id, 'running');
      cluster.node('crash', nodeName(5));
      await ends(allocation);
      return recovered('crash', id);
    },
    async 'canceled allocation'() {
      const { id, allocation } = await begin('cancel', { command: untilThere('cancel') });
      await reaches(server, id, 'running');
      cluster.run('scancel', allocation);
      await ends(allocation);
      await until(
        () => cluster.run('sacct', '-X', '-n', '-P', '-j', allocation, '-o', 'State'),
        (state) => state.startsWith('CANCELLED'),
        'the accounting to know who canceled it',
        timeout / 4,
      );
      await reaches(server, id, 'terminated');
      await until(
        async () => (await server.client.getWorkflowStatus({ params: { id } })).active_compute_nodes,
        (active) => active === 0,
        'the runner to leave',
        timeout / 4,
      );
      return recovered('cancel', id);
    },
    async 'pending allocation gone'() {
      const { id, allocation } = await begin('pending', { command: untilThere('pending'), extra: '--begin=now+1hour' });
      cluster.run('scancel', allocation);
      await ends(allocation);
      return recovered('pending', id);
    },
    async 'runner killed'() {
      const { id, allocation } = await begin('killed', { command: untilThere('killed') });
      await reaches(server, id, 'running');
      process.kill(await pidOf(id), 'SIGKILL');
      await ends(allocation);
      return recovered('killed', id);
    },
    async 'server down through the end'() {
      const own = await startServer(folder, { database: 'own.db' });
      const { id, allocation, go } = await begin('down', { command: `${untilThere('down')}; touch down_ran` }, own);
      await reaches(own, id, 'running');
      const pid = await pidOf(id, own);
      own.program.child.kill('SIGKILL');
      await own.program.ended;
      go();
      await until(
        () => existsSync(join(folder, 'down_ran')),
        (ran) => ran,
        'the job to end',
      );
      cluster.run('scancel', allocation);
      await ends(allocation);
      // A runner that still ends would report to a server that is back, and nothing would be left to recover.
      await until(
        () => existsSync(`/proc/${pid}`),
        (lives) => !lives,
        'the runner to be gone',
        timeout / 4,
      );
      const again = await startServer(folder, { database: 'own.db', port: own.port });
      return recovered('down', id, { at: again });
    },
    async requeue() {
      const { id, allocation } = await begin('requeue', { command: untilThere('requeue') });
      await reaches(server, id, 'running');
      const first = (await jobOf(server, id))?.compute_node_id;
      cluster.run('scontrol', 'requeue', allocation);
      const watching = call(server, 'watch', String(id), '--recover', '-p', '1', '-o', 'out_requeue');
      await until(
        async () => await jobOf(server, id),
        (job) => job?.status === 'running' && job.compute_node_id !== first,
        'the job to run again',
        timeout / 2,
      );
      writeFileSync(join(folder, 'requeue'), '');
      const { code } = await watching;
      const job = await jobOf(server, id);
      return {
        status: job?.status ?? undefined,
        code: code ?? undefined,
        cause: 'none',
        attempts: countedAttempts(job),
        allocations: (await allocationsOf(server, id)).length - 1,
      };
    },
    async 'corrupt output'() {
      const { id, allocation } = await begin('corrupt', { command: 'true', output: 'corrupt.txt' });
      await ends(allocation);
      return recovered('corrupt', id, { completes: false });
    },
    async 'bad command'() {
      const { id, allocation } = await begin('bad', { command: 'nosuchcommand' });
      await ends(allocation);
      return recovered('bad', id, { completes: false });
    },
  };

  /** In the table, so that one that goes wrong does not hide how the others went. */
  const failure = (error: Error): Row => ({
    status: error.message,
    code: undefined,
    cause: '',
    attempts: 0,
    allocations: 0,
  });

  it(
    'each is recovered by one command with the allocations that it needs, or reported with none',
    { timeout },
    async () => {
      const rows = await Promise.all(
        Object.entries(cases).map(async ([name, act]) => [name, await act().catch(failure)] as const),
      );
      const table = Object.fromEntries(
        rows.map(([name, { status, code, cause, attempts, allocations }]) => [
          name,
          [status, code, cause, attempts, allocations],
        ]),
      );
      // Only with root's cluster are nodes other hosts. On its own host recover finds that the runner is gone before it asks Slurm.
      const lost = (why: string, how: string) =>
        process.getuid?.() === 0 ? [-128, `${why}, ended ${how}`] : [undefined, 'none'];
      expect(table).toEqual({
        // status, return code, cause, attempts, allocations of the recovery
        'out of memory': ['completed', 137, 'memory', 1, 1],
        'time limit': ['completed', 152, 'time', 1, 1],
        'node crash': ['completed', ...lost('node', 'NODE_FAIL'), 1, 1],
        'canceled allocation': ['completed', 143, 'allocation, ended CANCELLED', 1, 1],
        'pending allocation gone': ['completed', undefined, 'none', 1, 1],
        'runner killed': ['completed', ...lost('lost', 'FAILED'), 1, 1],
        'server down through the end': ['completed', undefined, 'none', 1, 0],
        requeue: ['completed', 0, 'none', 1, 0],
        'corrupt output': ['failed', 1, 'missing_output', 1, 0],
        'bad command': ['failed', 127, 'not_found', 1, 0],
      });
    },
  );
});
