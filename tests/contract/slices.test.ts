import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/server/store/database.ts';
import { type SliceLimits, usualLimits } from '../../src/server/store/slice-limits.ts';
import { createStore } from '../../src/server/records/store.ts';
import { ended, registerNode, statuses, testService, type TestService } from '../support/service.ts';

/** Every step is a slice of its own, and every page has two rows: small workflows meet what only large ones meet else. */
const TINY: SliceLimits = { turnMs: 0, sliceMs: 0, page: 2, atLeast: 1, firstWindow: 2, largestWindow: 2 };

const services: TestService[] = [];
const serviceWith = (limits: SliceLimits): TestService => {
  const store = createStore(openDatabase(':memory:'), { now: () => 0, onBroken: () => {}, limits });
  const service = testService({ store });
  services.push(service);
  return service;
};
afterEach(() => {
  for (const { errors } of services.splice(0)) expect(errors).toEqual([]);
});

interface Sketch {
  /** Places of jobs before it that it depends on. */
  readonly after: readonly number[];
  readonly cancels: boolean;
  readonly fails: boolean;
}

/** Jobs of which each depends on some before it. */
const graph = fc
  .array(fc.record({ picks: fc.array(fc.nat(), { maxLength: 6 }), cancels: fc.boolean(), fails: fc.boolean() }), {
    minLength: 1,
    maxLength: 14,
  })
  .map((jobs): Sketch[] =>
    jobs.map(({ picks, cancels, fails }, index) => ({
      after: index === 0 ? [] : [...new Set(picks.map((pick) => pick % index))],
      cancels,
      fails,
    })),
  );

async function created({ client }: TestService, jobs: readonly Sketch[]): Promise<number> {
  const { id } = (await client.createWorkflow({ body: { name: 'w', user: 'u' } })) as { id: number };
  await client.createJobs({
    body: {
      jobs: jobs.map(({ cancels }, index) => ({
        workflow_id: id,
        name: `j${index}`,
        command: 'true',
        cancel_on_blocking_job_failure: cancels,
      })),
      depends_on_positions: jobs.map(({ after }) => [...after]),
    },
  });
  return id;
}

/** What becomes of each job when all run that can: read off the graph, in its order. */
function definition(jobs: readonly Sketch[]): Record<string, string> {
  const ends: string[] = [];
  for (const { after, cancels, fails } of jobs) {
    const wentWrong = after.some((place) => ends[place] !== 'completed');
    ends.push(wentWrong && cancels ? 'canceled' : fails ? 'failed' : 'completed');
  }
  return Object.fromEntries(ends.map((end, index) => [`j${index}`, end]));
}

/** Claims and ends jobs a few at a time until none is left, and says how many turns found work. */
async function run({ client, store }: TestService, id: number, jobs: readonly Sketch[], atOnce: number): Promise<void> {
  const nodeId = await registerNode({ client }, id);
  for (;;) {
    const { jobs: handed } = await client.exchange({
      params: { id },
      body: { run_id: 0, compute_node_id: nodeId, want: { limit: atOnce, prefetch: 0 } },
    });
    if (handed.length === 0) {
      await store.turns.idle();
      if ((await client.isComplete({ params: { id } })).is_complete) return;
      const { jobs_by_status: counts } = await client.getWorkflowStatus({ params: { id } });
      // Released in slices, it may not be there yet; nothing else may be waited for.
      if (counts.blocked === 0 && counts.ready === 0) throw new Error(JSON.stringify(counts));
      continue;
    }
    const { errors } = await client.exchange({
      params: { id },
      body: {
        run_id: 0,
        compute_node_id: nodeId,
        completed: handed.map((job) => ended(job, jobs[Number(job.name.slice(1))]?.fails === true ? 1 : 0)),
      },
    });
    expect(errors).toEqual([]);
  }
}

describe('a cascade in slices', () => {
  it('a cascade in slices ends in the state that the graph defines, whatever the graph, and reports the end once', async () => {
    await fc.assert(
      fc.asyncProperty(graph, fc.integer({ min: 1, max: 4 }), async (jobs, atOnce) => {
        const service = serviceWith(TINY);
        const id = await created(service, jobs);
        await service.client.initializeJobs({ params: { id } });
        const reported: Record<string, number> = {};
        const canceled: string[] = [];
        service.store.changes.subscribe(id, ({ event_type: type, entries }) => {
          reported[type] = (reported[type] ?? 0) + 1;
          if (type === 'job_canceled')
            canceled.push(...(entries as { job_name: string }[]).map((each) => each.job_name));
          if (type === 'workflow_completed') reported['afterwards'] = canceled.length;
        });
        await run(service, id, jobs, atOnce);
        await service.store.turns.idle();
        const expected = definition(jobs);
        expect(await statuses(service, id)).toEqual(expected);
        const doomed = Object.keys(expected).filter((name) => expected[name] === 'canceled');
        expect([reported['workflow_completed'], reported['afterwards']]).toEqual([1, doomed.length]);
        expect(canceled.sort()).toEqual(doomed.sort());
      }),
      { numRuns: 25 },
    );
  });
});

