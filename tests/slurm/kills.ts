import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { uptime } from 'node:os';
import { join } from 'node:path';
import { judgeKilled, type KilledKind, killedCommand, shortKilledCommand } from '../support/killed-jobs.ts';
import { random } from '../support/random.ts';
import { type RunningServer, torc, until } from '../support/programs.ts';
import type { Cluster } from './cluster.ts';

/**
 * Kills on a real cluster. A seed chooses how jobs run, who is killed, and when. The judge reads the files that the jobs wrote:
 * a job writes a line when it begins and one when its work is done.
 *
 * - no job is completed without its last line in that attempt;
 * - after recoveries every job is completed;
 * - no job does its work twice, unless it ended when a victim was being killed: then it cannot be known.
 */

const MODES = ['direct', 'steps', 'batched', 'two nodes'] as const;
type Mode = (typeof MODES)[number];

/** Who dies. The last ones exist only where jobs are steps. */
export const VICTIMS = [
  'runner',
  'batch step',
  'allocation',
  'requeue',
  'node',
  'time limit',
  'srun',
  'step daemon',
  'launcher',
] as const;
type Victim = (typeof VICTIMS)[number];
const OF_STEPS: ReadonlySet<Victim> = new Set(['srun', 'step daemon']);
/** Batched jobs that are so short that they are sent ahead to their launcher (ADR 28). They come before the others. */
const SHORT_JOBS = 300;

const KINDS = ['plain', 'racer', 'leaves', 'refuses', 'ignores', 'pipeline'] as const;

export interface Verdict {
  readonly words: string;
  readonly faults: readonly string[];
  /** Jobs that did their work twice because they ended when a victim was being killed. */
  readonly met: readonly string[];
}

export interface Lane {
  readonly cluster: Cluster;
  readonly server: RunningServer;
  readonly folder: string;
}

const AT_MOST_MS = 300_000;
/**
 * How long other processes take the CPUs after a kill: longer than Slurm's time between SIGTERM and SIGKILL, which is 3 s here. Until
 * the workflow ended, as before, they took 77 of 137 s of CPU time, and every other test of the machine waited for them.
 */
const BUSY_AFTER_MS = 5_000;
const ENDED = ['completed', 'failed', 'terminated', 'canceled'];

/** What a seed stands for. */
export function planOfSeed(seed: number): Plan {
  const next = random(seed);
  const one = <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)] as T;
  const mode = one(MODES);
  const victim = one(
    VICTIMS.filter((each) => (each === 'launcher' ? mode === 'batched' : mode !== 'direct' || !OF_STEPS.has(each))),
  );
  const afterMs = Math.floor(next() * 3_000);
  const busy = one([0, 0, 2, 8]);
  const kinds = Array.from({ length: 6 }, () => one(KINDS));
  const seconds = kinds.map(() => 1 + Math.round(next() * 50) / 10);
  return { seed, mode, victim, afterMs, busy, kinds, seconds };
}

/** One seed: a workflow, a kill, recoveries, and what the files say. */
export async function tryKill(lane: Lane, seed: number): Promise<Verdict> {
  const plan = planOfSeed(seed);
  const words = `seed ${seed}: ${plan.mode}, ${plan.victim} after ${plan.afterMs} ms, ${plan.busy} busy processes`;
  try {
    return { words, ...(await run(lane, plan)) };
  } catch (error) {
    return { words, faults: [(error as Error).message], met: [] };
  }
}

interface Plan {
  readonly seed: number;
  readonly mode: Mode;
  readonly victim: Victim;
  readonly afterMs: number;
  /** Number of processes that take the CPUs from the others around the kill. */
  readonly busy: number;
  readonly kinds: readonly KilledKind[];
  readonly seconds: readonly number[];
}

