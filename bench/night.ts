/**
 * Does a workflow survive a night in which its runners, nodes and the daemons of Slurm are killed again and again?
 *
 * `node bench/night.ts [jobs] [allocations] [minutes] [kills] [seed] [direct|slurm|batching]`: 2,000 jobs of one CPU in 20 allocations of two
 * CPUs, work for 80 % of 30 minutes, and three kills a minute meanwhile: SIGKILL to a runner or an srun, a restart of a slurmd or of
 * slurmctld, a crash of a node. `torc submit` begins, and only `torc watch --recover` repairs. The judge reads what each job appended
 * to a file of its own at its start and its end. The cluster is a real one on this machine (`tests/slurm/cluster.sh`), with as many nodes as
 * allocations; it needs root, so that each node has a name of its own. Exits with 1 if a promise is broken.
 * `node bench/night.ts 60 4 1.5` takes some minutes.
 */
import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createClient } from '../src/client/client.ts';
import { connect } from '../src/client/node/connect.ts';
import { startCluster } from './night/cluster.ts';
import { judge } from './night/judge.ts';
import { killSome } from './night/killer.ts';
import { printRun } from './night/print.ts';
import { readRun } from './night/read.ts';
import { allocationsOf } from './night/records.ts';
import { usageOf } from './night/usage.ts';
import { CPUS, jobsOf, type Mode, MODES, SCRIPT, workflowOf } from './night/workload.ts';
import { argumentsOf } from './support/arguments.ts';
import { layOutPackage, workplace } from './support/package.ts';
import { commandsOf, machine, startServer } from './support/processes.ts';

const {
  words,
  kills: perMinute,
  ...size
} = argumentsOf({ jobs: 2_000, allocations: 20, minutes: 30, kills: 3, seed: 1 }, 'words');
const mode = (words[0] ?? 'direct') as Mode;
if (!(mode in MODES) || words.length > 1) {
  console.error(`unknown mode ${words.join(' ')}; there are ${Object.keys(MODES).join(', ')}`);
  process.exit(2);
}
const FIRST_PORT = 11_500;
/** A run that takes so many times as long as its work has stopped. */
const PATIENCE = 4;
/** Seconds that Slurm gets to end its last allocations and to account for them. */
const MOST_TRIES = 120;
const SACCT = ['-X', '-D', '-n', '-P', '-S', 'now-2days'];

const folder = workplace(`night-${mode}`);
const installed = layOutPackage();
const startedMs = Date.now();
const report = (line: string) => console.log(`${String(secondsSince(startedMs)).padStart(6)} s  ${line}`);
const nodes = ['--nodes', String(size.allocations), '--cpus-per-node', String(CPUS), '--gpus-per-node', '0'];
const cluster = await startCluster(workplace('cluster'), join(folder, 'slurm'), [
  ...nodes,
  '--port-base',
  String(FIRST_PORT),
]);
let stopServer = async (): Promise<void> => {};
const failed = new AbortController();
try {
  process.env['SLURM_CONF'] = cluster.environment.SLURM_CONF;
  process.env['PATH'] = `${join(installed, 'bin')}:${cluster.environment.PATH}`;
  const server = await startServer(installed, folder);
  stopServer = async () => server.stop();
  const connection = connect({ url: server.url });
  const client = createClient(connection.send);
  const jobs = jobsOf(size);
  const work = Math.round(jobs.reduce((sum, { seconds }) => sum + seconds, 0));
  console.log(`${jobs.length} jobs, ${work} s of work, ${size.allocations} allocations, mode ${mode}; ${machine()}`);
  console.log(`files: ${folder}`);
  mkdirSync(join(folder, 'jobs'));
  writeFileSync(join(folder, 'work.sh'), SCRIPT, { mode: 0o755 });
  writeFileSync(join(folder, 'flow.json'), JSON.stringify(workflowOf(jobs, size, mode, folder)));
  await commandsOf(installed, folder, server.url)('submit', 'flow.json', '--no-prompts');
  const { id } = (await client.listWorkflows({ query: { limit: 1 } })).items[0] as { id: number };

  const over = new AbortController();
  const watching = watch(id, server.url).finally(() => over.abort());
  const hasSteps = mode !== 'direct';
  const kills = await killSome({ cluster, client, workflowId: id, hasSteps, perMinute, ...size, report }, over.signal);
  report(`${kills.length} kills; from now on no process is killed`);
  const code = await watching;
  report(`torc watch ended with ${code ?? 'SIGKILL'}`);

  const allocations = allocationsOf(await accounting());
  const found = await readRun(client, { workflowId: id, jobs, folder: join(folder, 'jobs') });
  const isKept = printRun(judge(found, kills), usageOf(allocations, found, kills), {
    jobs: found,
    allocations,
    kills,
    watchCode: code,
    seconds: secondsSince(startedMs),
  });
  process.exitCode = isKept ? 0 : 1;
  connection.close();
} finally {
  failed.abort();
  await stopServer();
  await cluster.stop();
}

/** Runs `torc watch --recover` to its end, or until this program failed; undefined if it had to be killed. */
async function watch(workflowId: number, url: string): Promise<number | undefined> {
  const log = openSync(join(folder, 'watch.log'), 'w');
  const child = spawn(
    join(installed, 'bin/torc'),
    ['watch', String(workflowId), '--recover', '--poll-interval', '10'],
    {
      cwd: folder,
      env: { ...process.env, TORC_API_URL: url },
      stdio: ['ignore', log, log],
    },
  );
  closeSync(log);
  const kill = () => child.kill('SIGKILL');
  failed.signal.addEventListener('abort', kill);
  const patience = setTimeout(kill, (size.minutes * PATIENCE + 10) * 60_000);
  const code = await new Promise<number | null>((done) => void child.once('close', done));
  clearTimeout(patience);
  return code ?? undefined;
}

/** The rows of the accounting, when Slurm has ended all allocations, or after a while. */
async function accounting(): Promise<string> {
  for (let tries = 0; ; tries += 1) {
    const queued = await cluster.ask('squeue', '-h', '-o', '%i %T');
    const rows = await cluster.ask('sacct', ...SACCT, '--format', 'JobIDRaw,AllocCPUS,Start,End,State');
    // Those that never started have no times at all.
    const open = rows.split('\n').filter((row) => /\|\d+\|Unknown\|/.test(row));
    if (queued.trim() === '' && open.length === 0) return rows;
    if (tries === MOST_TRIES) {
      for (const line of [...queued.split('\n'), ...open].filter(Boolean))
        report(`without an end, not counted: ${line}`);
      return rows;
    }
    await pause(1_000);
  }
}

function secondsSince(ms: number): number {
  return Math.round((Date.now() - ms) / 1000);
}
