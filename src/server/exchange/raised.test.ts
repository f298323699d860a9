import { beforeEach, describe, expect, it } from 'vitest';
import type { ClaimedJob } from '../../core/contract/exchange.ts';
import { ended, registerNode, started, testService, type TestService } from '../../../tests/support/service.ts';

const MEBIBYTE = 2 ** 20;
let service: TestService;
let id: number;
let nodeId: number;
let small: number;
let schedulerId: number;

beforeEach(async () => {
  service = testService();
  const { client } = service;
  id = (await client.createWorkflow({ body: { name: 'flow', user: 'u' } })).id;
  const needs = { workflow_id: id, name: 'small', num_cpus: 1, memory: '200m', runtime: 'PT5M' };
  small = (await client.createResourceRequirements({ body: needs })).id;
  const scheduler = { workflow_id: id, name: 's', account: 'a', nodes: 1, walltime: '1:00:00' };
  schedulerId = (await client.createSlurmScheduler({ body: scheduler })).id;
  const bound = { resource_requirements_id: small, scheduler_id: schedulerId };
  for (const name of ['a', 'b', 'c'])
    await client.createJob({ body: { workflow_id: id, name, command: 'true', ...(name === 'c' ? {} : bound) } });
  await client.resetStatus({ params: { id }, query: {} });
  await client.initializeJobs({ params: { id }, query: {} });
  nodeId = await registerNode(service, id);
});

const room = { num_cpus: 100, memory_gb: 100, num_gpus: 8, num_nodes: 1 };
const wanted = () => ({ limit: 100, prefetch: 0, offer: { ...room, scheduler_config_id: schedulerId } });
const turn = (body: object = {}) =>
  service.client.exchange({ params: { id }, body: { run_id: 1, compute_node_id: nodeId, ...body } });
const claimedByName = async () => {
  const { jobs } = await turn({ want: wanted() });
  await turn({ started: jobs.map(started) });
  return new Map(jobs.map((job) => [job.name, job]));
};
const again = (job: ClaimedJob | undefined, over: object) => ({
  ...ended(job as ClaimedJob, 137),
  max_retries: 1000,
  ...over,
});
const job = async (name: string) => {
  const [found] = (await service.client.listJobs({ query: { workflow_id: id, name } })).items;
  return {
    ...found,
    needs: await service.client.getResourceRequirements({ params: { id: found?.resource_requirements_id as number } }),
  };
};
const records = async () =>
  (await service.client.listResourceRequirements({ query: { workflow_id: id } })).items.map(({ name }) => name);

describe('an attempt whose requirements are raised', () => {
  it('the job is assigned with more memory in the same exchange, and jobs with the same record keep theirs', async () => {
    const jobs = await claimedByName();
    const raise = { memory_bytes: 300 * MEBIBYTE };
    const reply = await turn({
      retried: [again(jobs.get('a'), { raise, cause: 'it had 200m' })],
      want: wanted(),
    });
    expect(reply.jobs.map(({ name, attempt_id: attempt, need }) => [name, attempt, need.memory_bytes])).toEqual([
      ['a', 2, 300 * MEBIBYTE],
    ]);
    expect((await job('a')).needs).toMatchObject({ name: 'small_300m_PT5M', memory: '300m', runtime: 'PT5M' });
    expect((await job('a')).scheduler_id).toBe((await job('b')).scheduler_id);
    expect((await job('b')).needs).toMatchObject({ id: small, memory: '200m' });
    const { items } = await service.client.listResults({ query: { workflow_id: id, all_runs: true } });
    expect(items).toMatchObject([{ return_code: 137, cause: 'it had 200m' }]);
  });

  it('jobs that are raised alike share one record, and a job that is raised again gets another', async () => {
    const jobs = await claimedByName();
    const raise = { memory_bytes: 300 * MEBIBYTE };
    const { jobs: next } = await turn({
      retried: [again(jobs.get('a'), { raise }), again(jobs.get('b'), { raise })],
      want: wanted(),
    });
    expect(await records()).toEqual(['default', 'small', 'small_300m_PT5M']);
    await turn({ started: next.map(started) });
    const a = next.find(({ name }) => name === 'a');
    await turn({ retried: [again(a, { raise: { runtime_seconds: 5400 } })] });
    expect(await records()).toEqual(['default', 'small', 'small_300m_PT5M', 'small_300m_PT1H30M']);
    expect((await job('a')).needs).toMatchObject({ memory: '300m', runtime: 'PT1H30M' });
    expect((await job('b')).needs).toMatchObject({ memory: '300m', runtime: 'PT5M' });
  });

  it('a report that arrives twice raises once, and one that comes too late raises nothing', async () => {
    const jobs = await claimedByName();
    const retried = [again(jobs.get('a'), { raise: { memory_bytes: 300 * MEBIBYTE } })];
    await turn({ retried });
    const twice = await turn({ retried: [again(jobs.get('a'), { raise: { memory_bytes: 900 * MEBIBYTE } })] });
    expect(twice.errors).toEqual([]);
    expect((await job('a')).needs.memory).toBe('300m');
    expect(await records()).toEqual(['default', 'small', 'small_300m_PT5M']);
  });

  it('a job without requirements of its own keeps those of the workflow, which set no limit', async () => {
    const jobs = await claimedByName();
    await turn({ retried: [again(jobs.get('c'), { raise: { memory_bytes: 300 * MEBIBYTE } })] });
    expect(await job('c')).toMatchObject({ attempt_id: 2, needs: { name: 'default' } });
  });

  it('an attempt that is refunded counts for no failure handler, and one that is not does', async () => {
    const jobs = await claimedByName();
    await turn({ retried: [again(jobs.get('a'), { is_refunded: true }), again(jobs.get('b'), {})] });
    expect(await job('a')).toMatchObject({ attempt_id: 2, refunded_attempts: 1 });
    expect((await job('b')).refunded_attempts).toBeUndefined();
    const { jobs: next } = await turn({ want: wanted() });
    await turn({ started: next.map(started) });
    const last = (name: string) =>
      again(
        next.find((each) => each.name === name),
        { max_retries: 2 },
      );
    await turn({ retried: [last('a'), last('b')] });
    expect([(await job('a')).status, (await job('b')).status]).toEqual(['ready', 'failed']);
  });

  it('amounts that are none are refused', async () => {
    const jobs = await claimedByName();
    for (const memory_bytes of [0, -1, 1.5])
      await expect(turn({ retried: [again(jobs.get('a'), { raise: { memory_bytes } })] })).rejects.toThrow(
        'memory_bytes',
      );
  });

  it('a runner that is lost leaves the raise to its ledger, and the job has it afterwards', async () => {
    const jobs = await claimedByName();
    const retried = [again(jobs.get('a'), { raise: { memory_bytes: 300 * MEBIBYTE } })];
    const body = { run_id: 1, retried, reason: 'its process is gone' };
    await service.client.reportLostRunner({ params: { id, compute_node_id: nodeId }, body });
    expect(await job('a')).toMatchObject({ status: 'ready', attempt_id: 2, needs: { memory: '300m' } });
  });
});
