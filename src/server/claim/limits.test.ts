import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ClaimedJob, ExchangeRequest } from '../../core/contract/exchange.ts';
import type { LimitedJobs } from '../../core/contract/waiting-limit.ts';
import type { Amounts } from '../../core/job/amounts.ts';
import { limitedJobsWords } from '../../core/lifecycle/placement/waiting-limit.ts';
import type { LoginCheck } from '../access/login.ts';
import { ended, registerNode, started, testService, type TestService } from '../../../tests/support/service.ts';
import { STATUS } from '../records/rows/status.ts';

interface JobGiven {
  readonly licenses?: Record<string, number> | undefined;
  readonly cpus?: number;
  readonly after?: boolean;
}

/** A workflow of these jobs, initialized. */
async function workflow(
  { client }: TestService,
  jobs: readonly JobGiven[],
  fields: { readonly user?: string; readonly limits?: Record<string, number> | undefined } = {},
): Promise<number> {
  const { id } = (await client.createWorkflow({ body: { name: 'w', user: 'u', ...fields } })) as { id: number };
  const needs = new Map<number, number>();
  for (const cpus of new Set(jobs.map((job) => job.cpus ?? 1))) {
    const body = { workflow_id: id, name: `n${cpus}`, num_cpus: cpus };
    needs.set(cpus, (await client.createResourceRequirements({ body })).id);
  }
  const { jobs: created } = await client.createJobs({
    body: {
      jobs: jobs.map(({ licenses, cpus = 1 }, index) => ({
        workflow_id: id,
        name: `j${index}`,
        command: 'true',
        licenses,
        resource_requirements_id: needs.get(cpus),
      })),
      depends_on_positions: jobs.map(({ after }, index) => (after && index > 0 ? [index - 1] : [])),
    },
  });
  expect(created).toHaveLength(jobs.length);
  await client.resetStatus({ params: { id } });
  await client.initializeJobs({ params: { id } });
  return id;
}

const offer = { num_cpus: 8, memory_gb: 16, num_gpus: 0, num_nodes: 1 };
const want = { limit: 8, prefetch: 64, offer, capacity: offer, ahead: { limit: 16 } };

/** A runner that takes all that it gets. */
async function runner(
  service: TestService,
  id: number,
  given: Partial<ExchangeRequest['want']> = {},
  scheduler?: Readonly<Record<string, string>>,
) {
  const nodeId = await registerNode(service, id, [], scheduler);
  let turn = 0;
  const held = new Map<number, ClaimedJob>();
  const exchange = async (body: Partial<ExchangeRequest> = {}) => {
    turn += 1;
    const reply = await service.client.exchange({
      params: { id },
      body: { run_id: 1, compute_node_id: nodeId, turn, ...body },
    });
    for (const job of [...reply.jobs, ...(reply.ahead?.jobs ?? [])]) held.set(job.id, job);
    return reply;
  };
  return {
    id,
    nodeId,
    held,
    exchange,
    claim: async () => (await exchange({ want: { ...want, ...given } })).jobs,
    async end(job: ClaimedJob, code = 0) {
      held.delete(job.id);
      return exchange({ started: [started(job)], completed: [ended(job, code)] });
    },
    async give(job: ClaimedJob) {
      held.delete(job.id);
      return exchange({ returned: [job.id] });
    },
    async lose() {
      held.clear();
      const body = { run_id: 1, reason: 'killed' };
      return service.client.reportLostRunner({ params: { id, compute_node_id: nodeId }, body });
    },
  };
}

const times = (jobs: number, job: JobGiven): JobGiven[] => Array.from({ length: jobs }, () => job);
const matlab = { licenses: { matlab: 1 } };
const serverWith = (all: Amounts, eachUser: Amounts = {}) => testService({ jobLimits: { all, eachUser } });

