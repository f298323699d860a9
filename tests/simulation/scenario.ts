import { vi } from 'vitest';
import type { Workflow } from '../../src/core/contract/workflow.ts';
import { meaningFaults } from '../../src/server/check/queries.ts';
import type { Database } from '../../src/server/store/database.ts';
import { createStore } from '../../src/server/records/store.ts';
import { random } from '../support/random.ts';
import { databaseInMemory, testService } from '../support/service.ts';
import { createMachine } from './machine.ts';
import { createNetwork } from './network.ts';
import { type Ending, faultsOfRun, type Licenses } from './judge.ts';
import { type SimulatedRunner, startRunner } from './runner.ts';
import { createServer } from './server.ts';

const START = Date.parse('2026-03-01T12:00:00Z');
/** How long faults go on, and how long everything may take to come to rest after that, in virtual milliseconds. */
const FAULTY_MS = 15_000;
const REST_MS = 400_000;

export interface Outcome {
  /** What is wrong, a sentence each; empty where all is well. */
  readonly faults: string[];
  /** What happened, to study a seed. */
  readonly story: string[];
}

/** A plan of jobs: for each the places of those before it that it waits for. */
function plan(next: () => number): number[][] {
  const jobs = 5 + Math.floor(next() * 30);
  const density = next() * 0.2;
  return Array.from({ length: jobs }, (_, job) =>
    Array.from({ length: job }, (_, other) => other).filter(() => next() < density),
  );
}

/** In some seeds jobs hold a license, and so many at a time may; numbers of its own leave the other seeds as they were. */
function licensesOf(seed: number, jobs: number): Licenses {
  const next = random(seed * 31 + 7);
  if (next() < 0.6) return { limit: jobs, holders: new Set() };
  const share = 0.2 + next() * 0.8;
  const ids = Array.from({ length: jobs }, (_, place) => place + 1);
  return { limit: 1 + Math.floor(next() * 2), holders: new Set(ids.filter(() => next() < share)) };
}

/**
 * One run of a workflow: server and runners in one process, in virtual time, with faults by the seed.
 *
 * The network loses, doubles, delays and reorders messages; the server is killed before, during and after requests;
 * runners are killed and stopped, and others started in their place. Then the faults end, each host gets a runner, and
 * everything must come to rest: every job done, once, after those that it waits for, and nothing left pending.
 */
