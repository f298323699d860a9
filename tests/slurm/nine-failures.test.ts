import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Program, type RunningServer, start, startServer, temporaryFolder, until } from '../support/programs.ts';
import { noSmallDisk, smallDisk } from '../support/small-disk.ts';
import { type Cluster, slurmIsMissing, startCluster } from './cluster.ts';

/**
 * Failures of the programs around the jobs: of `torc submit`, of watches, and of Slurm's own programs and daemons.
 *
 * The jobs have a runtime of a minute and run as steps, so their allocations are as short as allocations can be. Each job writes a line
 * when its work is done.
 */

/** squeue, sacct and sbatch that hang are given up after a minute, and a controller that died comes back. */
const timeout = 420_000;

interface Flow {
  readonly jobs?: number;
  readonly allocations?: number;
  readonly command?: string;
}

const flowOf = (name: string, { jobs = 1, allocations = 1, command }: Flow) => `
name: ${name}
execution_config: {mode: slurm}
resource_requirements: [{name: one, num_cpus: 1, memory: 50m, runtime: PT1M}]
slurm_schedulers: [{name: nodes, account: any, nodes: 1, walltime: "00:05:00", mem: 300m}]
actions:
  - {trigger_type: on_workflow_start, action_type: schedule_nodes, scheduler: nodes, scheduler_type: slurm, num_allocations: ${allocations}}
jobs:
  - {name: "${name}_{i}", parameters: {i: "1:${jobs}"}, resource_requirements: one, scheduler: nodes, command: ${JSON.stringify(command ?? `until [ -e ${name} ]; do sleep 0.1; done; echo {i} >> ${name}.done`)}}
`;

/** What is true of a workflow in the end. */
interface Row {
  readonly completed: number;
  /** Lines that jobs wrote when their work was done. */
  readonly done: number;
  /** Allocations that Slurm got for it. */
  readonly allocations: number;
}

