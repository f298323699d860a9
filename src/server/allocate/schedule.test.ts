import { beforeEach, describe, expect, it } from 'vitest';
import { registerNode, testService, type TestService, workflowOf } from '../../../tests/support/service.ts';

let service: TestService;

beforeEach(() => {
  service = testService();
});

const allocation = (workflowId: number, over: object = {}) => ({
  workflow_id: workflowId,
  scheduler_id: 4711,
  scheduler_config_id: 1,
  scheduler_type: 'slurm',
  status: 'pending',
  ...over,
});
const all = (workflowId: number) => ({ query: { workflow_id: workflowId } });

describe('an allocation', () => {
  it('an allocation is found by its fields, changed in the given fields, and deleted alone or with its workflow', async () => {
    const { client } = service;
    const { id } = await workflowOf(service, []);
    const first = await client.createScheduledComputeNode({ body: allocation(id) });
    const second = await client.createScheduledComputeNode({ body: allocation(id, { scheduler_id: 4712 }) });
    const params = { id: second.id };
    expect(await client.updateScheduledComputeNode({ params, body: { status: 'active' } })).toEqual({
      ...second,
      status: 'active',
    });
    const named = async (query: object) =>
      (await client.listScheduledComputeNodes({ query: { workflow_id: id, ...query } })).items.map((each) => each.id);
    expect(await named({ status: 'active' })).toEqual([second.id]);
    expect(await named({ is_open: true })).toEqual([first.id, second.id]);
    await client.updateScheduledComputeNode({ params: { id: first.id }, body: { status: 'complete' } });
    expect(await named({ is_open: true })).toEqual([second.id]);
    expect(await named({ is_open: false })).toEqual([first.id]);
    expect(await named({ scheduler_id: 4711 })).toEqual([first.id]);
    expect(await named({ scheduler_config_id: 2 })).toEqual([]);
    expect(await client.deleteScheduledComputeNode({ params })).toMatchObject({ status: 'active' });
    await expect(client.getScheduledComputeNode({ params })).rejects.toThrow(
      `allocation (scheduled compute node) ${second.id} was not found (404)`,
    );
    expect(await client.deleteScheduledComputeNodes(all(id))).toEqual({ count: 1 });
    await expect(client.createScheduledComputeNode({ body: allocation(99) })).rejects.toMatchObject({ status: 404 });
  });

  it('an allocation is reported on the event stream', async () => {
    const { id } = await workflowOf(service, []);
    await service.store.turns.idle();
    const heard: unknown[] = [];
    service.store.changes.subscribe(id, ({ event_type: type, entries }) => heard.push([type, entries]));
    const { id: allocationId } = await service.client.createScheduledComputeNode({ body: allocation(id) });
    await service.store.turns.idle();
    expect(heard).toEqual([
      [
        'scheduler_node_created',
        [
          {
            category: 'scheduler',
            scheduled_compute_node_id: allocationId,
            scheduler_id: 4711,
            scheduler_config_id: 1,
            scheduler_type: 'slurm',
            status: 'pending',
          },
        ],
      ],
    ]);
  });

  it('an allocation lists its runners, and running jobs name it', async () => {
    const { client } = service;
    const { id, nodeId } = await workflowOf(service, [{ name: 'a' }, { name: 'b' }]);
    const { id: allocationId } = await client.createScheduledComputeNode({ body: allocation(id) });
    const inside = await client.createComputeNode({
      body: {
        ...(await client.getComputeNode({ params: { id: nodeId } })),
        hostname: 'inside',
        scheduler: { scheduler_id: allocationId },
      },
    });
    const { items } = await client.listComputeNodes({
      query: { workflow_id: id, scheduled_compute_node_id: allocationId },
    });
    expect(items.map(({ hostname }) => hostname)).toEqual(['inside']);

    const { jobs = [] } = await client.claimNextJobs({ params: { id }, query: {} });
    for (const [index, compute_node_id] of [inside.id, nodeId].entries())
      await client.startJob({ params: { id: jobs[index]?.id as number, run_id: 1, compute_node_id } });
    const running = await client.listRunningJobs({ params: { id }, query: {} });
    expect(running.items).toEqual([
      {
        job_id: jobs[0]?.id,
        job_name: 'a',
        compute_node_name: 'inside',
        scheduler_type: 'local',
        scheduler_job_id: '4711',
        start_time: expect.any(String),
      },
      expect.objectContaining({ job_name: 'b', compute_node_name: 'test-host' }),
    ]);
    expect(running.items[1]).not.toHaveProperty('scheduler_job_id');
  });

  it('an allocation is named by each job that ended in it, once', async () => {
    const { client } = service;
    const { id, nodeId, jobIds } = await workflowOf(service, [{ name: 'a' }, { name: 'b' }]);
    const { id: allocationId } = await client.createScheduledComputeNode({ body: allocation(id) });
    const outside = await client.getComputeNode({ params: { id: nodeId } });
    const inside = await client.createComputeNode({
      body: { ...outside, scheduler: { scheduler_id: allocationId } },
    });
    for (const [name, node, run] of [
      ['a', inside.id, 1],
      ['a', inside.id, 2],
      ['b', nodeId, 1],
    ] as const)
      await client.createResult({
        body: {
          workflow_id: id,
          job_id: jobIds.get(name) as number,
          run_id: run,
          compute_node_id: node,
          return_code: 0,
          exec_time_minutes: 1,
          completion_time: '2026-03-01T12:00:00.000Z',
          status: 'completed',
        },
      });
    const { items, total_count: total } = await client.listSlurmJobCorrelations({ params: { id }, query: {} });
    expect(total).toBe(1);
    expect(items).toEqual([{ slurm_job_id: '4711', job_id: jobIds.get('a'), job_name: 'a' }]);
  });
});

