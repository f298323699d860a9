import { beforeEach, describe, expect, it } from 'vitest';
import { ended, statuses, testService, type TestService, workflowOf } from '../../../tests/support/service.ts';

let service: TestService;

beforeEach(() => {
  service = testService();
});

const offer = { num_cpus: 8, memory_gb: 8, num_gpus: 0, num_nodes: 1 };

/** Runs the ready jobs, as the runner does. */
async function runReady(id: number, nodeId: number, returnCode = 0): Promise<string[]> {
  const turn = (body: object) =>
    service.client.exchange({ params: { id }, body: { run_id: 1, compute_node_id: nodeId, ...body } });
  const { jobs } = await turn({ want: { limit: 10, prefetch: 0, offer } });
  await turn({ completed: jobs.map((job) => ended(job, returnCode)) });
  return jobs.map(({ name }) => name);
}

interface Kind {
  readonly create: (workflowId: number, jobId: number) => Promise<{ id?: number | null | undefined }>;
  readonly get: (id: number) => Promise<unknown>;
  readonly remove: (id: number) => Promise<unknown>;
  readonly removeAll?: (workflowId: number) => Promise<Record<string, unknown>>;
  readonly answers?: object;
}

const of = (id: number) => ({ params: { id } });
const all = (workflowId: number) => ({ query: { workflow_id: workflowId } });

const kinds: Record<string, () => Kind> = {
  file: () => ({
    create: (id) => service.client.createFile({ body: { workflow_id: id, name: 'f', path: 'f' } }),
    get: (id) => service.client.getFile(of(id)),
    remove: (id) => service.client.deleteFile(of(id)),
    removeAll: (id) => service.client.deleteFiles(all(id)),
  }),
  'user data record': () => ({
    create: (id) => service.client.createUserData({ body: { workflow_id: id, name: 'u', data: [1] } }),
    get: (id) => service.client.getUserData(of(id)),
    remove: (id) => service.client.deleteUserData(of(id)),
    removeAll: (id) => service.client.deleteUserDataList(all(id)),
  }),
  event: () => ({
    create: (id) => service.client.createEvent({ body: { workflow_id: id, timestamp: 0, data: { a: 1 } } }),
    get: (id) => service.client.getEvent(of(id)),
    remove: (id) => service.client.deleteEvent(of(id)),
    removeAll: (id) => service.client.deleteEvents(all(id)),
  }),
  result: () => ({
    create: (id, jobId) => service.client.createResult({ body: resultOf(id, jobId) }),
    get: (id) => service.client.getResult(of(id)),
    remove: (id) => service.client.deleteResult(of(id)),
    removeAll: (id) => service.client.deleteResults(all(id)),
  }),
  'Slurm scheduler': () => ({
    create: (id) => service.client.createSlurmScheduler({ body: schedulerOf(id) }),
    get: (id) => service.client.getSlurmScheduler(of(id)),
    remove: (id) => service.client.deleteSlurmScheduler(of(id)),
    removeAll: (id) => service.client.deleteSlurmSchedulers(all(id)),
  }),
  'failure handler': () => ({
    create: (id) => service.client.createFailureHandler({ body: { workflow_id: id, name: 'h', rules: '[]' } }),
    get: (id) => service.client.getFailureHandler(of(id)),
    remove: (id) => service.client.deleteFailureHandler(of(id)),
    answers: { message: 'Failure handler deleted successfully' },
  }),
  job: () => ({
    create: (id) => service.client.createJob({ body: { workflow_id: id, name: 'more', command: 'true' } }),
    get: (id) => service.client.getJob(of(id)),
    remove: (id) => service.client.deleteJob(of(id)),
    removeAll: (id) => service.client.deleteJobs(all(id)),
  }),
};

const schedulerOf = (id: number) => ({ workflow_id: id, name: 's', account: 'a', nodes: 1, walltime: '01:00:00' });

// Each workflow of these tests has one runner, so a workflow and its runner have the same id.
const resultOf = (workflowId: number, jobId: number, runId = 7) => ({
  workflow_id: workflowId,
  job_id: jobId,
  run_id: runId,
  compute_node_id: workflowId,
  return_code: 0,
  exec_time_minutes: 1,
  completion_time: '2026-03-01T12:00:00.000Z',
  status: 'completed' as const,
});