async function run({ cluster, server, folder }: Lane, plan: Plan): Promise<Omit<Verdict, 'words'>> {
  const { seed, victim, afterMs, busy } = plan;
  const place = join(folder, `seed-${seed}`);
  mkdirSync(place);
  const call = async (...args: string[]) =>
    torc(['--url', server.url, ...args], { cwd: place, environment: cluster.environment });
  const well = async (...args: string[]) => {
    const ended = await call(...args);
    if (ended.code !== 0)
      throw new Error(`torc ${args.join(' ')} ended with ${ended.code}:\n${ended.stderr}${ended.stdout}`);
    return ended;
  };
  writeFileSync(join(place, 'flow.json'), JSON.stringify(workflowOf(plan, place)));
  const id = Number(/\d+/.exec((await well('create', 'flow.json')).stdout)?.[0]);
  await well('workflows', 'init', String(id));
  const { stderr } = await well('slurm', 'schedule-nodes', String(id), '-p', '1');
  const allocation = /with ID=(\d+)/.exec(stderr)?.[1] as string;

  const jobsOf = async () => (await server.client.listJobs({ query: { workflow_id: id } })).items;
  const judge = async () => {
    const { items } = await server.client.listResults({ query: { workflow_id: id, all_runs: true } });
    return judgeKilled(await jobsOf(), items, { place, killedAtMs });
  };
  await until(
    jobsOf,
    (jobs) => jobs.some(({ status }) => status === 'running' || status === 'completed'),
    `a job of workflow ${id} to run`,
    AT_MOST_MS,
  );
  const stopBusy = keepBusy(busy);
  await new Promise((done) => void setTimeout(done, afterMs));
  const killedAtMs = uptime() * 1000;
  const faults: string[] = [];
  const open = ['PENDING', 'CONFIGURING', 'RUNNING', 'COMPLETING'];
  /** Slurm has ended all its allocations. */
  const isOver = async () => {
    const { items } = await server.client.listScheduledComputeNodes({ query: { workflow_id: id } });
    const ids = items.flatMap(({ scheduler_id: jobId }) => (jobId > 0 ? [jobId] : [])).join(',');
    const states = cluster.run('squeue', '-h', '-t', 'all', '-j', ids, '-o', '%T').split('\n').filter(Boolean);
    return states.every((state) => !open.includes(state));
  };
  const isDone = async () => (await jobsOf()).every(({ status }) => ENDED.includes(status ?? ''));
  const stopped = () =>
    until(
      async () => (await isDone()) || (await isOver()),
      (yes) => yes,
      `workflow ${id} to stop`,
      AT_MOST_MS,
    );
  try {
    await kill(cluster, server, { id, allocation, victim }).catch(async (error: unknown) => {
      // On a busy machine all its jobs may be done, and then there is no victim.
      if (!(await isOver())) throw error;
    });
    // A time limit is reached within a minute.
    if (busy > 0 && victim === 'time limit') await stopped();
    else if (busy > 0) await new Promise((done) => void setTimeout(done, BUSY_AFTER_MS));
  } finally {
    stopBusy();
  }
  for (let round = 0; round < 6; round += 1) {
    await stopped();
    faults.push(...(await judge()).faults.map((fault) => `round ${round}: ${fault}`));
    const jobs = await jobsOf();
    if (jobs.every(({ status }) => status === 'completed')) break;
    const ended = await call(
      'recover',
      String(id),
      '--no-prompts',
      '--retry-unknown',
      '--partition',
      'debug',
      '--walltime',
      '00:10:00',
    );
    faults.push(...(await judge()).faults.map((fault) => `recovery ${round}: ${fault}`));
    // Another allocation of it may still end.
    if (ended.code !== 0) await new Promise((done) => void setTimeout(done, 2_000));
  }
  const last = await judge();
  const jobs = await jobsOf();
  const lost = jobs.filter(({ status }) => status !== 'completed').map(({ name, status }) => `${name} is ${status}`);
  return { faults: [...new Set([...faults, ...last.twice, ...lost])], met: last.met };
}