describe('limits of a server', () => {
  it('runners of two workflows get together no more licenses than the server has, and the other jobs run beside them', async () => {
    const service = serverWith({ matlab: 3 });
    const one = await runner(service, await workflow(service, [...times(4, matlab), ...times(2, {})]));
    const two = await runner(service, await workflow(service, times(4, matlab)));
    expect((await one.claim()).filter(({ licenses }) => licenses)).toHaveLength(3);
    expect(one.held.size).toBe(5);
    expect(await two.claim()).toEqual([]);
    await one.end([...one.held.values()].find(({ licenses }) => licenses) as ClaimedJob);
    expect(await two.claim()).toHaveLength(1);
  });

  it('a license is free when its job failed, was returned or lost its runner', async () => {
    const service = serverWith({ matlab: 1 });
    const id = await workflow(service, times(4, matlab));
    const waits = await runner(service, await workflow(service, times(4, matlab)));
    const first = await runner(service, id);
    const free = async () => (await waits.claim()).length;
    const takeAndEnd = async () => {
      for (const job of waits.held.values()) await waits.end(job);
    };
    const [job] = await first.claim();
    expect(await free()).toBe(0);
    await first.end(job as ClaimedJob, 1);
    expect(await free()).toBe(1);
    await takeAndEnd();
    const [returned] = await first.claim();
    await first.give(returned as ClaimedJob);
    expect(await free()).toBe(1);
    await takeAndEnd();
    expect(await first.claim()).toHaveLength(1);
    expect(await free()).toBe(0);
    await first.lose();
    expect(await free()).toBe(1);
  });

  it('a canceled job holds its license until its runner says that its attempt has ended', async () => {
    const service = serverWith({ matlab: 1 });
    const one = await runner(service, await workflow(service, [matlab]));
    const two = await runner(service, await workflow(service, [matlab]));
    const [job] = await one.claim();
    await one.exchange({ started: [started(job as ClaimedJob)] });
    await service.client.cancelWorkflow({ params: { id: one.id } });
    expect(await two.claim()).toEqual([]);
    await one.exchange({ completed: [{ ...ended(job as ClaimedJob, 1), status: 'terminated' }] });
    expect(await two.claim()).toHaveLength(1);
  });

  it('cores of each user are counted over the workflows of the user, and not those of others', async () => {
    const service = serverWith({}, { cores: 4 });
    const mine = await runner(service, await workflow(service, times(3, { cpus: 2 }), { user: 'eve' }));
    const also = await runner(service, await workflow(service, times(3, { cpus: 1 }), { user: 'eve' }));
    const other = await runner(service, await workflow(service, times(3, { cpus: 2 }), { user: 'bob' }));
    expect(await mine.claim()).toHaveLength(2);
    expect(await also.claim()).toEqual([]);
    expect(await other.claim()).toHaveLength(2);
  });

  it('a job whose license no limit names is not limited', async () => {
    const service = serverWith({ gurobi: 1 });
    const one = await runner(service, await workflow(service, times(8, matlab)));
    expect(await one.claim()).toHaveLength(8);
  });
});