describe.each(Object.entries(kinds))('a %s', (_, kindOf) => {
  it('a deleted record is gone, and the reply contains it', async () => {
    const { id, jobIds } = await workflowOf(service, [{ name: 'a' }]);
    const { create, get, remove, answers } = kindOf();
    const { id: recordId } = await create(id, jobIds.get('a') as number);
    const before = await get(recordId as number);
    expect(await remove(recordId as number)).toMatchObject(answers ?? (before as object));
    await expect(get(recordId as number)).rejects.toMatchObject({ status: 404 });
    await expect(remove(recordId as number)).rejects.toMatchObject({ status: 404 });
  });

  it('a record is deleted with all of its workflow, and none of another workflow', async () => {
    const { create, get, removeAll } = kindOf();
    if (removeAll === undefined) return;
    const mine = await workflowOf(service, [{ name: 'a' }]);
    const other = await workflowOf(service, [{ name: 'a' }]);
    const { id: goes } = await create(mine.id, mine.jobIds.get('a') as number);
    const { id: stays } = await create(other.id, other.jobIds.get('a') as number);
    const { count = 0, deleted_count: deleted = 0 } = await removeAll(mine.id);
    expect(Number(count) + Number(deleted)).toBeGreaterThan(0);
    await expect(get(goes as number)).rejects.toMatchObject({ status: 404 });
    expect(await get(stays as number)).toMatchObject({ id: stays });
    await expect(removeAll(99)).rejects.toThrow('workflow 99 was not found (404)');
  });
});

describe('resource requirements', () => {
  const create = async (workflowId: number) =>
    service.client.createResourceRequirements({ body: { workflow_id: workflowId, name: 'big', num_cpus: 4 } });

  it('an update replaces resource requirements: missing fields get their default, and claims use the new ones', async () => {
    const { id } = await workflowOf(service, [{ name: 'a', requirements: 'wide' }], { wide: { num_cpus: 64 } });
    const { items } = await service.client.listResourceRequirements({ query: { workflow_id: id, name: 'wide' } });
    const wide = items[0]?.id as number;
    const claim = () => service.client.claimJobsBasedOnResources({ params: { id, limit: 1 }, query: {}, body: offer });
    expect((await claim()).jobs).toEqual([]);
    const changed = await service.client.updateResourceRequirements({
      params: { id: wide },
      body: { workflow_id: id, name: 'wide', memory: '2g' },
    });
    expect(changed).toMatchObject({ num_cpus: 1, num_gpus: 0, num_nodes: 1, memory: '2g', runtime: 'PT1M' });
    expect((await claim()).jobs?.map(({ name }) => name)).toEqual(['a']);
    const { items: events } = await service.client.listEvents({ query: { workflow_id: id, category: 'user_action' } });
    expect(events.at(-1)?.data).toMatchObject({ action: 'update_resource_requirements' });
  });

  it.each([
    [{ num_cpus: 0 }, 'num_cpus must be > 0, got 0'],
    [{ num_nodes: -1 }, 'num_nodes must be > 0, got -1'],
    [{ num_gpus: -1 }, 'num_gpus must be >= 0, got -1'],
    [{ memory: '1gb' }, "Invalid memory format '1gb'"],
    [{ name: 'default' }, "'default'"],
  ])('resource requirements with %j are refused, and do not change', async (wrong, words) => {
    const { id } = await workflowOf(service, []);
    const { id: recordId } = await create(id);
    const params = { id: recordId };
    const before = await service.client.getResourceRequirements({ params });
    const body = { workflow_id: id, name: 'big', ...wrong };
    await expect(service.client.updateResourceRequirements({ params, body })).rejects.toThrow(words);
    expect(await service.client.getResourceRequirements({ params })).toEqual(before);
  });

  it('resource requirements can be deleted only when no job uses them', async () => {
    const { id } = await workflowOf(service, [{ name: 'a', requirements: 'used' }], { used: {} });
    const { items } = await service.client.listResourceRequirements({ query: { workflow_id: id, name: 'used' } });
    const used = of(items[0]?.id as number);
    await expect(service.client.deleteResourceRequirements(used)).rejects.toThrow('1 job uses them');
    await expect(service.client.deleteResourceRequirementsList(all(id))).rejects.toThrow('1 job uses them');
    const { id: unused } = await create(id);
    expect(await service.client.deleteResourceRequirements(of(unused))).toMatchObject({ name: 'big' });
    await service.client.deleteJobs(all(id));
    expect(await service.client.deleteResourceRequirementsList(all(id))).toEqual({ count: 2 });
  });
});

