import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '../../src/client/client.ts';
import { random } from '../../tests/support/random.ts';
import type { NightCluster } from './cluster.ts';
import { type Kill, type Victim, VICTIMS } from './records.ts';

interface Killer {
  readonly cluster: NightCluster;
  readonly client: Client;
  readonly workflowId: number;
  readonly hasSteps: boolean;
  readonly seed: number;
  readonly minutes: number;
  readonly perMinute: number;
  readonly report: (words: string) => void;
}

/**
 * Kills a victim at random times until the minutes are over or `over` is aborted. Daemons and nodes come back after a while: all are
 * back when this ends.
 */
export async function killSome(killer: Killer, over: AbortSignal): Promise<Kill[]> {
  const { seed, minutes, perMinute, hasSteps, report } = killer;
  const next = random(seed);
  const startedMs = Date.now();
  const times = Array.from({ length: Math.round(minutes * perMinute) }, () => next() * minutes * 60_000).sort(
    (one, other) => one - other,
  );
  const kills: Kill[] = [];
  const away = new Map<string, Promise<unknown>>();
  const victims = VICTIMS.filter((victim) => victim !== 'srun' || hasSteps);
  for (const atMs of times) {
    await pause(Math.max(0, startedMs + atMs - Date.now()), undefined, { signal: over }).catch(() => {});
    if (over.aborted) break;
    // The first one of a random order that is there to be killed.
    const shuffled = victims.map((victim) => ({ victim, place: next() })).sort((one, other) => one.place - other.place);
    const dice = { pick: next(), delay: next() };
    for (const { victim } of shuffled) {
      const kill = await strike[victim](killer, { ...dice, away });
      if (kill === undefined) continue;
      report(kill.words);
      kills.push({ ...kill, victim, untilMs: Date.now() });
      break;
    }
  }
  await Promise.all(away.values());
  return kills;
}

interface Dice {
  /** Between 0 and 1: who, and for how long. */
  readonly pick: number;
  readonly delay: number;
  /** Nodes and daemons that are away, until they are back. */
  readonly away: Map<string, Promise<unknown>>;
}

type Strike = (
  killer: Killer,
  dice: Dice,
) => Promise<(Omit<Kill, 'victim' | 'untilMs'> & { readonly words: string }) | undefined>;

const strike: Readonly<Record<Victim, Strike>> = {
  async runner({ client, workflowId }, { pick }) {
    const runner = oneOf(await runnersOf(client, workflowId), pick);
    const fromMs = Date.now();
    if (runner === undefined || !isAlive(runner.pid)) return undefined;
    process.kill(runner.pid, 'SIGKILL');
    const { allocation, hostname } = runner;
    const words = `SIGKILL to the runner of Slurm job ${allocation} on ${hostname}`;
    return { fromMs, allocations: [allocation], endsAllocation: true, words };
  },
  async srun({ cluster }, { pick }) {
    const fromMs = Date.now();
    const srun = oneOf(srunsOf(cluster.environment.SLURM_CONF), pick);
    if (srun === undefined) return undefined;
    process.kill(srun.pid, 'SIGKILL');
    const { allocation, name, step } = srun;
    const words = `SIGKILL to srun of step ${name} in Slurm job ${allocation}`;
    return { fromMs, allocations: [allocation], step, endsAllocation: false, words };
  },
  async slurmd({ cluster, client, workflowId }, { pick, delay, away }) {
    const node = oneOf(
      (await runnersOf(client, workflowId)).filter(({ hostname }) => !away.has(hostname)),
      pick,
    );
    if (node === undefined) return undefined;
    const { hostname } = node;
    const fromMs = Date.now();
    // The steps go on: Slurm takes the node for dead only later.
    await cluster.node('stop', hostname);
    const forMs = 1_000 + delay * 5_000;
    comesBack(away, hostname, forMs, () => cluster.node('start', hostname));
    return {
      fromMs,
      allocations: [],
      endsAllocation: false,
      words: `slurmd of ${hostname} stops for ${secondsIn(forMs)}`,
    };
  },
  async slurmctld({ cluster }, { delay, away }) {
    if (away.has('slurmctld')) return undefined;
    const fromMs = Date.now();
    await cluster.controller('crash');
    const forMs = 1_000 + delay * 4_000;
    comesBack(away, 'slurmctld', forMs, () => cluster.controller('start'));
    return {
      fromMs,
      allocations: [],
      endsAllocation: false,
      words: `SIGKILL to slurmctld, back in ${secondsIn(forMs)}`,
    };
  },
  async node({ cluster, client, workflowId }, { pick, delay, away }) {
    const runners = await runnersOf(client, workflowId);
    const node = oneOf(
      runners.filter(({ hostname }) => !away.has(hostname)),
      pick,
    );
    if (node === undefined) return undefined;
    const { hostname } = node;
    const allocations = runners.filter((each) => each.hostname === hostname).map(({ allocation }) => allocation);
    const fromMs = Date.now();
    await cluster.node('crash', hostname);
    const forMs = 20_000 + delay * 20_000;
    comesBack(away, hostname, forMs, () => cluster.node('start', hostname));
    const words = `${hostname} with Slurm job ${allocations.join(', ')} crashes, back in ${secondsIn(forMs)}`;
    return { fromMs, allocations, endsAllocation: true, words };
  },
};

const secondsIn = (ms: number) => `${Math.round(ms / 1000)} s`;
const oneOf = <T>(list: readonly T[], pick: number): T | undefined => list[Math.floor(pick * list.length)];

function comesBack(away: Dice['away'], name: string, afterMs: number, start: () => Promise<void>): void {
  const back = pause(afterMs)
    .then(start)
    .finally(() => away.delete(name));
  away.set(name, back);
}

interface Runner {
  readonly pid: number;
  readonly hostname: string;
  readonly allocation: number;
}

async function runnersOf(client: Client, workflowId: number): Promise<Runner[]> {
  const { items } = await client.listComputeNodes({ query: { workflow_id: workflowId, is_active: true } });
  return items.map(({ pid, hostname, scheduler }) => ({
    pid,
    hostname,
    allocation: Number((scheduler as { readonly slurm_job_id?: string } | undefined)?.slurm_job_id),
  }));
}

/** A process id may belong to another process by now. */
const isAlive = (pid: number): boolean =>
  wordsOf(pid, 'cmdline').some((word) => word.includes('torc-slurm-job-runner'));

/** Each srun on this cluster, but not the process that it starts to look after itself. */
function srunsOf(configuration: string) {
  const pids = readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0);
  const sruns = pids.filter((pid) => /(?:^|\/)srun$/.test(wordsOf(pid, 'cmdline')[0] ?? ''));
  return sruns.flatMap((pid) => {
    const words = wordsOf(pid, 'cmdline');
    const value = (option: string) => words.find((word) => word.startsWith(`--${option}=`))?.slice(option.length + 3);
    const name = value('job-name');
    const isOurs = wordsOf(pid, 'environ').includes(`SLURM_CONF=${configuration}`);
    if (!isOurs || name === undefined || sruns.includes(parentOf(pid))) return [];
    const [, jobId, run, attempt] = (/^wf\d+_j(\d+)_r(\d+)_a(\d+)$/.exec(name) ?? []).map(Number);
    const step = jobId && run && attempt ? { jobId, run, attempt } : undefined;
    return [{ pid, name, step, allocation: Number(value('jobid')) }];
  });
}

function wordsOf(pid: number, file: 'cmdline' | 'environ'): string[] {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8').split('\0');
  } catch {
    // It has ended.
    return [];
  }
}

function parentOf(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return 0;
  }
}
