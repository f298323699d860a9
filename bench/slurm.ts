/**
 * How fast are short jobs in an allocation, and what do they cost the controller of Slurm?
 *
 * `node bench/slurm.ts [jobs] [rounds]`: 500 `true` in an allocation of 8 CPUs, as processes of the runner, as steps, and inside one
 * long step (`step_batching`), beside a batch script that starts 8 `srun … &` at a time, and beside the launcher of a long step alone, which gets all jobs
 * at once: it is the most that a long step can reach here. The cluster is a real one on this machine (`tests/slurm/cluster.sh`).
 *
 * Every other round goes through the modes in the opposite order. Each line has the load before it, and the time that neighbours of a virtual machine took.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join, resolve } from 'node:path';
import { argumentsOf } from './support/arguments.ts';
import { createFigures, watchSteal } from './support/figures.ts';
import { launcherAlone } from './support/launcher-alone.ts';
import { layOutPackage, workplace } from './support/package.ts';
import { commandsOf, machine, startServer } from './support/processes.ts';

const { jobs, rounds } = argumentsOf({ jobs: 500, rounds: 7 });
const CPUS = 8;
const FIRST_PORT = 11_900;
const script = resolve(import.meta.dirname, '../tests/slurm/cluster.sh');
const folder = layOutPackage();
const { note, print } = createFigures();
const cwd = workplace('slurm');
const cluster = workplace('cluster');

const size = ['--nodes', '1', '--cpus-per-node', String(CPUS), '--port-base', String(FIRST_PORT)];
execFileSync(script, ['up', '--dir', cluster, ...size], { stdio: ['ignore', 'ignore', 'inherit'] });
const environment = {
  ...process.env,
  SLURM_CONF: join(cluster, 'etc/slurm.conf'),
  PATH: `${process.env['PATH']}:/usr/sbin:/sbin`,
};
const slurm = (program: string, ...args: string[]) =>
  execFileSync(program, args, { cwd, env: environment, encoding: 'utf8' });

interface Cost {
  readonly jobsPerSecond: number;
  /** Messages to the controller, of all kinds. */
  readonly messagesPerJob: number;
}

/** Runs lines in an allocation; the time is that of the lines. */
function measured(name: string, lines: readonly string[]): Cost {
  const path = join(cwd, `${name}.sh`);
  const times = join(cwd, `${name}.times`);
  const stamp = `echo $EPOCHREALTIME >> ${times}`;
  writeFileSync(times, '');
  writeFileSync(path, ['#!/bin/bash', 'unset SLURM_MEM_PER_CPU', stamp, ...lines, stamp, ''].join('\n'));
  slurm('sdiag', '--reset');
  const load = loadavg()[0] ?? Number.NaN;
  const steal = watchSteal();
  slurm('sbatch', '--wait', '-o', join(cwd, `${name}.out`), '-c', String(CPUS), '--mem=2000M', '-t', '30', path);
  console.log(`  ${name}: load ${load.toFixed(1)}, steal ${steal().toFixed(1)} %`);
  const statistics = slurm('sdiag').split('by user')[0] ?? '';
  const messages = [...statistics.matchAll(/^\s+\w+\s+\(\s*\d+\) count:(\d+)/gm)].map(([, count]) => Number(count));
  const [start, end] = readFileSync(times, 'utf8').trim().split('\n').map(Number) as [number, number];
  return {
    jobsPerSecond: jobs / (end - start),
    messagesPerJob: messages.reduce((sum, count) => sum + count, 0) / jobs,
  };
}

const plain = [
  `for i in $(seq ${jobs}); do`,
  '  srun --ntasks=1 --exact --cpu-bind=none --cpus-per-task=1 --mem=20M true &',
  `  while [ $(jobs -rp | wc -l) -ge ${CPUS} ]; do wait -n; done`,
  'done',
  'wait',
];

const MODES = {
  direct: '{mode: direct}',
  slurm: '{mode: slurm}',
  batching: '{mode: slurm, step_batching: true}',
} as const;

const specOf = (mode: keyof typeof MODES) => `name: ${mode}
execution_config: ${MODES[mode]}
resource_requirements: [{name: one, num_cpus: 1, memory: 20m, runtime: PT1M}]
jobs: [{name: "j{i}", parameters: {i: "1:${jobs}"}, command: "true", resource_requirements: one}]
`;

try {
  console.log(`${jobs} × true in an allocation of ${CPUS} CPUs; ${machine()}`);
  const server = await startServer(folder, cwd);
  const run = commandsOf(folder, cwd, server.url);
  const runner = `${join(folder, 'bin/torc-slurm-job-runner')} ${server.url}`;
  for (let round = 1; round <= rounds; round += 1) {
    console.log(`round ${round}`);
    const loop = measured('plain', plain);
    note('srun … & in a script', loop.jobsPerSecond, 'jobs/s');
    note('… messages to the controller', loop.messagesPerJob, 'a job');
    const rates = new Map<keyof typeof MODES, number>();
    const modes = Object.keys(MODES) as (keyof typeof MODES)[];
    for (const mode of round % 2 === 1 ? modes : modes.toReversed()) {
      writeFileSync(join(cwd, 'flow.yaml'), specOf(mode));
      const { stdout } = await run('-f', 'json', 'create', 'flow.yaml');
      const { workflow_id: id } = JSON.parse(stdout) as { workflow_id: number };
      await run('workflows', 'init', String(id), '--no-prompts');
      mkdirSync(join(cwd, `out-${id}`));
      const ours = measured(mode, [`${runner} ${id} out-${id} --poll-interval 1`]);
      const { stdout: text } = await run('-f', 'json', 'status', String(id));
      const { jobs_by_status: counts } = JSON.parse(text) as { jobs_by_status: { completed: number } };
      if (counts.completed !== jobs) throw new Error(`${counts.completed} of ${jobs} jobs completed`);
      note(`mode ${mode}`, ours.jobsPerSecond, 'jobs/s');
      note(`… messages to the controller, ${mode}`, ours.messagesPerJob, 'a job');
      note(`${mode} beside the script`, ours.jobsPerSecond / loop.jobsPerSecond, '×', {
        atLeast: mode === 'batching' ? 8 : 1,
      });
      rates.set(mode, ours.jobsPerSecond);
      if (mode !== 'direct')
        note(`… messages beside those of the script, ${mode}`, ours.messagesPerJob / loop.messagesPerJob, '×', {
          atMost: 1,
        });
    }
    const { batching = Number.NaN, direct = Number.NaN } = Object.fromEntries(rates);
    note('batching beside direct', batching / direct, '×', { atLeast: 0.8 });
    const alone = await launcherAlone(folder, { jobs, places: CPUS });
    note('the launcher of a long step alone', alone, 'jobs/s');
    note('batching beside the launcher alone', batching / alone, '×');
  }
  await server.stop();
  print();
} finally {
  execFileSync(script, ['down', '--purge', '--dir', cluster], { stdio: 'ignore' });
}
