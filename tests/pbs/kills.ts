import { mkdirSync, readFileSync } from 'node:fs';
import { uptime } from 'node:os';
import { join } from 'node:path';
import { judgeKilled, type KilledKind, killedCommand } from '../support/killed-jobs.ts';
import { random } from '../support/random.ts';
import { until } from '../support/programs.ts';
import type { PbsLane } from './lane.ts';

/**
 * Kills on a real PBS cluster. A seed chooses who is killed, and when. The judge reads the files that the jobs wrote, a line when one
 * begins and one when its work is done:
 *
 * - no job is completed without its last line in that attempt;
 * - after recoveries every job is completed, and nothing of the workflow runs;
 * - no job does its work twice, unless it ended when the victim was being killed: then it cannot be known.
 */
const VICTIMS = {
  runner: (victim: Victim) => processOf(victim, 'torc-slurm-job-runner'),
  // Of an allocation of two nodes.
  launcher: (victim: Victim) => processOf(victim, 'step-launcher', (name) => !name.startsWith('pbs_tmrsh')),
  shell: (victim: Victim) => processOf(victim, '/bin/bash', (name) => name.includes('/pbs/')),
  delete: ({ lane, job }: Victim) => void lane.cluster.run('qdel', `${job}.pbs`),
  force: ({ lane, job }: Victim) => void lane.cluster.run('qdel', '-W', 'force', `${job}.pbs`),
  requeue: ({ lane, job }: Victim) => void lane.cluster.run('qrerun', `${job}.pbs`),
  walltime: ({ lane, job }: Victim) => void lane.cluster.run('qalter', '-l', 'walltime=1', `${job}.pbs`),
  node: ({ lane, job }: Victim) => {
    const node = nodeOf(lane, job);
    lane.cluster.does('node', 'crash', node);
    lane.cluster.does('node', 'start', node);
  },
  mom: ({ lane, job }: Victim) => {
    const node = nodeOf(lane, job);
    lane.cluster.does('node', 'stop', node);
    lane.cluster.does('node', 'start', node);
  },
  server: ({ lane }: Victim) => crash(lane, 'server'),
  sched: ({ lane }: Victim) => crash(lane, 'sched'),
  comm: ({ lane }: Victim) => crash(lane, 'comm'),
} as const;

interface Victim {
  readonly lane: PbsLane;
  readonly job: number;
}

const crash = ({ cluster }: PbsLane, daemon: string): void => {
  cluster.does('daemon', 'crash', daemon);
  cluster.does('daemon', 'start', daemon);
};

const nodeOf = ({ cluster }: PbsLane, job: number): string =>
  (cluster.field(job, 'exec_host') ?? '').split('/')[0] as string;

function processOf({ lane, job }: Victim, program: string, isMeant: (line: string) => boolean = () => true): void {
  const pid = lane.processesOf(job).find((each) => {
    const words = readText(`/proc/${each}/cmdline`);
    return words.includes(program) && isMeant(words);
  });
  if (pid === undefined) return;
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}

const KINDS = ['plain', 'racer', 'leaves', 'refuses', 'ignores', 'apart'] as const;

interface PbsVerdict {
  readonly words: string;
  readonly faults: readonly string[];
}

const AT_MOST_MS = 180_000;

export async function tryPbsKill(lane: PbsLane, seed: number): Promise<PbsVerdict> {
  const next = random(seed);
  const one = <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)] as T;
  const victim = one(Object.keys(VICTIMS) as (keyof typeof VICTIMS)[]);
  const afterMs = Math.floor(next() * 3_000);
  const kinds = Array.from({ length: 6 }, () => one(KINDS));
  const seconds = kinds.map(() => 1 + Math.round(next() * 50) / 10);
  const nodes = victim === 'launcher' ? 2 : one([1, 2]);
  const words = `seed ${seed}: ${victim} after ${afterMs} ms, ${nodes === 1 ? 'one node' : 'two nodes'}`;
  try {
    return { words, faults: await run(lane, { seed, victim, afterMs, kinds, seconds, nodes }) };
  } catch (error) {
    return { words, faults: [(error as Error).message] };
  }
}

