import { beforeEach, describe, expect, it } from 'vitest';
import { registerNode, testService, type TestService, workflowOf } from '../../../tests/support/service.ts';
import { chosenClaimableSql, chosenReadySql, readySql } from './queries.ts';

let service: TestService;

beforeEach(() => {
  service = testService();
});

const offer = (over: object = {}) => ({ num_cpus: 4, memory_gb: 4, num_gpus: 0, num_nodes: 1, ...over });

const claim = async (id: number, body: object = offer(), limit = 10, strict = false) => {
  const { jobs } = await service.client.claimJobsBasedOnResources({
    params: { id, limit },
    query: { strict_scheduler_match: strict },
    body: body as ReturnType<typeof offer>,
  });
  return (jobs ?? []).map(({ name }) => name);
};

describe('a claim by resources', () => {
  it('a job is assigned to one runner only, however often it is claimed', async () => {
    const { id } = await workflowOf(service, [{ name: 'a' }, { name: 'b' }, { name: 'c' }]);
    expect(await claim(id)).toEqual(['a', 'b', 'c']);
    expect(await claim(id)).toEqual([]);
  });

  it('claimed jobs are pending and contain all fields that they need to run, without unset fields', async () => {
    const { id } = await workflowOf(service, [{ name: 'a' }]);
    const { jobs } = await service.client.claimJobsBasedOnResources({
      params: { id, limit: 1 },
      query: {},
      body: offer(),
    });
    expect(jobs?.[0]).toEqual({
      id: 1,
      workflow_id: id,
      name: 'a',
      command: 'true',
      status: 'pending',
      cancel_on_blocking_job_failure: true,
      resource_requirements_id: 1,
      attempt_id: 1,
      priority: 0,
    });
  });

  it('jobs are claimed by priority, then the largest requirements first, then the order of creation', async () => {
    const { id } = await workflowOf(
      service,
      [
        { name: 'plain-1' },
        { name: 'plain-2' },
        { name: 'long', requirements: 'long' },
        { name: 'big', requirements: 'big' },
        { name: 'gpu', requirements: 'gpu' },
        { name: 'urgent', priority: 5 },
      ],
      {
        long: { runtime: 'PT2H' },
        big: { memory: '1g', runtime: 'PT1M' },
        gpu: { num_gpus: 1, runtime: 'PT1M' },
      },
    );
    expect(await claim(id, offer({ num_cpus: 8, num_gpus: 1 }))).toEqual([
      'urgent',
      'gpu',
      'long',
      'big',
      'plain-1',
      'plain-2',
    ]);
  });

  it('jobs are packed into the offer and backfilled with jobs that still fit', async () => {
    const { id } = await workflowOf(
      service,
      [
        { name: 'wide-1', requirements: 'wide' },
        { name: 'wide-2', requirements: 'wide' },
        { name: 'narrow-1' },
        { name: 'narrow-2' },
      ],
      { wide: { num_cpus: 3, runtime: 'PT1M' } },
    );
    expect(await claim(id, offer({ num_cpus: 4 }))).toEqual(['wide-1', 'narrow-1']);
  });

  it('a job that fits is found behind a hundred jobs that do not', async () => {
    const { id } = await workflowOf(
      service,
      [
        ...Array.from({ length: 100 }, (_, index) => ({ name: `wide-${index}`, requirements: 'wide' })),
        { name: 'narrow' },
      ],
      { wide: { num_cpus: 64 } },
    );
    expect(await claim(id)).toEqual(['narrow']);
  });

  it('jobs that would take longer than the remaining time are not claimed', async () => {
    const { id } = await workflowOf(service, [{ name: 'long', requirements: 'long' }, { name: 'short' }], {
      long: { runtime: 'PT2H' },
    });
    expect(await claim(id, offer({ time_limit: 'PT1H' }))).toEqual(['short']);
    expect(await claim(id, offer({ time_limit: 'PT2H' }))).toEqual(['long']);
  });

  it('labelled jobs go only to runners that have all their labels, and such runners get no other jobs', async () => {
    const { id } = await workflowOf(service, [
      { name: 'plain' },
      { name: 'gpu', labels: ['gpu'] },
      { name: 'both', labels: ['gpu', 'fast'] },
    ]);
    expect(await claim(id, offer({ labels: ['fast'] }))).toEqual([]);
    expect(await claim(id, offer({ labels: ['gpu'] }))).toEqual(['gpu']);
    expect(await claim(id, offer({ labels: ['gpu', 'fast', 'more'] }))).toEqual(['both']);
    expect(await claim(id)).toEqual(['plain']);
  });

  it('a label with a comma is refused by name', async () => {
    const { id } = await workflowOf(service, [{ name: 'a' }]);
    await expect(claim(id, offer({ labels: ['a,b'] }))).rejects.toThrow('got "a,b"');
  });

  it("jobs of the runner's scheduler or of none come first, and others only if the claim permits it and no other job is ready", async () => {
    const { client } = service;
    const { id } = (await client.createWorkflow({ body: { name: 'w', user: 'u' } })) as { id: number };
    const scheduler = await client.createSlurmScheduler({
      body: { workflow_id: id, name: 's', account: 'a', nodes: 1, walltime: '01:00:00' },
    });
    for (const [name, bound] of [
      ['free', undefined],
      ['bound', scheduler.id],
    ] as const) {
      await client.createJob({ body: { workflow_id: id, name, command: 'true', scheduler_id: bound } });
    }
    await client.initializeJobs({ params: { id } });
    expect(await claim(id)).toEqual(['free']);
    expect(await claim(id, offer(), 10, true)).toEqual([]);
    expect(await claim(id)).toEqual(['bound']);
  });

  it('a claim in a canceled workflow gets no jobs, and the reply says why', async () => {
    const { id } = await workflowOf(service, [{ name: 'a' }]);
    await service.client.cancelWorkflow({ params: { id } });
    const answer = await service.client.claimJobsBasedOnResources({
      params: { id, limit: 1 },
      query: {},
      body: offer(),
    });
    expect(answer).toEqual({ jobs: [], reason: 'Workflow is canceled' });
  });

  it('a claim with a limit of 0 gets no jobs, and an unknown workflow is answered with 404', async () => {
    const { id } = await workflowOf(service, [{ name: 'a' }]);
    expect(await claim(id, offer(), 0)).toEqual([]);
    await expect(claim(id + 1)).rejects.toMatchObject({ status: 404 });
  });
});

