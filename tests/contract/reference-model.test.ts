import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Client } from '../../src/client/client.ts';
import { random } from '../support/random.ts';
import { ended, registerNode, started, testService } from '../support/service.ts';

interface Sketch {
  /** Indexes of earlier jobs. */
  readonly after: readonly number[];
  readonly cancels: boolean;
  readonly returnCode: number;
}

/** What each job must come to: the whole of scheduling in a few lines. */
function expectedStates(jobs: readonly Sketch[]): string[] {
  const states: string[] = [];
  for (const { after, cancels, returnCode } of jobs) {
    const wentWrong = after.some((index) => states[index] !== 'completed');
    states.push(cancels && wentWrong ? 'canceled' : returnCode === 0 ? 'completed' : 'failed');
  }
  return states;
}

async function submit(client: Client, jobs: readonly Sketch[]): Promise<{ id: number; ids: number[] }> {
  const { id } = (await client.createWorkflow({ body: { name: 'model', user: 'tester' } })) as { id: number };
  const ids: number[] = [];
  // Level by level would be fewer calls; in order is simpler, and earlier jobs must have ids.
  for (let at = 0; at < jobs.length;) {
    const batch: Sketch[] = [];
    while (at + batch.length < jobs.length && batch.length < 1000) {
      const job = jobs[at + batch.length] as Sketch;
      if (job.after.some((index) => index >= at)) break;
      batch.push(job);
    }
    const { job_ids: created } = await client.createJobs({
      query: { reply: 'ids' },
      body: {
        jobs: batch.map((job, index) => ({
          workflow_id: id,
          name: `j${at + index}`,
          command: 'true',
          cancel_on_blocking_job_failure: job.cancels,
          depends_on_job_ids: job.after.map((each) => ids[each] as number),
        })),
      },
    });
    ids.push(...(created ?? []));
    at += batch.length;
  }
  await client.resetStatus({ params: { id } });
  await client.initializeJobs({ params: { id } });
  return { id, ids };
}

/** Several runners that take, start and end jobs in random order, each start checked against its dependencies. */
async function run(
  client: Client,
  id: number,
  ids: readonly number[],
  jobs: readonly Sketch[],
  seed: number,
): Promise<void> {
  const next = random(seed);
  const indexOf = new Map(ids.map((jobId, index) => [jobId, index]));
  const nodes = await Promise.all([1, 2, 3].map(() => registerNode({ client }, id)));
  const held = new Map(nodes.map((node) => [node, [] as { id: number; attempt_id: number }[]]));
  const over = new Set<number>();
  const handed = new Set<number>();
  for (;;) {
    const node = nodes[Math.floor(next() * nodes.length)] as number;
    const mine = held.get(node) as { id: number; attempt_id: number }[];
    mine.sort(() => next() - 0.5);
    const ending = mine.splice(0, Math.ceil(next() * mine.length));
    const limit = Math.floor(next() * 50) + 1;
    const reply = await client.exchange({
      params: { id },
      body: {
        run_id: 1,
        compute_node_id: node,
        started: ending.map(started),
        completed: ending.map((job) => ended(job, (jobs[indexOf.get(job.id) as number] as Sketch).returnCode)),
        want: {
          limit,
          prefetch: Math.floor(next() * 10),
          offer: { num_cpus: limit, memory_gb: 64, num_gpus: 0, num_nodes: 1 },
        },
      },
    });
    expect(reply.errors).toEqual([]);
    for (const job of ending) over.add(job.id);
    for (const job of reply.jobs) {
      expect(handed.has(job.id)).toBe(false);
      handed.add(job.id);
      for (const index of (jobs[indexOf.get(job.id) as number] as Sketch).after) {
        const dependency = ids[index] as number;
        expect(over.has(dependency) || !handed.has(dependency)).toBe(true);
      }
      mine.push(job);
    }
    if (reply.is_complete) return;
    const isStuck = [...held.values()].every((each) => each.length === 0) && reply.jobs.length === 0;
    expect(isStuck && reply.jobs_by_status.ready === 0).toBe(false);
  }
}

async function statesAfter(jobs: readonly Sketch[], seed: number): Promise<string[]> {
  const { client } = testService();
  const { id, ids } = await submit(client, jobs);
  await run(client, id, ids, jobs, seed);
  const { items } = await client.listJobs({ query: { workflow_id: id } });
  return items.map(({ status }) => status as string);
}

const sketches = fc.integer({ min: 1, max: 25 }).chain((count) =>
  fc.tuple(
    ...Array.from({ length: count }, (_, index) =>
      fc.record({
        after: index === 0 ? fc.constant([]) : fc.uniqueArray(fc.integer({ min: 0, max: index - 1 }), { maxLength: 4 }),
        cancels: fc.boolean(),
        returnCode: fc.constantFrom(0, 0, 0, 1, 137),
      }),
    ),
  ),
);

it('the server brings every job of any workflow to the state that the model says, whatever runners do', async () => {
  await fc.assert(
    fc.asyncProperty(sketches, fc.integer(), async (jobs, seed) => {
      expect(await statesAfter(jobs, seed)).toEqual(expectedStates(jobs));
    }),
    { numRuns: 60 },
  );
});

it('the server brings twenty thousand jobs with random dependencies to the states that the model says', async () => {
  const next = random(20_000);
  const jobs = Array.from({ length: 20_000 }, (_, index): Sketch => ({
    // Far enough back that a thousand jobs go in one call, near enough that long chains come about.
    after:
      index < 1000
        ? []
        : Array.from({ length: Math.floor(next() * 4) }, () => Math.floor((index - 1000) * (0.5 + next() / 2))),
    cancels: next() < 0.8,
    returnCode: next() < 0.02 ? 1 : 0,
  }));
  const states = await statesAfter(
    jobs.map((job) => ({ ...job, after: [...new Set(job.after)] })),
    7,
  );
  expect(states).toEqual(expectedStates(jobs));
  expect(new Set(states)).toEqual(new Set(['completed', 'failed', 'canceled']));
});
