import { beforeEach, describe, expect, it } from 'vitest';
import { statuses, testService, type TestService, workflowOf } from '../../../../tests/support/service.ts';

let service: TestService;

beforeEach(() => {
  service = testService();
});

const offer = { num_cpus: 8, memory_gb: 8, num_gpus: 0, num_nodes: 1 };

async function uninitialized(names: string[]): Promise<{ id: number; jobs: Map<string, number> }> {
  const { id } = (await service.client.createWorkflow({ body: { name: 'w', user: 'u' } })) as { id: number };
  const jobs = new Map<string, number>();
  for (const name of names) {
    const job = await service.client.createJob({ body: { workflow_id: id, name, command: 'true' } });
    jobs.set(name, job.id);
  }
  return { id, jobs };
}

const change = (id: number, body: object, name = 'a') =>
  service.client.updateJob({ params: { id }, body: { name, command: 'true', ...body } });

describe('an uninitialized job', () => {
  it('an uninitialized job can get another name, command and dependencies, and can be disabled', async () => {
    const { id, jobs } = await uninitialized(['a', 'b']);
    const [a, b] = [jobs.get('a') as number, jobs.get('b') as number];
    await change(b, { name: 'c', command: 'false', depends_on_job_ids: [a] });
    expect(await service.client.getJob({ params: { id: b } })).toMatchObject({
      name: 'c',
      command: 'false',
      depends_on_job_ids: [a],
    });
    await change(a, { status: 'disabled' });
    await service.client.initializeJobs({ params: { id } });
    expect((await statuses(service, id))['a']).toBe('disabled');
  });

  it.each([
    [{ status: 'ready' }, 'Cannot update job status - this field is immutable after job creation (except to Disabled)'],
    [{ env: { A: '1' } }, 'Cannot modify env - this field is immutable after job creation'],
    [{ input_file_ids: [1] }, 'Cannot modify input_file_ids - this field is immutable after job creation'],
    [{ depends_on_job_ids: [99] }, 'depends_on_job_ids names 99, which is no job of the workflow'],
    [{ resource_requirements_id: 99 }, "job 'a' names resource_requirements 99"],
    [{ priority: -1 }, "priority must be >= 0, got -1 for job 'a'"],
  ])('an uninitialized job refuses %j', async (body, words) => {
    const { jobs } = await uninitialized(['a']);
    const a = jobs.get('a') as number;
    const before = await service.client.getJob({ params: { id: a } });
    await expect(change(a, body)).rejects.toThrow(words);
    expect(await service.client.getJob({ params: { id: a } })).toEqual(before);
  });

  it('an uninitialized job may be sent back unchanged', async () => {
    const { jobs } = await uninitialized(['a']);
    const before = await service.client.getJob({ params: { id: jobs.get('a') as number } });
    expect(await change(before.id, before)).toEqual(before);
  });
});

describe('a ready job', () => {
  it('a ready job can get other requirements, priority and labels, which claims use from then on', async () => {
    const { id, jobIds } = await workflowOf(service, [{ name: 'a' }, { name: 'b' }], { wide: { num_cpus: 64 } });
    const { items } = await service.client.listResourceRequirements({ query: { workflow_id: id, name: 'wide' } });
    await change(jobIds.get('a') as number, { resource_requirements_id: items[0]?.id as number });
    await change(jobIds.get('b') as number, { labels: ['gpu'], priority: 3 }, 'b');
    const claim = async (labels: string[]) =>
      (
        await service.client.claimJobsBasedOnResources({
          params: { id, limit: 5 },
          query: {},
          body: { ...offer, labels },
        })
      ).jobs?.map(({ name }) => name);
    expect(await claim([])).toEqual([]);
    expect(await claim(['gpu'])).toEqual(['b']);
  });

  it('a ready job keeps its definition: the refusal names the fields that would have changed', async () => {
    const { jobIds } = await workflowOf(service, [{ name: 'a' }]);
    await expect(change(jobIds.get('a') as number, { command: 'false' })).rejects.toThrow(
      "Cannot update job 1 when status is 'ready' - most updates are only allowed when status is 'uninitialized'. Only scheduler_id and resource_requirements_id can be updated at any time. Changed fields: [command]",
    );
  });
});

describe('a deleted job', () => {
  it('a deleted job blocks no dependent: those that waited only for it are ready', async () => {
    const { id, jobIds } = await workflowOf(service, [
      { name: 'a' },
      { name: 'b' },
      { name: 'ab', after: ['a', 'b'] },
      { name: 'only-b', after: ['b'] },
    ]);
    await service.client.deleteJob({ params: { id: jobIds.get('b') as number } });
    expect(await statuses(service, id)).toEqual({ a: 'ready', ab: 'blocked', 'only-b': 'ready' });
    const { jobs_by_status: counts } = await service.client.getWorkflowStatus({ params: { id } });
    expect([counts.ready, counts.blocked]).toEqual([2, 1]);
  });

  it('a job that a runner holds cannot be deleted', async () => {
    const { id, jobIds } = await workflowOf(service, [{ name: 'a' }]);
    await service.client.claimNextJobs({ params: { id }, query: {} });
    const a = jobIds.get('a') as number;
    await expect(service.client.deleteJob({ params: { id: a } })).rejects.toThrow(
      'job 1 is pending: a runner holds it',
    );
    await expect(service.client.deleteJobs({ query: { workflow_id: id } })).rejects.toThrow(
      `1 jobs of workflow ${id} are pending or running; cancel it first`,
    );
    await service.client.cancelWorkflow({ params: { id } });
    expect(await service.client.deleteJobs({ query: { workflow_id: id } })).toEqual({ count: 1 });
  });
});