describe('a claim by count', () => {
  const next = async (id: number, query: object = {}) => {
    const { jobs } = await service.client.claimNextJobs({ params: { id }, query });
    return (jobs ?? []).map(({ name }) => name);
  };

  it('a claim by count ignores requirements, and uses priority and order of creation', async () => {
    const { id } = await workflowOf(
      service,
      [{ name: 'a', requirements: 'huge' }, { name: 'b', priority: 1 }, { name: 'c' }],
      {
        huge: { num_cpus: 1000 },
      },
    );
    expect(await next(id, { limit: 2 })).toEqual(['b', 'a']);
    expect(await next(id)).toEqual(['c']);
  });

  it('a claim by count gets ten jobs by default, and all for a negative number', async () => {
    const { id } = await workflowOf(
      service,
      Array.from({ length: 30 }, (_, index) => ({ name: `j${index}` })),
    );
    expect(await next(id)).toHaveLength(10);
    expect(await next(id, { limit: -1 })).toHaveLength(20);
  });
});

describe('claims ahead', () => {
  const exchange = (id: number, nodeId: number, want: object) =>
    service.client.exchange({
      params: { id },
      body: { run_id: 1, compute_node_id: nodeId, want: { limit: 0, prefetch: 0, ...want } },
    });

  it('jobs claimed ahead may exceed the free resources if each fits into the empty node', async () => {
    const { id, nodeId } = await workflowOf(
      service,
      [{ name: 'a' }, { name: 'b' }, { name: 'c' }, { name: 'huge', requirements: 'huge' }],
      { huge: { num_cpus: 9, runtime: 'PT1M' } },
    );
    const { jobs } = await exchange(id, nodeId, {
      limit: 1,
      prefetch: 5,
      offer: offer({ num_cpus: 1 }),
      capacity: { num_cpus: 2, memory_gb: 4, num_gpus: 0 },
    });
    expect(jobs.map(({ name, status }) => [name, status])).toEqual([
      ['a', 'pending'],
      ['b', 'pending'],
      ['c', 'pending'],
    ]);
  });

  it('jobs of a runner with several nodes are placed node by node: a job fits into one of them, or waits', async () => {
    const { id, nodeId } = await workflowOf(
      service,
      [
        { name: 'mpi', requirements: 'mpi' },
        { name: 'wide', requirements: 'wide' },
        { name: 'narrow' },
        { name: 'huge', requirements: 'huge' },
      ],
      {
        mpi: { num_nodes: 2, runtime: 'PT3H' },
        wide: { num_cpus: 3, runtime: 'PT2H' },
        huge: { num_nodes: 3, runtime: 'PT1M' },
      },
    );
    const total = { num_cpus: 4, memory_gb: 4, num_gpus: 0 };
    const halfFree = { free: { ...total, num_cpus: 2 }, total };
    const idle = { free: total, total };
    const turn = async (nodes: object[], prefetch = 0) => {
      const { jobs } = await exchange(id, nodeId, { limit: 9, prefetch, offer: offer({ num_nodes: 2 }), nodes });
      return jobs.map(({ name }) => name);
    };
    // Four CPUs are free, two on each node: no room for a job of three, and no free node for one that needs two whole
    // nodes.
    expect(await turn([halfFree, halfFree])).toEqual(['narrow']);
    expect(await turn([halfFree, idle])).toEqual(['wide']);
    // Jobs ahead are limited to those that fit into the empty nodes.
    expect(await turn([halfFree, halfFree], 5)).toEqual(['mpi']);
  });

  it('no job is claimed ahead without a request for it', async () => {
    const { id, nodeId } = await workflowOf(service, [{ name: 'a' }, { name: 'b' }]);
    const { jobs } = await exchange(id, nodeId, { limit: 1, offer: offer({ num_cpus: 1 }) });
    expect(jobs.map(({ name }) => name)).toEqual(['a']);
  });

  it('jobs that the runner does not hold are assigned again, and jobs of other runners are not', async () => {
    const { id, nodeId } = await workflowOf(service, [{ name: 'a' }, { name: 'b' }]);
    const other = await registerNode(service, id);
    await exchange(id, nodeId, { limit: 1, offer: offer({ num_cpus: 1 }) });
    await exchange(id, other, { limit: 1, offer: offer({ num_cpus: 1 }) });
    const lost = await service.client.exchange({
      params: { id },
      body: { run_id: 1, compute_node_id: nodeId, held: [] },
    });
    expect(lost.jobs.map(({ name }) => name)).toEqual(['a']);
    const kept = await service.client.exchange({
      params: { id },
      body: { run_id: 1, compute_node_id: nodeId, held: [lost.jobs[0]?.id as number] },
    });
    expect(kept.jobs).toEqual([]);
  });

  it('returned jobs become ready for others', async () => {
    const { id, nodeId, jobIds } = await workflowOf(service, [{ name: 'a' }]);
    await exchange(id, nodeId, { limit: 1, offer: offer() });
    await service.client.exchange({
      params: { id },
      body: { run_id: 1, compute_node_id: nodeId, returned: [jobIds.get('a') as number] },
    });
    expect(await claim(id)).toEqual(['a']);
  });
});