describe('a local scheduler', () => {
  it('a local scheduler stores memory and CPUs, not its name, and is refused without them', async () => {
    const { client } = service;
    const { id } = await workflowOf(service, []);
    const body = { workflow_id: id, name: 'local', memory: '4g', num_cpus: 2 };
    const created = await client.createLocalScheduler({ body });
    expect(created).toEqual({ ...body, id: created.id });
    const params = { id: created.id };
    const kept = { id: created.id, workflow_id: id, memory: '4g', num_cpus: 2 };
    expect(await client.getLocalScheduler({ params })).toEqual(kept);
    expect(await client.updateLocalScheduler({ params, body: { num_cpus: 3 } })).toMatchObject({ num_cpus: 3 });
    expect(await client.getLocalScheduler({ params })).toMatchObject({ memory: '4g', num_cpus: 3 });
    expect((await client.listLocalSchedulers(all(id))).total_count).toBe(1);
    expect(await client.deleteLocalScheduler({ params })).toMatchObject({ num_cpus: 3 });
    expect(await client.deleteLocalSchedulers(all(id))).toEqual({ count: 0 });
    await expect(client.createLocalScheduler({ body: { workflow_id: id, memory: '4g' } })).rejects.toThrow(
      'a local scheduler needs memory and num_cpus',
    );
  });
});

describe('hosts reached by ssh', () => {
  it('hosts are stored once each, returned in the given order, and listed by name', async () => {
    const { client } = service;
    const { id } = await workflowOf(service, []);
    const add = async (body: string[]) =>
      (await client.addRemoteWorkers({ params: { id }, body })).map(({ worker }) => worker);
    expect(await add(['b --num-cpus 2', 'me@a:22'])).toEqual(['b --num-cpus 2', 'me@a:22']);
    await client.removeRemoteWorker({ params: { id, worker: 'b --num-cpus 2' } });
    expect(await add(['b', 'me@a:22'])).toEqual(['b', 'me@a:22']);
    expect(await add(['c', 'b'])).toEqual(['c', 'b']);
    const listed = async () => (await client.listRemoteWorkers({ params: { id } })).map(({ worker }) => worker);
    expect(await listed()).toEqual(['b', 'c', 'me@a:22']);
    expect(await client.removeRemoteWorker({ params: { id, worker: 'me@a:22' } })).toEqual({
      worker: 'me@a:22',
      workflow_id: id,
    });
    await expect(client.removeRemoteWorker({ params: { id, worker: 'me@a:22' } })).rejects.toThrow(
      `Worker 'me@a:22' not found (404) for workflow ${id}`,
    );
    for (const bad of ['', ' ', 'a b', 'a\n', '-oProxyCommand=sh', '\u{7}']) {
      await expect(add(['ok', bad])).rejects.toThrow(`worker 1 is "${bad}": expected [user@]host[:port]`);
    }
    expect(await listed()).toEqual(['b', 'c']);
  });
});

describe('the accounting data of Slurm for an attempt', () => {
  it('accounting data is stored once, and listed by job, run and attempt', async () => {
    const { client } = service;
    const { id, jobIds } = await workflowOf(service, [{ name: 'a' }, { name: 'b' }]);
    const body = {
      workflow_id: id,
      job_id: jobIds.get('a') as number,
      run_id: 1,
      attempt_id: 1,
      slurm_job_id: '12.3',
      max_rss_bytes: 7,
      ave_cpu_seconds: 1.5,
    };
    const stored = await client.createSlurmStats({ body });
    const listed = async (query: object) =>
      (await client.listSlurmStats({ query: { workflow_id: id, ...query } })).items;
    expect(await listed({ job_id: body.job_id, run_id: 1, attempt_id: 1 })).toEqual([stored]);
    expect(await listed({ job_id: jobIds.get('b') })).toEqual([]);
    await expect(client.createSlurmStats({ body })).rejects.toThrow(
      'has Slurm statistics for run 1, attempt 1 already',
    );
    const other = await workflowOf(service, []);
    await registerNode(service, other.id);
    await expect(client.createSlurmStats({ body: { ...body, workflow_id: other.id } })).rejects.toMatchObject({
      status: 422,
    });
  });
});
