/**
 * A night on a cluster: does everything get done, once, while something dies every few seconds?
 *
 * `node bench/night.ts [jobs] [allocations] [minutes] [kills] [seed]`: 2,000 jobs in 20 allocations of 2 CPUs, work for 30 minutes, and three
 * kills a minute of a runner, an srun, a slurmd, the controller or a node, while `torc watch --recover` is all that repairs. The cluster is a
 * real one on this machine (`tests/slurm/cluster.sh`). Jobs write a line at their start, each second, and when their work is done; the
 * judge reads these alone, and the accounting of Slurm. It ends with 1 if a job is not completed, done twice, or completed falsely.
 */
import { execFileSync, spawn } from 'node:child_process';
import { createWriteStream, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { argumentsOf } from './support/arguments.ts';
import { judge, type Paid } from './support/night-judge.ts';
import { layOutPackage, workplace } from './support/package.ts';
import { commandsOf, machine, startServer } from './support/processes.ts';

const given = argumentsOf({ jobs: 2_000, allocations: 20, minutes: 30, kills: 3, seed: 1 });
const { jobs, allocations, minutes } = given;
const CPUS = 2;
const PER_NODE = 2;
/** Of the time of the allocations; the rest is for what the kills cost. */
const LOAD = 0.75;
const NODES = Math.ceil(allocations / PER_NODE) + 2;
const script = resolve(import.meta.dirname, '../tests/slurm/cluster.sh');
const folder = layOutPackage();
const cwd = workplace('night');
const cluster = workplace('cluster');
const size = [
  '--nodes',
  String(NODES),
  '--cpus-per-node',
  String(CPUS * PER_NODE),
  '--port-base',
  String(12_200 + 150 * (process.pid % 40)),
];
const environment = {
  ...process.env,
  SLURM_CONF: join(cluster, 'etc/slurm.conf'),
  PATH: `${join(folder, 'bin')}:${process.env['PATH']}:/usr/sbin:/sbin`,
};
Object.assign(process.env, environment);
const out = (program: string, ...args: string[]) =>
  execFileSync(program, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
/** Starts the daemons and nodes that have ended; the controller may be busy for a while. */
const heal = () => spawn(script, ['up', '--dir', cluster], { stdio: 'ignore' });

let state = given.seed;
/** From 0 to below 1. Source: Numerical Recipes, a linear congruential generator. */
const random = () => (state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32) / 2 ** 32;
const one = <T>(list: readonly T[]): T | undefined => list[Math.floor(random() * list.length)];

const meanSeconds = (allocations * CPUS * minutes * 60 * LOAD) / jobs;
const work = (index: number) => {
  const seconds = Math.max(1, Math.round(meanSeconds * (0.1 + 1.8 * random())));
  const log = join(cwd, 'work', String(index));
  return `say() { echo "$1 $TORC_ATTEMPT_ID $EPOCHREALTIME $SLURM_JOB_ID" >> ${log}; }; say start; for i in {1..${seconds}}; do sleep 1; say alive; done; say end`;
};
const flow = () => ({
  name: 'night',
  execution_config: { mode: 'slurm' },
  resource_requirements: [{ name: 'one', num_cpus: 1, memory: '50m', runtime: 'PT5M' }],
  slurm_schedulers: [
    {
      name: 'nodes',
      account: 'any',
      nodes: 1,
      walltime: `0${Math.floor((minutes + 20) / 60)}:${String((minutes + 20) % 60).padStart(2, '0')}:00`,
      mem: '400m',
      extra: `--cpus-per-task=${CPUS}`,
    },
  ],
  actions: [
    {
      trigger_type: 'on_workflow_start',
      action_type: 'schedule_nodes',
      scheduler: 'nodes',
      scheduler_type: 'slurm',
      num_allocations: allocations,
    },
  ],
  jobs: Array.from({ length: jobs }, (_, index) => ({
    name: `job_${index}`,
    resource_requirements: 'one',
    scheduler: 'nodes',
    command: work(index),
    // Half of them need an earlier one.
    ...(index >= jobs / 2 ? { depends_on: [`job_${index - Math.floor(jobs / 2)}`] } : {}),
  })),
});

execFileSync(script, ['up', '--dir', cluster, ...size], { stdio: ['ignore', 'ignore', 'inherit'] });
const server = await startServer(folder, cwd);
const run = commandsOf(folder, cwd, server.url);
const ask = async <T>(path: string): Promise<T> => (await fetch(`${server.url}${path}`)).json() as Promise<T>;

const victims: Readonly<Record<string, () => Promise<string | undefined>>> = {
  async runner() {
    const { items } = await ask<{ items: { pid: number }[] }>(`/compute_nodes?workflow_id=1&is_active=true`);
    const pid = one(items)?.pid;
    return pid === undefined || !kill(pid) ? undefined : `process ${pid}`;
  },
  async srun() {
    const pid = one(readdirSync('/proc').filter((each) => /^\d+$/.test(each) && isSrun(each)));
    return pid === undefined || !kill(Number(pid)) ? undefined : `process ${pid}`;
  },
  async slurmd() {
    const name = nodeName();
    execFileSync(script, ['node', 'stop', name, '--dir', cluster], { stdio: 'ignore' });
    await pause(5_000);
    execFileSync(script, ['node', 'start', name, '--dir', cluster], { stdio: 'ignore' });
    return name;
  },
  async slurmctld() {
    const [pid] = readFileSync(join(cluster, 'run/slurmctld.pid'), 'utf8').split(' ');
    if (!kill(Number(pid))) return undefined;
    await pause(3_000);
    heal();
    return `process ${pid}`;
  },
  async node() {
    const name = nodeName();
    execFileSync(script, ['node', 'crash', name, '--dir', cluster], { stdio: 'ignore' });
    setTimeout(heal, 25_000);
    return name;
  },
};
const nodeName = () => `n${1 + Math.floor(random() * NODES)}`;
const isSrun = (pid: string): boolean => {
  try {
    return (
      /^srun\0.*wf1_j\d+_/.test(readFileSync(`/proc/${pid}/cmdline`, 'utf8')) &&
      readFileSync(`/proc/${pid}/environ`, 'utf8').includes(cluster)
    );
  } catch {
    return false;
  }
};
function kill(pid: number): boolean {
  try {
    process.kill(pid, 'SIGKILL');
    return true;
  } catch {
    return false;
  }
}

let over = false;
async function killNowAndThen(): Promise<void> {
  const begunMs = Date.now();
  while (!over && Date.now() - begunMs < minutes * 60_000) {
    await pause((60_000 / given.kills) * (0.5 + random()));
    const name = one(Object.keys(victims));
    if (over || name === undefined) return;
    const what = await victims[name]?.().catch((error: Error) => error.message);
    console.log(`${new Date().toISOString()} ${name}: ${what ?? 'none is there'}`);
  }
}

try {
  console.log(
    `${jobs} jobs of ${meanSeconds.toFixed(0)} s in ${allocations} allocations of ${CPUS} CPUs, ${given.kills} kills a minute, seed ${given.seed}; ${machine()}; ${cwd}`,
  );
  mkdirSync(join(cwd, 'work'));
  writeFileSync(join(cwd, 'flow.json'), JSON.stringify(flow()));
  await run('create', 'flow.json');
  await run('submit', '1', '-o', 'out', '-p', '5');
  const begunMs = Date.now();
  const log = createWriteStream(join(cwd, 'watch.log'));
  const watch = spawn(join(folder, 'bin/torc'), ['watch', '1', '--recover', '-p', '5', '-o', 'out'], {
    cwd,
    env: { ...environment, TORC_API_URL: server.url },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (const stream of [watch.stdout, watch.stderr]) stream.pipe(log, { end: false });
  const ended = new Promise<number | null>((done) => watch.once('exit', done));
  const killing = killNowAndThen();
  const code = await Promise.race([ended, pause(minutes * 2 * 60_000).then(() => null)]);
  over = true;
  console.log(`watch ended with ${code} after ${((Date.now() - begunMs) / 60_000).toFixed(1)} minutes`);
  await killing;
  heal();
  await pause(20_000);
  const { items } = await ask<{ items: { name: string; status: string; attempt_id: number }[] }>(
    '/jobs?workflow_id=1&limit=10000',
  );
  const paid = out('sacct', '-X', '-n', '-P', '-a', '-D', '-o', 'JobID,ElapsedRaw,AllocCPUS,State')
    .trim()
    .split('\n')
    .map((line): Paid => {
      const [id = '', seconds, cpus, word = ''] = line.split('|');
      return { id, coreSeconds: Number(seconds) * Number(cpus), state: word };
    });
  const { lines, faults } = judge(items, (index) => readFileSync(join(cwd, 'work', String(index)), 'utf8'), paid);
  for (const line of lines) console.log(line);
  for (const fault of faults.slice(0, 20)) console.log(`FAULT ${fault}`);
  process.exitCode = code === 0 && faults.length === 0 ? 0 : 1;
} finally {
  over = true;
  await server.stop();
  execFileSync(script, ['down', '--purge', '--dir', cluster], { stdio: 'ignore' });
}
process.exit();