describe('a runner', () => {
  it.each(['num_cpus', 'memory_gb', 'num_gpus', 'num_nodes'])(
    'a runner with a negative %s is refused, when it registers and later, and one without any of it is not',
    async (field) => {
      const { id } = await workflowOf(service, []);
      const body = {
        workflow_id: id,
        hostname: 'n1',
        pid: 1,
        start_time: '2026-01-01T00:00:00Z',
        compute_node_type: 'local',
        num_cpus: 4,
        memory_gb: 8,
        num_gpus: 1,
        num_nodes: 1,
      };
      const refused = `${field} must be >= 0, got -1`;
      const { client } = service;
      await expect(client.createComputeNode({ body: { ...body, [field]: -1 } })).rejects.toThrow(refused);
      const { id: nodeId } = await client.createComputeNode({ body: { ...body, [field]: 0 } });
      const params = { id: nodeId as number };
      await expect(client.updateComputeNode({ params, body: { ...body, [field]: -1 } })).rejects.toThrow(refused);
      expect(await client.getComputeNode({ params })).toMatchObject({ [field]: 0 });
    },
  );

  it('a runner can be deleted only when it holds no jobs', async () => {
    const { id, nodeId } = await workflowOf(service, [{ name: 'a' }]);
    const turn = (body: object) =>
      service.client.exchange({ params: { id }, body: { run_id: 1, compute_node_id: nodeId, ...body } });
    const { jobs } = await turn({ want: { limit: 1, prefetch: 0, offer } });
    await expect(service.client.deleteComputeNode(of(nodeId))).rejects.toThrow('1 job is pending or running there');
    await expect(service.client.deleteComputeNodes(all(id))).rejects.toThrow('1 job is pending or running there');
    await turn({ completed: jobs.map((job) => ended(job)) });
    expect(await service.client.deleteComputeNode(of(nodeId))).toMatchObject({ id: nodeId, hostname: 'test-host' });
    expect(await service.client.deleteComputeNodes(all(id))).toEqual({ count: 0 });
  });
});

describe('results, events and schedulers', () => {
  it('an update changes the given fields and keeps the others', async () => {
    const { client } = service;
    const { id, jobIds } = await workflowOf(service, [{ name: 'a' }]);
    const result = await client.createResult({ body: resultOf(id, jobIds.get('a') as number) });
    const change = { params: { id: result.id }, body: { return_code: 3, status: 'failed' as const } };
    const changed = { ...result, job_name: 'a', attempt_id: 1, return_code: 3, status: 'failed', cause_code: 'exit' };
    expect(await client.updateResult(change)).toEqual(changed);

    const event = await client.createEvent({ body: { workflow_id: id, timestamp: 0, data: { a: 1 } } });
    expect(await client.updateEvent({ params: { id: event.id }, body: { b: [2] } })).toEqual({
      ...event,
      data: { b: [2] },
    });

    const scheduler = await client.createSlurmScheduler({ body: schedulerOf(id) });
    const wider = { params: { id: scheduler.id }, body: { nodes: 4 } };
    expect(await client.updateSlurmScheduler(wider)).toMatchObject({ ...schedulerOf(id), nodes: 4 });
  });

  it('a second result of the same attempt is refused, and so is one for a job of another workflow', async () => {
    const { id, jobIds } = await workflowOf(service, [{ name: 'a' }]);
    const other = await workflowOf(service, []);
    const body = resultOf(id, jobIds.get('a') as number);
    await service.client.createResult({ body });
    await expect(service.client.createResult({ body })).rejects.toThrow('has a result for run 7, attempt 1 already');
    await expect(service.client.createResult({ body: { ...body, workflow_id: other.id } })).rejects.toMatchObject({
      status: 422,
    });
  });

  it('a result that is stored without a cause gets the one that its code proves, and a code with two meanings proves none', async () => {
    const { id, jobIds } = await workflowOf(service, [{ name: 'a' }]);
    const causeOf = async (body: object, runId: number) => {
      const given = { ...resultOf(id, jobIds.get('a') as number, runId), ...body };
      const { id: resultId } = await service.client.createResult({ body: given });
      return (await service.client.getResult(of(resultId))).cause_code;
    };
    expect(await causeOf({ status: 'failed', return_code: 127 }, 1)).toBe('not_found');
    expect(await causeOf({ status: 'failed', return_code: 127, cause_code: 'exit' }, 2)).toBe('exit');
    expect(await causeOf({ status: 'failed', return_code: 1 }, 3)).toBeUndefined();
    expect(await causeOf({ status: 'completed', return_code: 0 }, 4)).toBeUndefined();
  });

  it('a result that is changed has the cause that its new code proves, and one that was reported stays', async () => {
    const { id, jobIds } = await workflowOf(service, [{ name: 'a' }]);
    const changed = async (body: object, runId: number) => {
      const given = { ...resultOf(id, jobIds.get('a') as number, runId), ...body };
      const { id: resultId } = await service.client.createResult({ body: given });
      return (await service.client.updateResult({ ...of(resultId), body: { return_code: 3 } })).cause_code;
    };
    expect(await changed({ status: 'failed', return_code: 127 }, 1)).toBe('exit');
    expect(await changed({ status: 'failed', return_code: 1, cause_code: 'missing_output' }, 2)).toBe('missing_output');
  });

  it('a job loses its current result when that is deleted', async () => {
    const { id, nodeId } = await workflowOf(service, [{ name: 'a' }]);
    await runReady(id, nodeId);
    const { items } = await service.client.listResults({ query: { workflow_id: id } });
    await service.client.deleteResult(of(items[0]?.id as number));
    expect((await service.client.listResults({ query: { workflow_id: id } })).items).toEqual([]);
    expect(await statuses(service, id)).toEqual({ a: 'completed' });
  });
});