describe('limits of a workflow', () => {
  it('a workflow has its own limits beside those of the server; what is lowered counts for the next claim and ends nothing', async () => {
    const service = serverWith({ matlab: 9 });
    const id = await workflow(service, times(9, matlab), { limits: { matlab: 2 } });
    const one = await runner(service, id);
    expect(await one.claim()).toHaveLength(2);
    await service.client.updateWorkflow({ params: { id }, body: { limits: { matlab: 1 } } });
    await one.end([...one.held.values()][0] as ClaimedJob);
    expect(await one.claim()).toEqual([]);
    await service.client.updateWorkflow({ params: { id }, body: { limits: {} } });
    expect(await one.claim()).toHaveLength(7);
  });

  it('nodes are those of the runners that hold a job of the workflow', async () => {
    const service = testService();
    const id = await workflow(service, times(30, {}), { limits: { nodes: 2 } });
    const runners = [await runner(service, id), await runner(service, id), await runner(service, id)] as const;
    expect(
      [await runners[0].claim(), await runners[1].claim(), await runners[2].claim()].map((jobs) => jobs.length),
    ).toEqual([8, 8, 0]);
    for (const job of runners[0].held.values()) await runners[0].end(job);
    expect(await runners[2].claim()).toHaveLength(8);
  });

  it('a job that a limit counts is neither claimed before it can start nor ahead; others are', async () => {
    const service = testService();
    const chain = { licenses: { matlab: 1 }, after: true };
    const limited = await runner(service, await workflow(service, times(3, chain), { limits: { matlab: 5 } }));
    const free = await runner(service, await workflow(service, times(3, chain)));
    for (const each of [limited, free]) await each.claim();
    expect([limited.held.size, free.held.size]).toEqual([1, 3]);
    const many = await runner(service, await workflow(service, times(20, matlab), { limits: { matlab: 20 } }));
    expect(await many.claim()).toHaveLength(8);
  });

  it('claims of Torc, by resources and in order, are limited as well', async () => {
    const service = testService();
    const id = await workflow(service, times(5, matlab), { limits: { matlab: 3 } });
    const { jobs } = await service.client.claimNextJobs({ params: { id }, query: { limit: 2 } });
    expect(jobs).toHaveLength(2);
    const more = await service.client.claimJobsBasedOnResources({ params: { id, limit: 10 }, query: {}, body: offer });
    expect(more.jobs).toHaveLength(1);
    expect((await service.client.claimNextJobs({ params: { id }, query: { limit: 9 } })).jobs).toEqual([]);
  });
});

describe('a workflow that waits for a limit', () => {
  it('the runners of a workflow that waits learn from the event stream when there is room, and others learn nothing', async () => {
    const service = serverWith({ matlab: 1 });
    const one = await runner(service, await workflow(service, times(2, matlab)));
    const two = await runner(service, await workflow(service, [matlab]));
    const idle = await runner(service, await workflow(service, [{}]));
    const [job] = await one.claim();
    await idle.claim();
    await two.claim();
    const seen: string[] = [];
    for (const { id } of [two, idle])
      service.store.changes.subscribe(id, (change) => seen.push(`${id === two.id} ${change.event_type}`));
    const woken = new Promise<void>((resolve) => {
      service.store.changes.subscribe(two.id, () => resolve());
    });
    await one.end(job as ClaimedJob);
    await woken;
    expect(seen).toEqual(['true jobs_ready']);
    expect(await two.claim()).toHaveLength(1);
  });
});

describe('the licenses of an allocation', () => {
  const held = { licenses: { matlab: 2 } };
  const inAllocation = (service: TestService, id: number, slurm_job_id: string) =>
    runner(service, id, held, { type: 'slurm', slurm_job_id });

  it('runners of one allocation get together what it holds, and one of another allocation has its own', async () => {
    const service = testService();
    const id = await workflow(service, [...times(6, matlab), {}]);
    const [one, beside, other] = [
      await inAllocation(service, id, '7'),
      await inAllocation(service, id, '7'),
      await inAllocation(service, id, '8'),
    ];
    expect(await one.claim()).toHaveLength(3);
    expect(await beside.claim()).toEqual([]);
    expect(await other.claim()).toHaveLength(2);
    const [job] = [...one.held.values()];
    await one.end(job as ClaimedJob);
    expect(await beside.claim()).toHaveLength(1);
  });

  it('a runner learns when one of its own allocation has ended a job, and for which limit it waits', async () => {
    const service = testService();
    const id = await workflow(service, times(3, matlab));
    const [one, beside] = [await inAllocation(service, id, '7'), await inAllocation(service, id, '7')];
    const [job] = await one.claim();
    const { waiting_limits: limits } = await beside.exchange({ want: { ...want, ...held } });
    expect(limits).toEqual([{ scope: 'allocation', name: 'matlab', most: 2, held: 2, needs: 1 }]);
    const woken = new Promise<string>((resolve) => {
      service.store.changes.subscribe(id, ({ event_type: type }) => type === 'jobs_ready' && resolve(type));
    });
    await one.end(job as ClaimedJob);
    expect(await woken).toBe('jobs_ready');
  });

  it('a runner that says nothing of licenses is not bound by what others hold', async () => {
    const service = testService();
    const free = await runner(service, await workflow(service, times(4, matlab)));
    expect(await free.claim()).toHaveLength(4);
  });
});