/** What may be done to a workflow between two runs of some of its jobs. */
const deed = fc.oneof(
  fc.constant('initialize' as const),
  fc.constant('initialize uninitialized' as const),
  fc.constant('reset all' as const),
  fc.constant('reset failed' as const),
  fc.constant('reset interrupted' as const),
  fc.constant('cancel' as const),
  fc.nat({ max: 13 }).map((place) => ({ delete: place })),
  fc.nat({ max: 13 }).map((place) => ({ end: place })),
  fc.record({
    set: fc.nat({ max: 13 }),
    to: fc.constantFrom('uninitialized' as const, 'blocked' as const, 'ready' as const, 'disabled' as const),
  }),
);

type Deed = typeof deed extends fc.Arbitrary<infer D> ? D : never;

async function carryOut({ client }: TestService, id: number, nodeId: number, what: Deed, jobs: readonly Sketch[]) {
  const { run_id: runId } = (await client.getWorkflow({ params: { id } })) as { run_id: number };
  if (what === 'initialize') await client.initializeJobs({ params: { id } });
  else if (what === 'initialize uninitialized')
    await client.initializeJobs({ params: { id }, query: { only_uninitialized: true } });
  else if (what === 'reset all') await client.resetJobStatus({ params: { id }, query: {} });
  else if (what === 'reset failed') await client.resetJobStatus({ params: { id }, query: { failed_only: true } });
  else if (what === 'reset interrupted') await client.resetInterruptedJobs({ params: { id }, query: {} });
  else if (what === 'cancel') {
    await client.cancelWorkflow({ params: { id } });
    await client.resetStatus({ params: { id }, query: { force: true } });
  } else if ('set' in what) {
    const { items } = await client.listJobs({ query: { workflow_id: id, name: `j${what.set}` } });
    const params = { id: items[0]?.id as number, status: what.to, run_id: runId };
    if (items[0] !== undefined) await client.manageStatusChange({ params }).catch(() => {});
  } else if ('delete' in what) {
    const { items } = await client.listJobs({ query: { workflow_id: id, name: `j${what.delete}` } });
    if (items[0] !== undefined) await client.deleteJob({ params: { id: items[0].id } }).catch(() => {});
  } else {
    const turn = { run_id: runId, compute_node_id: nodeId };
    const { jobs: handed } = await client.exchange({
      params: { id },
      body: { ...turn, want: { limit: 2, prefetch: 0 } },
    });
    const completed = handed.map((job) => ended(job, jobs[Number(job.name.slice(1))]?.fails === true ? 1 : 0));
    await client.exchange({ params: { id }, body: { ...turn, completed } });
  }
}

it('whatever is done in slices, and in whatever order, has the effect that it has in one', async () => {
  await fc.assert(
    fc.asyncProperty(graph, fc.array(deed, { maxLength: 12 }), async (jobs, deeds) => {
      const both = [serviceWith(TINY), serviceWith(usualLimits)];
      const seen = await Promise.all(
        both.map(async (service) => {
          const id = await created(service, jobs);
          const nodeId = await registerNode(service, id);
          const states: unknown[] = [];
          for (const each of deeds) {
            await carryOut(service, id, nodeId, each, jobs);
            // What is still released in slices comes first.
            await service.client.retryJob({ params: { id: 0, run_id: 0 }, query: { max_retries: 0 } }).catch(() => {});
            await service.store.turns.idle();
            const { jobs_by_status: counts } = await service.client.getWorkflowStatus({ params: { id } });
            states.push([each, await statuses(service, id), counts]);
          }
          return states;
        }),
      );
      expect(seen[0]).toEqual(seen[1]);
    }),
    { numRuns: 25 },
  );
});