it('the ready jobs of a class are read from the index, in order, without a sort', () => {
  expect(service.store.db.plan(readySql)).toEqual([
    'SEARCH job USING COVERING INDEX job_ready (class_id=?)',
    'CORRELATED SCALAR SUBQUERY 1',
    'SEARCH held USING PRIMARY KEY (job_id=?)',
  ]);
});

it('the ready jobs of a choice are read from its own index, in order, without a sort or a look at other jobs', () => {
  const [first] = service.store.db.plan(chosenReadySql);
  expect(first).toBe('SEARCH job USING COVERING INDEX job_chosen (choice=? AND status=? AND class_id=?)');
  const plan = service.store.db.plan(chosenClaimableSql).join('\n');
  expect(plan).toContain('job_chosen (choice=? AND status=? AND class_id=?)');
  expect(plan).not.toContain('SCAN');
  expect(plan).not.toContain('TEMP B-TREE');
});

describe('a choice of jobs', () => {
  const twoOfFour = async () => {
    const made = await workflowOf(service, [
      { name: 'first' },
      { name: 'chosen' },
      { name: 'second', after: ['chosen'] },
      { name: 'other' },
    ]);
    await service.client.updatePlan({
      params: { id: made.id },
      query: {},
      body: { choice: { number: 77, job_ids: [2, 3] } },
    });
    return made;
  };

  it('its runner gets no other jobs, now or ahead, and one without a choice gets all', async () => {
    const { id, nodeId } = await twoOfFour();
    const ask = async (choice: number | undefined) =>
      service.client.exchange({
        params: { id },
        body: { run_id: 1, compute_node_id: nodeId, choice, want: { limit: 9, prefetch: 0, ahead: { limit: 9 } } },
      });
    const { jobs, ahead, choice_state: state } = await ask(77);
    expect(jobs.map(({ name }) => name)).toEqual(['chosen']);
    expect(ahead?.jobs.map(({ name }) => name)).toEqual(['second']);
    expect(state).toBe('under_way');
    const rest = await ask(undefined);
    expect(rest.jobs.map(({ name }) => name)).toEqual(['first', 'other']);
    expect(rest).not.toHaveProperty('choice_state');
    expect((await ask(78)).choice_state).toBe('complete');
  });

  it('a job belongs to the last choice that names it, and a choice that waits for one of another says so', async () => {
    const { id, nodeId } = await twoOfFour();
    await service.client.updatePlan({
      params: { id },
      query: {},
      body: { choice: { number: 78, job_ids: [2] } },
    });
    const body = { run_id: 1, compute_node_id: nodeId, choice: 77, want: { limit: 9, prefetch: 0 } };
    const reply = await service.client.exchange({ params: { id }, body });
    expect([reply.jobs, reply.choice_state]).toEqual([[], 'waiting']);
  });
});