/** What is held by name, from the rows of jobs: of the whole server, or of one workflow. */
function heldBy({ store }: TestService, name: string, workflowId: number | null = null): number {
  const sql = `
    select coalesce(sum(${name === 'cores' ? 'needs.num_cpus' : `coalesce(json_extract(job.licenses, '$.${name}'), 0)`}), 0) as held
    from job join resource_requirements needs on needs.id = job.resource_requirements_id
    where (job.status in (${STATUS.pending}, ${STATUS.running}) or (job.status = ${STATUS.blocked} and job.claimed_by is not null)
        or exists (select 1 from held_attempt where job_id = job.id))
      and (:workflowId is null or job.workflow_id = :workflowId)`;
  return store.db.prepare<{ workflowId: number | null }, { held: number }>(sql).get({ workflowId })?.held ?? 0;
}

type Step = readonly [
  kind: 'claim' | 'end' | 'fail' | 'give' | 'lose' | 'cancel' | 'lower',
  runner: number,
  amount: number,
];
const step: fc.Arbitrary<Step> = fc.tuple(
  fc.constantFrom('claim', 'claim', 'claim', 'end', 'end', 'fail', 'give', 'lose', 'cancel', 'lower'),
  fc.nat(3),
  fc.nat(3),
);
const job = fc.record({
  licenses: fc.constantFrom(undefined, { m: 1 }, { m: 2 }, { m: 1, g: 1 }),
  cpus: fc.constantFrom(1, 2, 3),
  after: fc.boolean(),
});

it('whatever runners claim, end, return and lose, and whatever is canceled or lowered, no limit is exceeded by a claim, and nothing leaks', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(job, { minLength: 1, maxLength: 12 }),
      fc.array(step, { maxLength: 25 }),
      async (jobs, steps) => {
        const service = serverWith({ m: 3, g: 1 }, { cores: 5 });
        const own: (Record<string, number> | undefined)[] = [{ m: 2, cores: 4 }, undefined];
        const ids = [await workflow(service, jobs, { limits: own[0] }), await workflow(service, jobs)];
        const runners = [];
        for (const at of [0, 0, 1, 1]) runners.push(await runner(service, ids[at] as number));
        const limits = () => [
          ...Object.entries({ m: 3, g: 1, cores: 5 }).map(([name, most]) => [name, null, most] as const),
          ...Object.entries(own[0] ?? {}).map(([name, most]) => [name, ids[0] as number, most] as const),
        ];
        for (const [kind, at, amount] of steps) {
          const each = runners[at] as (typeof runners)[number];
          const [some] = each.held.values();
          const before = limits().map(([name, of]) => heldBy(service, name, of));
          if (kind === 'claim') await each.claim();
          else if (kind === 'cancel') await service.client.cancelWorkflow({ params: { id: each.id } });
          else if (kind === 'lower') {
            own[0] = { m: amount, cores: amount + 1 };
            await service.client.updateWorkflow({ params: { id: ids[0] as number }, body: { limits: own[0] } });
            continue;
          } else if (kind === 'lose') {
            await each.lose();
            runners[at] = await runner(service, each.id);
          } else if (some !== undefined && kind === 'give') await each.give(some);
          else if (some !== undefined) await each.end(some, kind === 'fail' ? 1 : 0);
          for (const [index, [name, of, most]] of limits().entries())
            expect(heldBy(service, name, of)).toBeLessThanOrEqual(Math.max(most, before[index] as number));
        }
        // Everything that is left ends: then all is free again, and the jobs that can run do.
        for (const each of runners) await each.lose();
        for (const name of ['m', 'g', 'cores']) expect(heldBy(service, name)).toBe(0);
        expect(service.errors).toEqual([]);
      },
    ),
    { numRuns: 60 },
  );
});