export async function simulate(seed: number): Promise<Outcome> {
  const next = random(seed);
  const waitsFor = plan(next);
  const db = databaseInMemory();
  const licenses = licensesOf(seed, waitsFor.length);
  const created = await createWorkflow(db, waitsFor, licenses);
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'],
    now: START,
  });
  // Not a mock of the test runner's: it keeps each, and ten thousand of them slow it down.
  const { kill } = process;
  const story: string[] = [];
  const say = (words: string) => void story.push(`${Date.now() - START} ${words}`);
  try {
    const endsIn = next() < 0.5 ? () => 1 + next() * 50 : () => 1 + next() * 3_000;
    const isFailing = next() < 0.3;
    const failing = new Set(waitsFor.flatMap((_, place) => (isFailing && next() < 0.1 ? [place + 1] : [])));
    const machine = createMachine(endsIn, failing);
    process.kill = (group, signal) => {
      machine.signal(group, signal as NodeJS.Signals);
      return true;
    };
    const network = createNetwork(next);
    const server = createServer(db, created.id);
    const runners: SimulatedRunner[] = [];
    const hosts = Array.from({ length: 1 + Math.floor(next() * 3) }, (_, index) => `host${index}`);
    const slots = 1 + Math.floor(next() * 4);
    const mostEnds = next() < 0.5 ? 2 : 500;
    const recovered = new Set<string>();
    let workflow = created;
    /** What a person does, which takes no time. */
    let person: Promise<void> | undefined;

    const begin = (host: string) => {
      const name = `runner${runners.length}`;
      say(`${name} starts on ${host}`);
      const runner: SimulatedRunner = startRunner({
        name,
        host,
        slots,
        mostEnds,
        workflow,
        server,
        network,
        machine,
        next,
        lost: () => runners.filter((each) => isLost(each, host)),
        onRecovered: (gone) => void recovered.add(gone),
        onEnded: () => say(`${name} ended: ${runner.verdict?.ending}`),
      });
      runners.push(runner);
    };
    /** Gone, and its node counts as active. */
    const isLost = ({ name, host, nodeId, state }: SimulatedRunner, where: string) =>
      host === where &&
      nodeId !== undefined &&
      !recovered.has(name) &&
      (state === 'killed' || state === 'ended') &&
      server.isActive(nodeId);

    const restartServer = () => {
      say('the server is down');
      setTimeout(() => {
        say('the server is back');
        server.start();
      }, next() * 3_000);
    };
    const blows: (() => void)[] = [
      () => {
        const moment = (['before', 'during', 'after'] as const)[Math.floor(next() * 3)] ?? 'before';
        say(`the server dies ${moment} the next request`);
        server.killAt(moment, restartServer);
      },
      () => {
        const living = runners.filter(({ state }) => state !== 'ended' && state !== 'killed');
        const victim = living[Math.floor(next() * living.length)];
        if (victim === undefined) return;
        const isKilled = next() < 0.6;
        say(`${victim.name} is ${isKilled ? 'killed' : 'stopped'}`);
        if (isKilled) victim.kill();
        else victim.stop();
        setTimeout(() => begin(victim.host), next() * 3_000);
      },
      () => {
        network.faults = next() * 0.6;
        say(`faults: ${network.faults.toFixed(2)}`);
      },
    ];

    /** Ctrl-C is not enough for a user: the workflow begins anew while runners of the run before may be at work. */
    const restart = async (cancels: boolean) => {
      const { client } = testService({ store: server.store });
      const params = { id: workflow.id };
      if (cancels) await client.cancelWorkflow({ params });
      await client.resetStatus({ params, query: { force: true } });
      await client.resetJobStatus({ params, query: {} });
      await client.initializeJobs({ params });
      workflow = (await client.getWorkflow({ params })) as typeof workflow;
      say(`run ${workflow.run_id} begins`);
      for (const host of hosts) begin(host);
    };
    if (next() < 0.3) {
      const cancels = next() < 0.5;
      setTimeout(() => void (person = restart(cancels)), next() * FAULTY_MS);
    }

    for (const host of hosts) begin(host);
    if (next() < 0.3) begin(hosts[0] as string);
    network.faults = next() * 0.4;
    for (let blow = Math.floor(next() * 8); blow > 0; blow -= 1)
      setTimeout(() => blows[Math.floor(next() * blows.length)]?.(), next() * FAULTY_MS);
    await pass(FAULTY_MS, () => person);

    say('the faults end');
    network.faults = 0;
    server.spare();
    if (!server.isUp) await pass(3_000, () => person);
    for (const host of hosts) begin(host);
    await pass(
      REST_MS,
      () => person,
      () => runners.every(({ state }) => state === 'ended' || state === 'killed'),
    );
    // Idle runners may have left before a lost one was found.
    begin(hosts[0] as string);
    await pass(
      REST_MS,
      () => person,
      () => runners.every(({ state }) => state === 'ended' || state === 'killed'),
    );

    const ending: Ending = {
      waitsFor,
      failing,
      licenses,
      history: machine.history,
      slots,
      jobs: db.raw('select id, status, claimed_by, attempt_id from job order by id').all() as never,
      results: db.raw('select job_id, run_id, attempt_id from result').all() as never,
      nodes: db.raw('select id, is_active from compute_node').all() as never,
      runnersAtWork: runners.filter(({ state }) => state !== 'ended' && state !== 'killed').map(({ name }) => name),
      runners: runners.length,
      runId: workflow.run_id,
    };
    const meaning = meaningFaults((sql) =>
      db
        .raw(sql)
        .all()
        .map((row) => String(Object.values(row)[0])),
    );
    const faults = [...faultsOfRun(ending), ...Object.values(meaning).flatMap(({ sentences }) => sentences)];
    if (faults.length > 0) for (const { name, log } of runners) story.push(...log.map((line) => `${name}: ${line}`));
    return { faults, story };
  } finally {
    vi.useRealTimers();
    process.kill = kill;
    db.close();
  }
}

/** Lets time pass, from timer to timer. */
async function pass(
  ms: number,
  person: () => Promise<void> | undefined,
  isOver: () => boolean = () => false,
): Promise<void> {
  const until = Date.now() + ms;
  while (Date.now() < until && vi.getTimerCount() > 0 && !isOver()) {
    vi.advanceTimersToNextTimer();
    // What was promised meanwhile happens before the next timer.
    await person();
    for (let turn = 0; turn < 8; turn += 1) await Promise.resolve();
  }
}

async function createWorkflow(
  db: Database,
  waitsFor: readonly number[][],
  { limit, holders }: Licenses,
): Promise<Workflow & { id: number; run_id: number }> {
  const store = createStore(db, { now: Date.now, onBroken: () => {} });
  const { client } = testService({ store });
  const { id } = (await client.createWorkflow({
    body: {
      name: 'simulated',
      user: 'tester',
      compute_node_wait_for_new_jobs_seconds: 0,
      ...(holders.size > 0 ? { limits: { matlab: limit } } : {}),
    },
  })) as { id: number };
  const jobs = waitsFor.map((_, job) => ({
    workflow_id: id,
    name: `job${job}`,
    command: 'true',
    ...(holders.has(job + 1) ? { licenses: { matlab: 1 } } : {}),
  }));
  await client.createJobs({ body: { jobs, depends_on_positions: waitsFor as number[][] } });
  await client.resetStatus({ params: { id } });
  await client.initializeJobs({ params: { id } });
  return (await client.getWorkflow({ params: { id } })) as Workflow & { id: number; run_id: number };
}