interface Trial {
  readonly seed: number;
  readonly victim: keyof typeof VICTIMS;
  readonly afterMs: number;
  readonly kinds: readonly KilledKind[];
  /** Of the allocation: jobs run on all of them, and two need all. */
  readonly nodes: number;
  readonly seconds: readonly number[];
}

async function run(lane: PbsLane, trial: Trial): Promise<string[]> {
  const { server, cluster, call } = lane;
  const name = `kill-${trial.seed}`;
  const place = join(lane.folder, `seed-${trial.seed}`);
  mkdirSync(place);
  const { id, jobs } = await lane.submitted(name, asYaml(bodyOf(trial, place)));
  const jobsOf = async () => (await server.client.listJobs({ query: { workflow_id: id } })).items;
  await until(
    jobsOf,
    (found) => found.some(({ status }) => status === 'running' || status === 'completed'),
    `a job of workflow ${id} to run`,
    AT_MOST_MS,
  );
  await new Promise((done) => void setTimeout(done, trial.afterMs));
  const killedAtMs = uptime() * 1000;
  const isOver = async () => {
    const { items } = await server.client.listScheduledComputeNodes({ query: { workflow_id: id } });
    return items.every(({ scheduler_id: job }) => !(job > 0) || cluster.field(job, 'job_state') === 'F');
  };
  try {
    VICTIMS[trial.victim]({ lane, job: jobs[0] as number });
  } catch (error) {
    // It may have ended just before.
    if (!(await isOver())) throw error;
  }
  const faults: string[] = [];
  const twice = new Set<string>();
  const judge = async () => {
    const { items } = await server.client.listResults({ query: { workflow_id: id, all_runs: true } });
    const found = judgeKilled(await jobsOf(), items, { place, killedAtMs });
    faults.push(...found.faults);
    for (const each of found.twice) twice.add(each);
  };
  for (let round = 0; round < 6; round += 1) {
    await until(isOver, (over) => over, `the allocations of workflow ${id} to end`, AT_MOST_MS);
    await judge();
    if ((await jobsOf()).every(({ status }) => status === 'completed')) break;
    await call('recover', String(id), '--no-prompts', '--retry-unknown', '--walltime', '00:10:00');
  }
  await judge();
  const lost = (await jobsOf()).flatMap(({ name: job, status }) =>
    status === 'completed' ? [] : [`${job} is ${status}`],
  );
  const left: string[] = [];
  for (const job of jobs) await lane.noProcessOf(job).catch(({ message }: Error) => left.push(message));
  return [...new Set([...faults, ...twice, ...lost, ...left])];
}

/** A line for each key, whose value is JSON, which YAML reads. */
const asYaml = (body: object): string =>
  Object.entries(body)
    .map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`)
    .join('');

function bodyOf({ kinds, seconds, nodes }: Trial, place: string) {
  const jobs = kinds.map((kind, at) => ({
    name: `${kind}${at}`,
    command: killedCommand(kind, seconds[at] as number, place),
    resource_requirements: nodes > 1 && at < 2 ? 'wide' : 'one',
  }));
  return {
    execution_config: { mode: 'direct', sigkill_headroom_seconds: 10, sigterm_lead_seconds: 5 },
    resource_requirements: [
      { name: 'one', num_cpus: 1, memory: '100m', runtime: 'PT1M' },
      { name: 'wide', num_cpus: 1, memory: '100m', runtime: 'PT1M', num_nodes: 2 },
    ],
    pbs_schedulers: [{ name: 'nodes', select: `${nodes}:ncpus=4:mem=1500mb`, place: 'scatter', walltime: '00:20:00' }],
    jobs: [
      ...jobs,
      {
        name: 'last',
        command: killedCommand('plain', seconds[0] as number, place),
        resource_requirements: 'one',
        depends_on: jobs.slice(0, 2).map(({ name }) => name),
      },
    ],
    actions: [
      { trigger_type: 'on_workflow_start', action_type: 'schedule_nodes', scheduler: 'nodes', scheduler_type: 'pbs' },
    ],
  };
}