describe('why a job waits for a limit', () => {
  const explain = async (service: TestService, id: number) => service.client.getJobExplanation({ params: { id } });

  it('the explanation says what the job waits for and who holds it, and what to look at next', async () => {
    const service = serverWith({ matlab: 2 });
    const one = await runner(service, await workflow(service, times(2, matlab)));
    const two = await runner(service, await workflow(service, times(2, matlab)));
    const [first] = await one.claim();
    await two.claim();
    const { items } = await service.client.listJobs({ query: { workflow_id: two.id } });
    expect(await explain(service, items[0]?.id as number)).toMatchObject({
      headline: 'is ready and waits for a limit',
      reasons: [
        {
          code: 'limit',
          message: `waits for 1 of 2 matlab; held by j0 (workflow ${one.id}) and j1 (workflow ${one.id})`,
        },
      ],
      next: [`torc jobs explain ${first?.id}`],
    });
  });

  it('the reply to a runner says which limits its workflow waits for, and no more when there is room', async () => {
    const service = serverWith({ matlab: 1 });
    const one = await runner(service, await workflow(service, [matlab]));
    const two = await runner(service, await workflow(service, [matlab]));
    const [first] = await one.claim();
    const limit = { scope: 'server', name: 'matlab', most: 1, held: 1, needs: 1 };
    expect((await two.exchange({ want })).waiting_limits).toEqual([limit]);
    await one.end(first as ClaimedJob);
    await expect.poll(async () => (await two.exchange()).waiting_limits).toBeUndefined();
  });

  it('a job that needs more than a limit is unclaimable at once, and its explanation says that it can never run', async () => {
    const service = serverWith({ matlab: 2 });
    const one = await runner(service, await workflow(service, [{ licenses: { matlab: 3 } }]));
    expect(await one.claim()).toEqual([]);
    const left = await service.client.getUnclaimableJobs({
      params: { id: one.id },
      query: { compute_node_id: one.nodeId },
    });
    expect(left).toMatchObject({
      unclaimable_jobs: 1,
      may_take: false,
      reasons: [{ reason: 'limit', needs: '3 of matlab', has: '2' }],
    });
    const { items } = await service.client.listJobs({ query: { workflow_id: one.id } });
    expect((await explain(service, items[0]?.id as number)).reasons[0]?.message).toBe(
      'needs 3 of matlab, and at most 2 may be held: it can never run',
    );
  });
});

describe('limits in the status of a workflow', () => {
  it('the status says how many jobs wait for which limit and who holds it; without limits it says nothing of them', async () => {
    const service = serverWith({ matlab: 4 });
    const one = await runner(service, await workflow(service, times(4, matlab)));
    const id = await workflow(service, [...times(3, matlab), {}]);
    const status = async () => (await service.client.getWorkflowStatus({ params: { id } })).waiting_limits;
    expect(await status()).toBeUndefined();
    await one.claim();
    const [limit] = (await status()) ?? [];
    expect(limit).toMatchObject({
      scope: 'server',
      name: 'matlab',
      most: 4,
      held: 4,
      needs: 1,
      jobs: 3,
      others: 1,
      hidden: 0,
    });
    expect(limitedJobsWords(limit as LimitedJobs, id)).toBe(
      `3 ready jobs wait for 1 of 4 matlab; held by j0 (workflow ${one.id}), j1 (workflow ${one.id}), j2 (workflow ${one.id}) and 1 other job`,
    );
  });

  it('jobs of workflows that the caller may not see are counted, and not named', async () => {
    const login = { callerOf: () => Promise.resolve({ user: 'bob' }) } as unknown as LoginCheck;
    const open = serverWith({ matlab: 2 });
    const one = await runner(open, await workflow(open, times(2, matlab), { user: 'eve' }));
    const id = await workflow(open, [matlab], { user: 'bob' });
    await one.claim();
    const service = testService({ store: open.store, login, access: { enforce: true, administrators: [] } });
    const { waiting_limits: limits } = await service.client.getWorkflowStatus({ params: { id } });
    expect(limits).toMatchObject([{ holders: [], others: 0, hidden: 2 }]);
    expect(limitedJobsWords(limits?.[0] as LimitedJobs, id)).toBe(
      '1 ready job waits for 1 of 2 matlab; held by 2 jobs of other users',
    );
  });
});