describe('files that many jobs write and read', () => {
  it('files that many jobs write and read make every reader wait for every writer', async () => {
    const service = serviceWith({ ...TINY, largestWindow: 64 });
    const { client } = service;
    const { id } = (await client.createWorkflow({ body: { name: 'w', user: 'u' } })) as { id: number };
    const file = await client.createFile({ body: { workflow_id: id, name: 'f', path: 'f' } });
    const side = 45;
    await client.createJobs({
      body: {
        jobs: Array.from({ length: side * 2 }, (_, index) => ({
          workflow_id: id,
          name: `j${index}`,
          command: 'true',
          ...(index % 2 === 0 ? { output_file_ids: [file.id] } : { input_file_ids: [file.id] }),
        })),
      },
    });
    await client.initializeJobs({ params: { id } });
    const { total_count: edges } = await client.listJobDependencies({ params: { id }, query: { limit: 1 } });
    const { jobs_by_status: counts } = await client.getWorkflowStatus({ params: { id } });
    expect([edges, counts.ready, counts.blocked]).toEqual([side * side, side, side]);
  });

  it('files that many jobs write and read are refused when that makes jobs wait for each other, and nothing is left of the attempt', async () => {
    const { client } = serviceWith(TINY);
    const { id } = (await client.createWorkflow({ body: { name: 'w', user: 'u' } })) as { id: number };
    const files: number[] = [];
    for (const name of ['a', 'b', 'c'])
      files.push((await client.createFile({ body: { workflow_id: id, name, path: name } })).id);
    await client.createJobs({
      body: {
        jobs: [0, 1, 2].map((place) => ({
          workflow_id: id,
          name: `j${place}`,
          command: 'true',
          output_file_ids: [files[place] as number],
          input_file_ids: [files[(place + 1) % 3] as number],
        })),
      },
    });
    await expect(client.initializeJobs({ params: { id } })).rejects.toThrow('jobs wait for each other');
    const { total_count: edges } = await client.listJobDependencies({ params: { id }, query: {} });
    expect(edges).toBe(0);
    expect((await client.isUninitialized({ params: { id } })).is_uninitialized).toBe(true);
  });
});

describe('a workflow that is being deleted', () => {
  it('a workflow that is being deleted is gone for everybody from the first slice on, with all that belongs to it', async () => {
    const service = serviceWith(TINY);
    const { client, store } = service;
    const jobs = Array.from({ length: 200 }, () => ({ after: [], cancels: true, fails: false }));
    const id = await created(service, jobs);
    const { items } = await client.listJobs({ query: { workflow_id: id } });
    const gone = client.deleteWorkflow({ params: { id } });
    while (store.find.removed.size === 0) await new Promise((resolve) => void setImmediate(resolve));
    await expect(client.getWorkflow({ params: { id } })).rejects.toThrow(/^workflow \d+ was not found \(404\)$/);
    await expect(client.listJobs({ query: { workflow_id: id } })).rejects.toThrow(
      /^workflow \d+ was not found \(404\)$/,
    );
    await expect(client.getJob({ params: { id: items[199]?.id as number } })).rejects.toThrow(
      /^job \d+ was not found \(404\)$/,
    );
    await expect(client.createJob({ body: { workflow_id: id, name: 'x', command: 'true' } })).rejects.toThrow(
      /^workflow \d+ was not found \(404\)$/,
    );
    expect((await client.listWorkflows({ query: {} })).items).toEqual([]);
    // Nothing of that had to wait for the rows.
    expect(store.find.removed.size).toBe(1);
    expect(await gone).toMatchObject({ id, name: 'w' });
    expect(store.find.removed.size).toBe(0);
    const left = store.db.prepare<Record<string, never>, { rows: number }>('select count(*) as rows from job').get({});
    expect(left).toEqual({ rows: 0 });
  });
});

it('jobs of one call are all created or none, also when one is refused after many slices', async () => {
  const service = serviceWith(TINY);
  const { client } = service;
  const { id } = (await client.createWorkflow({ body: { name: 'w', user: 'u' } })) as { id: number };
  const jobs = Array.from({ length: 200 }, (_, index) => ({ workflow_id: id, name: `j${index}`, command: 'true' }));
  const bad = { workflow_id: id, name: 'bad', command: 'true', depends_on_job_ids: [99_999] };
  await expect(client.createJobs({ body: { jobs: [...jobs, bad] } })).rejects.toThrow('names 99999');
  expect((await client.listJobs({ query: { workflow_id: id } })).total_count).toBe(0);
  await client.createJobs({ body: { jobs } });
  expect((await client.listJobs({ query: { workflow_id: id } })).total_count).toBe(200);
});
