/**
 * How many seconds of allocations does a workflow pay for, and how long do its last allocations stay?
 *
 * `node bench/allocations.ts [jobs] [allocations] [long] [seconds]`: 200 jobs of 0.1 to 2 s, of which 5 take 200 s instead, in 20
 * allocations of 4 CPUs and 10 minutes. The cluster is a real one of 3 nodes with 8 CPUs on this machine (`tests/slurm/cluster.sh`).
 */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { argumentsOf } from './support/arguments.ts';
import { createFigures } from './support/figures.ts';
import { layOutPackage, workplace } from './support/package.ts';
import { commandsOf, machine, startServer } from './support/processes.ts';

const { jobs, allocations, long, seconds } = argumentsOf({ jobs: 200, allocations: 20, long: 5, seconds: 200 });
const FIRST_PORT = 11_700;
const CPUS = 4;
const script = resolve(import.meta.dirname, '../tests/slurm/cluster.sh');
const folder = layOutPackage();
const { note, print } = createFigures();
const cwd = workplace('allocations');
const cluster = workplace('cluster');

const size = ['--nodes', '3', '--cpus-per-node', '8', '--port-base', String(FIRST_PORT)];
execFileSync(script, ['up', '--dir', cluster, ...size], { stdio: ['ignore', 'ignore', 'inherit'] });
process.env['SLURM_CONF'] = join(cluster, 'etc/slurm.conf');
process.env['PATH'] = `${join(folder, 'bin')}:${process.env['PATH']}:/usr/sbin:/sbin`;
const slurm = (program: string, ...args: string[]) => execFileSync(program, args, { cwd, encoding: 'utf8' });

/** Long jobs come first, so that they begin with the workflow; the others take 0.1 to 2 s. */
const secondsOf = (number: number) => (number < long ? seconds : ((number % 20) + 1) / 10);
const commands = Array.from({ length: jobs }, (_, number) => ({
  name: `job_${number}`,
  command: `sleep ${secondsOf(number)}`,
  resource_requirements: 'one',
}));
const spec = {
  name: 'short',
  resource_requirements: [{ name: 'one', num_cpus: 1, memory: '20m', runtime: 'PT3M' }],
  slurm_schedulers: [
    { name: 'nodes', account: 'any', nodes: 1, walltime: '00:10:00', mem: '400m', extra: `--cpus-per-task=${CPUS}` },
  ],
  jobs: commands,
  actions: [
    {
      trigger_type: 'on_workflow_start',
      action_type: 'schedule_nodes',
      scheduler: 'nodes',
      scheduler_type: 'slurm',
      num_allocations: allocations,
    },
  ],
};

try {
  console.log(`${jobs} jobs, ${long} of them of ${seconds} s, in ${allocations} allocations; ${machine()}`);
  const server = await startServer(folder, cwd);
  const run = commandsOf(folder, cwd, server.url);
  writeFileSync(join(cwd, 'flow.json'), JSON.stringify(spec));
  const started = performance.now();
  await run('submit', 'flow.json', '-o', 'out');
  while (slurm('squeue', '-h').trim() !== '') await pause(500);
  const { stdout } = await run('-f', 'json', 'status', '1');
  const { jobs_by_status: counts } = JSON.parse(stdout) as { jobs_by_status: { completed: number } };
  if (counts.completed !== jobs) throw new Error(`${counts.completed} of ${jobs} jobs completed`);
  const rows = slurm('sacct', '-X', '-n', '-P', '--format', 'ElapsedRaw').trim().split('\n').map(Number);
  const paid = rows.reduce((sum, elapsed) => sum + elapsed, 0);
  const work = Array.from({ length: jobs }, (_, number) => secondsOf(number)).reduce((sum, each) => sum + each, 0);
  note('until the last allocation was over', (performance.now() - started) / 1000, 's');
  note('allocations that started', rows.filter((elapsed) => elapsed > 0).length, '');
  note('paid for', paid, 's');
  note('work of the jobs, for each CPU', work / CPUS, 's');
  await server.stop();
  print();
} finally {
  execFileSync(script, ['down', '--purge', '--dir', cluster], { stdio: 'ignore' });
}