function workflowOf({ seed, mode, kinds, seconds }: Plan, place: string) {
  const jobs = kinds.map((kind, at) => ({
    name: `${kind}${at}`,
    command: killedCommand(kind, seconds[at] as number, place),
    resource_requirements: mode === 'two nodes' && at < 2 ? 'wide' : 'one',
  }));
  const short = Array.from({ length: mode === 'batched' ? SHORT_JOBS : 0 }, (_, at) => ({
    name: `short${at}`,
    command: shortKilledCommand(place),
    resource_requirements: 'one',
  }));
  const execution = {
    mode: mode === 'direct' ? 'direct' : 'slurm',
    ...(mode === 'batched' ? { step_batching: true } : {}),
    sigkill_headroom_seconds: 10,
    ...(mode === 'direct' ? { sigterm_lead_seconds: 5 } : {}),
  };
  return {
    name: `kill ${seed}`,
    execution_config: execution,
    resource_requirements: [
      { name: 'one', num_cpus: 1, memory: '100m', runtime: 'PT1M' },
      { name: 'wide', num_cpus: 1, memory: '100m', runtime: 'PT1M', num_nodes: 2 },
    ],
    slurm_schedulers: [
      {
        name: 'nodes',
        account: 'any',
        nodes: mode === 'two nodes' ? 2 : 1,
        walltime: '00:20:00',
        mem: '1500m',
        extra: '--cpus-per-task=4',
      },
    ],
    jobs: [
      ...short,
      ...jobs,
      {
        name: 'last',
        command: killedCommand('plain', seconds[0] as number, place),
        resource_requirements: 'one',
        depends_on: jobs.slice(0, 2).map(({ name }) => name),
      },
    ],
  };
}

async function kill(
  cluster: Cluster,
  server: RunningServer,
  { id, allocation, victim }: { readonly id: number; readonly allocation: string; readonly victim: Victim },
): Promise<void> {
  const runner = (await server.client.listComputeNodes({ query: { workflow_id: id, is_active: true } })).items[0];
  switch (victim) {
    case 'runner':
      return signal(runner?.pid);
    case 'batch step':
      return void cluster.run('scancel', '-s', 'KILL', '--batch', allocation);
    case 'allocation':
      return void cluster.run('scancel', allocation);
    case 'requeue':
      return void cluster.run('scontrol', 'requeue', allocation);
    case 'time limit':
      return void cluster.run('scontrol', 'update', `JobId=${allocation}`, 'TimeLimit=1');
    case 'node': {
      const node = cluster.run('squeue', '-h', '-j', allocation, '-o', '%N').trim();
      if (node === '') throw new Error(`allocation ${allocation} has no node`);
      const name = cluster.run('scontrol', 'show', 'hostnames', node).split('\n').at(-2) ?? '';
      cluster.node('crash', name);
      await until(
        () => cluster.run('sinfo', '-h', '-n', name, '-o', '%T'),
        (state) => /down/i.test(state),
        `${name} to be down`,
        AT_MOST_MS,
      );
      return cluster.node('start', name);
    }
    case 'srun':
      // First the children, each of which ends the step when it sees the end of its parent.
      return cluster
        .processes(`^srun --jobid=${allocation} `)
        .toReversed()
        .forEach((pid) => signal(pid));
    case 'step daemon':
      return signal(cluster.processes(String.raw`slurmstepd: \[${allocation}\.[0-9]+\]`)[0]);
    case 'launcher':
      return signal(cluster.processes(`^[^ ]*node .*torc.mjs step-launcher wf${id}_`)[0]);
  }
}

function signal(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

/** As many processes that use all of a CPU, while this process lives. */
function keepBusy(count: number): () => void {
  const children = Array.from({ length: count }, () =>
    spawn('sh', ['-c', `while [ -e /proc/${process.pid} ]; do :; done`], { stdio: 'ignore' }),
  );
  return () => children.forEach((child) => child.kill('SIGKILL'));
}
