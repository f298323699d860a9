/**
 * How fast are short jobs in an allocation of PBS, beside `xargs -P` in the same allocation?
 *
 * `node bench/pbs.ts [jobs] [rounds]`: 2,000 `true` in an allocation of 8 CPUs on one node, as processes of the runner (`mode: direct`), and on two nodes of
 * 4 CPUs each, where half of them start by the launcher of the other node; beside `xargs -n 1 -P 8 true` in an allocation of the first kind, and beside
 * `torc run` of the same file outside of PBS. On a busy machine the ratio to xargs says little: a runner is one process, xargs has eight. The cluster is
 * a real OpenPBS on this machine (`pbs-dev` of ../shared/pbs, or of the folder that TORC_TEST_PBS names); without it nothing is measured.
 *
 * Every other round goes through them in the opposite order.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { argumentsOf } from './support/arguments.ts';
import { createFigures } from './support/figures.ts';
import { layOutPackage, workplace } from './support/package.ts';
import { commandsOf, machine, startServer } from './support/processes.ts';

const { jobs, rounds } = argumentsOf({ jobs: 2000, rounds: 5 });
const CPUS = 8;
const FIRST_PORT = 27_000;
const tool = [process.env['TORC_TEST_PBS'] ?? '', resolve(import.meta.dirname, '../../shared/pbs')]
  .map((place) => join(place, 'pbs-dev'))
  .find((path) => existsSync(path));
if (tool === undefined) {
  console.log('not measured: there is no pbs-dev in ../shared/pbs; TORC_TEST_PBS names another folder');
  process.exit(0);
}
const folder = layOutPackage();
const { note, print } = createFigures();
const cwd = workplace('pbs');
const cluster = workplace('pbs-cluster');

const size = ['--nodes', '3', '--cpus-per-node', String(CPUS), '--port-base', String(FIRST_PORT)];
execFileSync(tool, ['up', '--dir', cluster, ...size], { stdio: ['ignore', 'ignore', 'inherit'] });
const own = execFileSync(tool, ['env', '--dir', cluster], { encoding: 'utf8' });
const environment = {
  ...process.env,
  ...Object.fromEntries([...own.matchAll(/\b(PBS_\w+)=(\S+)/g)].map(([, name = '', value = '']) => [name, value])),
  TORC_BATCH_SYSTEM: 'pbs',
  PATH: `${join(folder, 'bin')}:${dirname(process.execPath)}:${join(cluster, 'pbs/bin')}:${process.env['PATH']}`,
};

/** Runs lines in an allocation, as the script of one; the jobs a second by the time of the lines. */
function rateOf(name: string, select: string, lines: readonly string[]): number {
  const path = join(cwd, `${name}.sh`);
  const times = join(cwd, `${name}.times`);
  const stamp = `echo $EPOCHREALTIME >> ${times}`;
  const surroundings = Object.entries(environment)
    .filter(([variable]) => /^(?:PATH|TORC_\w+)$/.test(variable))
    .map(([variable, value]) => `export ${variable}='${value ?? ''}'`);
  writeFileSync(times, '');
  writeFileSync(
    path,
    [
      '#!/bin/bash',
      ...surroundings,
      `cd ${cwd}`,
      'export TORC_PBS_JOB="${PBS_JOBID%%.*}" TORC_PBS_BEGAN="$(date +%s)" TORC_PBS_SCRIPT="$0"',
      'if [ "${1:-}" = on ]; then shift; exec "$@"; fi',
      stamp,
      ...lines,
      stamp,
      '',
    ].join('\n'),
  );
  console.log(`  ${name}: load ${(loadavg()[0] ?? Number.NaN).toFixed(1)}`);
  const options = ['-l', `select=${select}`, '-l', 'place=scatter', '-l', 'walltime=01:00:00'];
  execFileSync(
    'qsub',
    ['-f', '-W', 'block=true', '-j', 'oe', '-o', join(cwd, `${name}.out`), ...options, '--', '/bin/bash', path],
    {
      cwd,
      env: environment,
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  );
  const [start, end] = readFileSync(times, 'utf8').trim().split('\n').map(Number) as [number, number];
  return jobs / (end - start);
}

const SPEC = `name: short
resource_requirements: [{name: one, num_cpus: 1, memory: 20m, runtime: PT1M}]
jobs: [{name: "j{i}", parameters: {i: "1:${jobs}"}, command: "true", resource_requirements: one}]
`;
const SHAPES = {
  'one node': `1:ncpus=${CPUS}:mem=2gb`,
  'two nodes': `2:ncpus=${CPUS / 2}:mem=1gb`,
} as const;

try {
  console.log(`${jobs} × true in an allocation of ${CPUS} CPUs of PBS; ${machine()}`);
  const server = await startServer(folder, cwd);
  const run = commandsOf(folder, cwd, server.url);
  writeFileSync(join(cwd, 'flow.yaml'), SPEC);
  const created = async () => {
    const { stdout } = await run('-f', 'json', 'create', 'flow.yaml');
    const { workflow_id: id } = JSON.parse(stdout) as { workflow_id: number };
    await run('workflows', 'init', String(id), '--no-prompts');
    mkdirSync(join(cwd, `out-${id}`));
    return id;
  };
  const outsideOfPbs = async () => {
    const id = await created();
    const begunAt = performance.now();
    await run('run', String(id), '--num-cpus', String(CPUS), '-o', `out-${id}`, '-p', '1');
    return (jobs * 1000) / (performance.now() - begunAt);
  };
  const ours = async (name: keyof typeof SHAPES) => {
    const id = await created();
    const runner = `${join(folder, 'bin/torc-slurm-job-runner')} ${server.url} ${id} out-${id} --poll-interval 1`;
    const rate = rateOf(name.replace(' ', '-'), SHAPES[name], [runner]);
    const { stdout: text } = await run('-f', 'json', 'status', String(id));
    const { jobs_by_status: counts } = JSON.parse(text) as { jobs_by_status: { completed: number } };
    if (counts.completed !== jobs) throw new Error(`${counts.completed} of ${jobs} jobs completed`);
    return rate;
  };
  for (let round = 1; round <= rounds; round += 1) {
    console.log(`round ${round}`);
    const xargs = rateOf('xargs', SHAPES['one node'], [`seq ${jobs} | xargs -n 1 -P ${CPUS} true`]);
    note('xargs -P', xargs, 'jobs/s');
    const names = Object.keys(SHAPES) as (keyof typeof SHAPES)[];
    const outside = await outsideOfPbs();
    note('torc run outside of PBS', outside, 'jobs/s');
    for (const name of round % 2 === 1 ? names : names.toReversed()) {
      const rate = await ours(name);
      note(`the runner, ${name}`, rate, 'jobs/s');
      note(`the runner beside xargs, ${name}`, rate / xargs, '×');
      note(`the runner beside torc run, ${name}`, rate / outside, '×');
    }
  }
  await server.stop();
  print();
} finally {
  execFileSync(tool, ['down', '--purge', '--dir', cluster], { stdio: 'ignore' });
}