describe.skipIf(slurmIsMissing !== undefined)('nine further failures on a cluster', () => {
  let cluster: Cluster;
  let folder: string;
  let server: RunningServer;
  beforeAll(async () => {
    cluster = await startCluster({ nodes: 6, cpusPerNode: 8 });
    folder = temporaryFolder();
    server = await startServer(folder);
  });

  /** Starts torc, with programs on PATH that stand before Slurm's. */
  const begin = (words: readonly string[], tools?: string): Program => {
    const PATH = tools === undefined ? cluster.environment['PATH'] : `${tools}:${cluster.environment['PATH']}`;
    return start('torc', ['--url', server.url, ...words], {
      cwd: folder,
      environment: { ...cluster.environment, PATH },
    });
  };
  const well = async (...words: string[]) => {
    const ended = await begin(words).ended;
    if (ended.code !== 0) throw new Error(`torc ${words.join(' ')} ended with ${ended.code}:\n${ended.stderr}`);
    return ended.stdout;
  };
  const submit = (id: number, name: string) => ['submit', String(id), '-o', `out_${name}`, '-p', '1'];
  const recover = (id: number, name: string) => ['recover', String(id), '--no-prompts', '-o', `out_${name}`];
  const watch = (id: number, name: string) => ['watch', String(id), '--recover', '-p', '1', '-o', `out_${name}`];

  const create = async (name: string, flow: Flow = {}): Promise<number> => {
    writeFileSync(join(folder, `${name}.yaml`), flowOf(name, flow));
    const made = JSON.parse(await well('-f', 'json', 'create', `${name}.yaml`)) as { workflow_id: number };
    return made.workflow_id;
  };
  const jobsOf = async (id: number) => (await server.client.listJobs({ query: { workflow_id: id } })).items;
  const reach = (id: number, status: string, count = 1) =>
    until(
      async () => (await jobsOf(id)).filter((job) => job.status === status).length,
      (found) => found === count,
      `${count} jobs of workflow ${id} to be ${status}`,
      timeout * 0.8,
    );
  const go = (name: string) => writeFileSync(join(folder, name), '');

  /** A program of Slurm that does something else first, or instead. */
  const tool = (name: string, program: string, lines: string): string => {
    const tools = join(folder, `tools_${name}`);
    mkdirSync(tools, { recursive: true });
    const real = cluster.run('bash', '-c', `type -P ${program}`).trim();
    writeFileSync(join(tools, program), `#!/bin/bash\nreal=${real}\n${lines}\n`);
    chmodSync(join(tools, program), 0o755);
    return tools;
  };
  const killRunner = async (id: number) => {
    const { items } = await server.client.listComputeNodes({ query: { workflow_id: id, is_active: true } });
    for (const { pid } of items) process.kill(pid, 'SIGKILL');
    // Until then its step goes on, and a job that ends by itself meanwhile is done.
    const jobs = items.map(({ scheduler }) => (scheduler as { slurm_job_id: string }).slurm_job_id).join();
    await until(
      () => cluster.run('squeue', '-h', '-t', 'all', '-j', jobs, '-o', '%T').split('\n').filter(Boolean),
      (states) => !states.some((state) => state === 'RUNNING' || state === 'COMPLETING'),
      `allocation ${jobs} to end with its runner`,
      timeout / 2,
    );
  };
  /** Its runners have left Slurm. */
  const quiet = (id: number) =>
    until(
      () => cluster.run('squeue', '-h', '-o', '%j').split('\n'),
      (names) => !names.some((each) => each.includes(`wf${id}_`)),
      `the allocations of workflow ${id} to end`,
      timeout / 2,
    );
  const rowOf = async (id: number, name: string, repairs: readonly Program[]): Promise<Row> => {
    go(name);
    const jobs = await jobsOf(id);
    const repaired = repairs.map(async (each) => {
      const { code, stderr, stdout } = await each.ended;
      if (code !== 0) throw new Error(`the repair ended with ${code}:\n${stderr}${stdout}`);
    });
    await Promise.all([reach(id, 'completed', jobs.length), ...repaired]);
    const { items } = await server.client.listScheduledComputeNodes({ query: { workflow_id: id } });
    const lines = existsSync(join(folder, `${name}.done`)) ? readFileSync(join(folder, `${name}.done`), 'utf8') : '';
    return {
      completed: jobs.length,
      done: lines.split('\n').length - 1,
      allocations: items.length,
    };
  };

  const cases: Readonly<Record<string, () => Promise<Row>>> = {
    async 'interrupted submit'() {
      const id = await create('cut', { jobs: 24, allocations: 3 });
      // Slurm has taken the first request, and no reply arrived.
      const tools = tool(
        'cut',
        'sbatch',
        `"$real" "$@"; case "$*" in *--test-only*) exit ;; esac; touch cut-now; exec sleep 600`,
      );
      const first = begin([...submit(id, 'cut'), '--no-job-arrays'], tools);
      await until(() => existsSync(join(folder, 'cut-now')), Boolean, 'sbatch to be called', timeout / 4);
      first.child.kill('SIGKILL');
      await first.ended;
      return rowOf(id, 'cut', [begin(submit(id, 'cut'))]);
    },
    async 'scancel while submitting'() {
      const id = await create('gone', { jobs: 2 });
      const tools = tool(
        'gone',
        'sbatch',
        `said=$("$real" "$@"); code=$?; echo "$said"; case "$*" in *--test-only*) ;; *) scancel "\${said//[^0-9]/}" ;; esac; exit $code`,
      );
      await begin(submit(id, 'gone'), tools).ended;
      await quiet(id);
      return rowOf(id, 'gone', [begin(recover(id, 'gone'))]);
    },
    async 'squeue hangs'() {
      const id = await create('squeue');
      await well(...submit(id, 'squeue'));
      await reach(id, 'running');
      const tools = tool(
        'squeue',
        'squeue',
        `[ -e squeue-hung ] || { touch squeue-hung; exec sleep 600; }; exec "$real" "$@"`,
      );
      const watching = begin(watch(id, 'squeue'), tools);
      await killRunner(id);
      await until(() => existsSync(join(folder, 'squeue-hung')), Boolean, 'squeue to be called', timeout / 2);
      return rowOf(id, 'squeue', [watching]);
    },
    async 'sbatch hangs'() {
      const id = await create('sbatch');
      const tools = tool(
        'sbatch',
        'sbatch',
        `case "$*" in *--test-only*) exec "$real" "$@" ;; esac; "$real" "$@" > /dev/null; exec sleep 600`,
      );
      // It finds by its name what Slurm has taken.
      return rowOf(id, 'sbatch', [begin(submit(id, 'sbatch'), tools)]);
    },
    async 'two watches'() {
      const id = await create('two');
      await well(...submit(id, 'two'));
      await reach(id, 'running');
      const watching = [begin(watch(id, 'two')), begin(watch(id, 'two'))];
      await killRunner(id);
      await until(
        async () => (await server.client.listScheduledComputeNodes({ query: { workflow_id: id } })).items.length,
        (count) => count > 1,
        'an allocation of the recovery',
        timeout / 2,
      );
      return rowOf(id, 'two', watching);
    },
    async 'suspended watch'() {
      const id = await create('stopped');
      await well(...submit(id, 'stopped'));
      await reach(id, 'running');
      const watching = begin(watch(id, 'stopped'));
      await watching.says('Watching workflow');
      watching.child.kill('SIGSTOP');
      await killRunner(id);
      await quiet(id);
      const recovery = begin(recover(id, 'stopped'));
      await recovery.ended;
      await reach(id, 'running');
      watching.child.kill('SIGCONT');
      return rowOf(id, 'stopped', [watching, recovery]);
    },
  };

  /** In the table, so that one that goes wrong does not hide how the others went. */
  const failure = (error: Error) => error.message;

  it(
    'each of them ends completed with one command at most, nothing is done twice, and no allocation is wasted',
    { timeout },
    async () => {
      const rows = await Promise.all(
        Object.entries(cases).map(async ([name, act]) => [name, await act().catch(failure)] as const),
      );
      expect(Object.fromEntries(rows)).toEqual({
        'interrupted submit': { completed: 24, done: 24, allocations: 3 },
        'scancel while submitting': { completed: 2, done: 2, allocations: 2 },
        'squeue hangs': { completed: 1, done: 1, allocations: 2 },
        'sbatch hangs': { completed: 1, done: 1, allocations: 1 },
        'two watches': { completed: 1, done: 1, allocations: 2 },
        'suspended watch': { completed: 1, done: 1, allocations: 2 },
      });
    },
  );

  it.skipIf(noSmallDisk)(
    'a full disk ends completed with one recover when there is room again',
    { timeout },
    async () => {
      const command = `[ -e full ] || head -c 5M /dev/zero > out_full/big; echo {i} >> full.done`;
      const id = await create('full', { command: `set -e; ${command}` });
      symlinkSync(smallDisk(2), join(folder, 'out_full'));
      await well(...submit(id, 'full'));
      await reach(id, 'failed');
      await quiet(id);
      rmSync(join(folder, 'out_full/big'));
      go('full');
      expect(await rowOf(id, 'full', [begin(recover(id, 'full'))])).toEqual({
        completed: 1,
        done: 1,
        allocations: 2,
      });
    },
  );

  it('a watch recovers when an accounting that hung answers again', { timeout }, async () => {
    const id = await create('accounting');
    await well(...submit(id, 'accounting'));
    await reach(id, 'running');
    cluster.signal('slurmdbd', 'SIGSTOP');
    try {
      const tools = tool('accounting', 'sacct', `touch sacct-asked; exec "$real" "$@"`);
      const watching = begin(watch(id, 'accounting'), tools);
      await killRunner(id);
      // What a step did may be on record there alone, so nothing is run again without it.
      await until(() => existsSync(join(folder, 'sacct-asked')), Boolean, 'sacct to be called', timeout / 4);
      cluster.signal('slurmdbd', 'SIGCONT');
      expect(await rowOf(id, 'accounting', [watching])).toEqual({ completed: 1, done: 1, allocations: 2 });
    } finally {
      cluster.signal('slurmdbd', 'SIGCONT');
    }
  });

  it('a controller that is stopped and started again needs no command at all', { timeout }, async () => {
    const id = await create('controller', { jobs: 6, allocations: 2 });
    const submitting = begin(submit(id, 'controller'));
    await reach(id, 'running', 2);
    cluster.signal('slurmctld', 'SIGTERM');
    go('controller');
    await submitting.ended;
    cluster.again();
    expect(await rowOf(id, 'controller', [submitting])).toEqual({
      completed: 6,
      done: 6,
      allocations: 2,
    });
  });
});
