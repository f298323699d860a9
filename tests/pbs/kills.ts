import { mkdirSync, readFileSync } from 'node:fs';
import { uptime } from 'node:os';
import { join } from 'node:path';
import { random } from '../support/random.ts';
import { processesWith } from '../support/processes.ts';
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
  runner: ({ job }: Victim) => processOf(job, 'torc-slurm-job-runner'),
  shell: ({ job }: Victim) => processOf(job, '/bin/bash', (name) => name.includes('/pbs/')),
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

function processOf(job: number, program: string, isMeant: (line: string) => boolean = () => true): void {
  const pid = processesWith('PBS_JOBID', `${job}.pbs`).find((each) => {
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

/** Jobs that end in all the ways that matter when they are signaled. The work takes `seconds`. */
const KINDS: Readonly<Record<string, (seconds: number) => string>> = {
  plain: (seconds) => `sleep ${seconds}; finish`,
  racer: (seconds) => `for i in {1..20}; do sleep 300 & done; sleep ${seconds}; finish; kill $(jobs -p)`,
  leaves: (seconds) => `trap 'leave; exit 0' TERM; sleep ${seconds} & wait $!; finish`,
  refuses: (seconds) => `trap 'exit 3' TERM; sleep ${seconds} & wait $!; finish`,
  ignores: (seconds) => `trap '' TERM; sleep ${seconds}; finish`,
  // In a session of its own, which PBS never ends.
  apart: (seconds) => `setsid bash -c 'sleep ${seconds}' & wait $!; finish`,
};

interface PbsVerdict {
  readonly words: string;
  readonly faults: readonly string[];
}

const AT_MOST_MS = 180_000;
/** A job that ended so long before the kill must be known to have ended. Times are those since the boot. */
const KNOWN_MS = 2_000;

export async function tryPbsKill(lane: PbsLane, seed: number): Promise<PbsVerdict> {
  const next = random(seed);
  const one = <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)] as T;
  const victim = one(Object.keys(VICTIMS) as (keyof typeof VICTIMS)[]);
  const afterMs = Math.floor(next() * 3_000);
  const kinds = Array.from({ length: 6 }, () => one(Object.keys(KINDS)));
  const seconds = kinds.map(() => 1 + Math.round(next() * 50) / 10);
  const words = `seed ${seed}: ${victim} after ${afterMs} ms`;
  try {
    return { words, faults: await run(lane, { seed, victim, afterMs, kinds, seconds }) };
  } catch (error) {
    return { words, faults: [(error as Error).message] };
  }
}

interface Trial {
  readonly seed: number;
  readonly victim: keyof typeof VICTIMS;
  readonly afterMs: number;
  readonly kinds: readonly string[];
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
  const judge = async () => {
    const { items } = await server.client.listResults({ query: { workflow_id: id, all_runs: true } });
    for (const job of await jobsOf()) {
      const lines = readText(join(place, `${job.name}.log`))
        .split('\n')
        .filter(Boolean);
      const done = lines.filter((line) => line.startsWith('done '));
      if (done.length > 1 && Number(done[0]?.split(' ')[3]) * 1000 < killedAtMs - KNOWN_MS)
        faults.push(`${job.name} did its work twice: ${lines.join(', ')}`);
      for (const result of items.filter(({ job_id: of, status }) => of === job.id && status === 'completed')) {
        const attempt = `${result.run_id} ${result.attempt_id ?? 1} `;
        if (!lines.some((line) => line.startsWith(`done ${attempt}`) || line.startsWith(`left ${attempt}`)))
          faults.push(`${job.name} completed in ${attempt}, but it wrote ${lines.join(', ') || 'nothing'}`);
      }
    }
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
  const left = jobs.flatMap((job) => processesWith('TORC_PBS_JOB', String(job)));
  return [...new Set([...faults, ...lost, ...left.map((pid) => `process ${pid} is left`)])];
}

/** A line for each key, whose value is JSON, which YAML reads. */
const asYaml = (body: object): string =>
  Object.entries(body)
    .map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`)
    .join('');

/** Each job appends to a file of its own: `begin`, and `done` or `left` as its last word. */
function bodyOf({ kinds, seconds }: Trial, place: string) {
  const line = (word: string) =>
    `read -r up rest < /proc/uptime; echo "${word} $TORC_RUN_ID $TORC_ATTEMPT_ID $up" >> ${place}/$TORC_JOB_NAME.log`;
  const commandOf = (kind: string, at: number) =>
    `finish() { ${line('done')}; }; leave() { ${line('left')}; }; ${line('begin')}; ${KINDS[kind]?.(seconds[at] as number)}`;
  const jobs = kinds.map((kind, at) => ({
    name: `${kind}${at}`,
    command: commandOf(kind, at),
    resource_requirements: 'one',
  }));
  return {
    execution_config: { mode: 'direct', sigkill_headroom_seconds: 10, sigterm_lead_seconds: 5 },
    resource_requirements: [{ name: 'one', num_cpus: 1, memory: '100m', runtime: 'PT1M' }],
    pbs_schedulers: [{ name: 'nodes', select: '1:ncpus=4:mem=1500mb', walltime: '00:20:00' }],
    jobs: [
      ...jobs,
      {
        name: 'last',
        command: commandOf('plain', 0),
        resource_requirements: 'one',
        depends_on: jobs.slice(0, 2).map(({ name }) => name),
      },
    ],
    actions: [
      { trigger_type: 'on_workflow_start', action_type: 'schedule_nodes', scheduler: 'nodes', scheduler_type: 'pbs' },
    ],
  };
}
