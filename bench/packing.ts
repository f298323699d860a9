/**
 * Are the allocations that `torc slurm generate` makes enough for all jobs of a workflow, and how much of them is paid for nothing?
 *
 * `node bench/packing.ts [minute] [rounds|mixed]`: `rounds` has 200 jobs that ask for one minute; `mixed` has 100 of one CPU and a minute,
 * 10 of four CPUs, 6 of 15 minutes, 8 with a GPU and 4 of two nodes. All take five sixths of what they ask for. `minute` is how many seconds
 * a job that asks for a minute works at most, 60; a smaller one asks for less in the same proportion. The cluster is a real one of 8 nodes
 * with 4 CPUs on this machine (`tests/slurm/cluster.sh`); it needs root. `rounds` takes some 13 minutes, `mixed` 20.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startCluster } from './night/cluster.ts';
import { argumentsOf } from './support/arguments.ts';
import { createFigures } from './support/figures.ts';
import { layOutPackage, workplace } from './support/package.ts';
import { commandsOf, machine, startServer } from './support/processes.ts';

interface Kind {
  readonly name: string;
  readonly count: number;
  readonly minutes: number;
  readonly num_cpus: number;
  readonly num_gpus?: number;
  readonly num_nodes?: number;
}
const WORKLOADS: Readonly<Record<string, readonly Kind[]>> = {
  rounds: [{ name: 'round', count: 200, minutes: 1, num_cpus: 1 }],
  mixed: [
    { name: 'small', count: 100, minutes: 1, num_cpus: 1 },
    { name: 'wide', count: 10, minutes: 1, num_cpus: 4 },
    { name: 'long', count: 6, minutes: 15, num_cpus: 1 },
    { name: 'card', count: 8, minutes: 1, num_cpus: 1, num_gpus: 1 },
    { name: 'pair', count: 4, minutes: 1, num_cpus: 1, num_nodes: 2 },
  ],
};
const CPUS = 4;
const FIRST_PORT = 12_100;

const { minute, words } = argumentsOf({ minute: 60 }, 'words');
const kinds = WORKLOADS[words[0] ?? 'rounds'];
if (kinds === undefined || words.length > 1) {
  console.error(`unknown workload ${words.join(' ')}; there are ${Object.keys(WORKLOADS).join(', ')}`);
  process.exit(2);
}
const asked = ({ minutes }: Kind) => Math.round(minutes * minute);
const taken = (kind: Kind) => (asked(kind) * 5) / 6;

const folder = layOutPackage();
const cwd = workplace('packing');
const { note, print } = createFigures();
const size = [
  '--nodes',
  '8',
  '--cpus-per-node',
  String(CPUS),
  '--gpus-per-node',
  '1',
  '--port-base',
  String(FIRST_PORT),
];
const cluster = await startCluster(workplace('cluster'), join(cwd, 'slurm'), size);
try {
  process.env['SLURM_CONF'] = cluster.environment.SLURM_CONF;
  process.env['PATH'] = `${join(folder, 'bin')}:${cluster.environment.PATH}`;
  const server = await startServer(folder, cwd);
  const run = commandsOf(folder, cwd, server.url);
  const jobs = kinds.reduce((sum, { count }) => sum + count, 0);
  console.log(`${jobs} jobs; ${machine()}\nfiles: ${cwd}`);
  writeFileSync(join(cwd, 'flow.json'), JSON.stringify(workflow()));
  const { stderr: plan } = await run(
    'slurm',
    'generate',
    'flow.json',
    '--account',
    'any',
    '--profile',
    'slurm',
    '-o',
    'planned.json',
  );
  console.log(plan.trim());
  const started = performance.now();
  await run('submit', 'planned.json', '-o', 'out');
  while ((await cluster.ask('squeue', '-h')).trim() !== '') await pause(1000);
  const { stdout } = await run('-f', 'json', 'status', '1');
  const { jobs_by_status: counts } = JSON.parse(stdout) as { jobs_by_status: Record<string, number> };
  const rows = (await cluster.ask('sacct', '-X', '-n', '-P', '--format', 'ElapsedRaw,AllocCPUS,TimelimitRaw'))
    .trim()
    .split('\n');
  const sum = (of: (fields: number[]) => number) => rows.reduce((all, row) => all + of(row.split('|').map(Number)), 0);
  const paid = sum(([elapsed = 0, cpus = 0]) => elapsed * cpus);
  const work = kinds.reduce((all, kind) => all + kind.count * taken(kind) * kind.num_cpus * (kind.num_nodes ?? 1), 0);
  note('until the last allocation was over', (performance.now() - started) / 1000, 's');
  note('jobs that completed', counts['completed'] ?? 0, '', { atLeast: jobs });
  note('allocations', rows.length, '');
  note('CPU hours asked for', sum(([, cpus = 0, minutes = 0]) => cpus * minutes) / 60, 'h');
  note('CPU hours paid for', paid / 3600, 'h');
  note('of them used by jobs', (100 * work) / paid, '%', { atLeast: 80 });
  await server.stop();
  print();
} finally {
  await cluster.stop();
}

function workflow() {
  return {
    name: 'packing',
    // Jobs of several nodes run as steps.
    ...((kinds ?? []).some(({ num_nodes }) => num_nodes !== undefined) ? { execution_config: { mode: 'slurm' } } : {}),
    resource_requirements: (kinds ?? []).map((kind) => {
      const { name, num_cpus, num_gpus, num_nodes } = kind;
      return { name, num_cpus, num_gpus, num_nodes, memory: '20m', runtime: `PT${asked(kind)}S` };
    }),
    jobs: (kinds ?? []).flatMap((kind) =>
      Array.from({ length: kind.count }, (_, index) => ({
        name: `${kind.name}_${index}`,
        command: `sleep ${taken(kind)}`,
        resource_requirements: kind.name,
      })),
    ),
  };
}
