import { beforeEach, describe, expect, it } from 'vitest';
import { registerNode, testService, type TestService, workflowOf } from '../../../tests/support/service.ts';
import { readySql } from './queries.ts';

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
  it('hands a job to one runner only, however often it is asked for', async () => {
    const { id } = await workflowOf(service, [{ name: 'a' }, { name: 'b' }, { name: 'c' }]);
    expect(await claim(id)).toEqual(['a', 'b', 'c']);
    expect(await claim(id)).toEqual([]);
  });

  it('hands out pending jobs with all they need to run, and without what is not set', async () => {
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

  it('goes by priority, then the most demanding first, then the order of creation', async () => {
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

  it('packs into what is offered and backfills with what still fits', async () => {
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

  it('finds jobs that fit behind a hundred that do not', async () => {
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

  it('keeps jobs that would take longer than the time that is left', async () => {
    const { id } = await workflowOf(service, [{ name: 'long', requirements: 'long' }, { name: 'short' }], {
      long: { runtime: 'PT2H' },
    });
    expect(await claim(id, offer({ time_limit: 'PT1H' }))).toEqual(['short']);
    expect(await claim(id, offer({ time_limit: 'PT2H' }))).toEqual(['long']);
  });

  it('gives labelled jobs only to runners that have all their labels, and those nothing else', async () => {
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

  it('refuses a label with a comma, by name', async () => {
    const { id } = await workflowOf(service, [{ name: 'a' }]);
    await expect(claim(id, offer({ labels: ['a,b'] }))).rejects.toThrow('got "a,b"');
  });

  it('prefers jobs that are bound to its scheduler or to none, and takes others only when it may and has nothing else', async () => {
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

  it('hands out nothing of a canceled workflow and says why', async () => {
    const { id } = await workflowOf(service, [{ name: 'a' }]);
    await service.client.cancelWorkflow({ params: { id } });
    const answer = await service.client.claimJobsBasedOnResources({
      params: { id, limit: 1 },
      query: {},
      body: offer(),
    });
    expect(answer).toEqual({ jobs: [], reason: 'Workflow is canceled' });
  });

  it('hands out nothing for a limit of 0 and answers 404 for an unknown workflow', async () => {
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

  it('ignores what jobs need, and goes by priority and order of creation', async () => {
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

  it('gives ten when no number is asked for, and all for a negative one', async () => {
    const { id } = await workflowOf(
      service,
      Array.from({ length: 30 }, (_, index) => ({ name: `j${index}` })),
    );
    expect(await next(id)).toHaveLength(10);
    expect(await next(id, { limit: -1 })).toHaveLength(20);
  });
});

describe('taking ahead', () => {
  const exchange = (id: number, nodeId: number, want: object) =>
    service.client.exchange({
      params: { id },
      body: { run_id: 1, compute_node_id: nodeId, want: { limit: 0, prefetch: 0, ...want } },
    });

  it('hands out more jobs than fit now, as long as each fits into the empty node', async () => {
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

  it('counts node by node for a runner of several: a job fits into one of them, or waits', async () => {
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
    // Four CPUs are free, two on each: nothing for a job of three, and no node for one that wants two whole.
    expect(await turn([halfFree, halfFree])).toEqual(['narrow']);
    expect(await turn([halfFree, idle])).toEqual(['wide']);
    // Ahead goes what fits into the nodes when they are empty, and no more than that.
    expect(await turn([halfFree, halfFree], 5)).toEqual(['mpi']);
  });

  it('takes nothing ahead when nothing ahead is wanted', async () => {
    const { id, nodeId } = await workflowOf(service, [{ name: 'a' }, { name: 'b' }]);
    const { jobs } = await exchange(id, nodeId, { limit: 1, offer: offer({ num_cpus: 1 }) });
    expect(jobs.map(({ name }) => name)).toEqual(['a']);
  });

  it('hands again what was handed and is not held, and nothing that another runner holds', async () => {
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

  it('makes what is given back ready for others', async () => {
    const { id, nodeId, jobIds } = await workflowOf(service, [{ name: 'a' }]);
    await exchange(id, nodeId, { limit: 1, offer: offer() });
    await service.client.exchange({
      params: { id },
      body: { run_id: 1, compute_node_id: nodeId, returned: [jobIds.get('a') as number] },
    });
    expect(await claim(id)).toEqual(['a']);
  });
});

it('reads the ready jobs of a class from the index, in order, without a sort', () => {
  expect(service.store.db.plan(readySql)).toEqual([
    'SEARCH job USING COVERING INDEX job_ready (class_id=?)',
    'CORRELATED SCALAR SUBQUERY 1',
    'SEARCH held USING PRIMARY KEY (job_id=?)',
  ]);
});
