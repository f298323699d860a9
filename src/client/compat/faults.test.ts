import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type StandIn, standIn } from '../../../tests/support/original/stand-in.ts';
import { random as randomOf } from '../../../tests/support/random.ts';
import { ended, registerNode, started } from '../../../tests/support/service.ts';
import type { ClaimedJob, ExchangeRequest } from '../../core/contract/exchange.ts';
import { type Client, createClient, type Send } from '../client.ts';
import { Unreachable } from '../errors.ts';
import { createPlainExchange } from './exchange.ts';

/**
 * Runners that only communicate, over a network that loses requests and replies, with the stand-in for Torc's server.
 */
let server: StandIn;
beforeAll(async () => {
  server = await standIn({ unblockEveryMs: 1 });
});
afterAll(() => server.close());

/** Loses some requests before they are executed and some replies afterwards. */
const faulty =
  (send: Send, random: () => number, share: number): Send =>
  async (request) => {
    if (random() < share) throw new Unreachable('the request was lost');
    const answer = await send(request);
    if (random() < share) throw new Unreachable('the answer was lost');
    return answer;
  };

interface Launches {
  /** How often each attempt of each job was started. */
  readonly counts: Map<string, number>;
  /** Jobs whose first attempt fails. */
  readonly failing: ReadonlySet<number>;
}

/**
 * The exchanges of a runner: it starts the jobs that it gets, ends them in a later exchange, and returns some of them.
 */
async function runner(client: Client, workflowId: number, nodeId: number, random: () => number, launches: Launches) {
  const warnings: string[] = [];
  const exchange = createPlainExchange({ client, workflowId, onWarning: (message) => void warnings.push(message) });
  let running: ClaimedJob[] = [];
  let news: Pick<ExchangeRequest, 'started' | 'completed' | 'retried' | 'returned'> = {};
  let lost = false;
  let idle = 0;
  for (let turn = 1; turn < 400; turn += 1) {
    const body: ExchangeRequest = {
      run_id: 1,
      compute_node_id: nodeId,
      turn,
      ...news,
      ...(lost ? { held: running.map(({ id }) => id) } : {}),
      want: { limit: Math.max(0, 3 - running.length), prefetch: 0, labels: [] },
    };
    const reply = await exchange(body).catch((error: unknown) => {
      expect(error).toBeInstanceOf(Unreachable);
    });
    lost = reply === undefined;
    if (reply === undefined) continue;
    // A job whose return got no reply may belong to another runner: it is reported, as every other error.
    warnings.push(...reply.errors.map(({ message }) => message));
    if (reply.is_complete) return { warnings, isComplete: true };
    const taken = reply.jobs.filter(() => random() < 0.8);
    const returned = reply.jobs.filter((job) => !taken.includes(job)).map(({ id }) => id);
    for (const { id, attempt_id: attempt } of taken) {
      const key = `${id}/${attempt}`;
      launches.counts.set(key, (launches.counts.get(key) ?? 0) + 1);
    }
    const ending = running.filter(() => random() < 0.6);
    const isRetried = (job: ClaimedJob) => launches.failing.has(job.id) && job.attempt_id === 1;
    news = {
      started: taken.map(started),
      completed: ending.filter((job) => !isRetried(job)).map((job) => ended(job)),
      retried: ending.filter(isRetried).map((job) => ({ ...ended(job, 1), max_retries: 3 })),
      returned,
    };
    running = [...running.filter((job) => !ending.includes(job)), ...taken];
    idle = reply.jobs.length + running.length === 0 ? idle + 1 : 0;
    // The remaining jobs are pending, and no runner holds them.
    if (idle > 40) return { warnings, isComplete: false };
    if (idle > 0) await new Promise((resolve) => void setTimeout(resolve, 2));
  }
  return { warnings, isComplete: false };
}

/** A workflow of ten jobs, some with dependencies and some that fail at first. */
async function workflow(random: () => number) {
  const { behind } = server;
  const id = (await behind.createWorkflow({ body: { name: 'w', user: 'u' } })).id;
  const ids: number[] = [];
  for (let index = 0; index < 10; index += 1) {
    const after = ids.filter(() => random() < 0.15);
    const body = { workflow_id: id, name: `j${index}`, command: 'true', depends_on_job_ids: after };
    ids.push((await behind.createJob({ body })).id);
  }
  await behind.resetStatus({ params: { id } });
  await behind.initializeJobs({ params: { id } });
  return { id, ids, failing: new Set(ids.filter(() => random() < 0.3)) };
}

const attemptsOf = (ids: readonly number[], failing: ReadonlySet<number>) =>
  ids.flatMap((id) => (failing.has(id) ? [`${id}/1`, `${id}/2`] : [`${id}/1`]));

describe('over a network that loses requests and replies', () => {
  it.each(Array.from({ length: 6 }, (_, seed) => seed))(
    'one runner runs each attempt exactly once (seed %i)',
    async (seed) => {
      const random = randomOf(seed);
      const { id, ids, failing } = await workflow(random);
      const launches = { counts: new Map<string, number>(), failing };
      const client = createClient(faulty(server.send, random, 0.08));
      const { isComplete, warnings } = await runner(
        client,
        id,
        await registerNode({ client: server.behind }, id),
        random,
        launches,
      );
      expect({ isComplete, warnings }).toEqual({ isComplete: true, warnings: [] });
      expect(Object.fromEntries(launches.counts)).toEqual(
        Object.fromEntries(attemptsOf(ids, failing).map((key) => [key, 1])),
      );
    },
  );

  it.each(Array.from({ length: 8 }, (_, seed) => seed))(
    'two runners start no attempt twice, and report the jobs that may be left (seed %i)',
    async (seed) => {
      const random = randomOf(1000 + seed);
      const { id, ids, failing } = await workflow(random);
      const launches = { counts: new Map<string, number>(), failing };
      const nodes = [
        await registerNode({ client: server.behind }, id),
        await registerNode({ client: server.behind }, id),
      ];
      const ends = await Promise.all(
        nodes.map((node) => runner(createClient(faulty(server.send, random, 0.04)), id, node, random, launches)),
      );
      const said = ends.flatMap(({ warnings }) => warnings);
      expect(said.filter((words) => !words.includes('torc jobs reset-status'))).toEqual([]);
      expect([...launches.counts.values()].filter((count) => count > 1)).toEqual([]);
      if (ends.every(({ isComplete }) => isComplete))
        expect(launches.counts.size).toBe(attemptsOf(ids, failing).length);
      else expect(said).not.toEqual([]);
    },
  );
});
