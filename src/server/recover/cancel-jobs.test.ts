import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ClaimedJob, ExchangeRequest } from '../../core/contract/exchange.ts';
import {
  ended,
  recordedChanges,
  registerNode,
  started,
  statuses,
  testService,
  type TestService,
  workflowOf,
} from '../../../tests/support/service.ts';

let service: TestService;
let id: number;
let nodeId: number;
let ids: Record<string, number>;

const want = { limit: 100, prefetch: 0 };
const exchange = (body: Partial<ExchangeRequest> = {}, node = nodeId) =>
  service.client.exchange({ params: { id }, body: { run_id: 1, compute_node_id: node, ...body } });
const cancel = (...names: string[]) =>
  service.client.cancelJobs({ params: { id }, body: { job_ids: names.map((name) => ids[name] as number) } });
const job = (jobs: readonly ClaimedJob[], name: string) => jobs.find((each) => each.name === name) as ClaimedJob;

/** `a` → `b` → `c`, `a` → `stays` (runs in spite of failures), and `alone`. */
const flow = [
  { name: 'a' },
  { name: 'b', after: ['a'] },
  { name: 'c', after: ['b'] },
  { name: 'stays', after: ['a'], cancels: false },
  { name: 'alone' },
];

beforeEach(async () => {
  service = testService();
  ({ id, nodeId } = await workflowOf(service, flow));
  const { items } = await service.client.listJobs({ query: { workflow_id: id } });
  ids = Object.fromEntries(items.map((each) => [each.name, each.id as number]));
});

describe('a job that waits', () => {
  it('a waiting job is canceled at once with what depends on it, and a job that runs in spite of failures becomes ready', async () => {
    expect(await cancel('a')).toEqual({
      canceled_job_ids: [ids['a']],
      ending_job_ids: [],
      dependent_job_ids: [ids['b'], ids['c']],
      refused: [],
    });
    expect(await statuses(service, id)).toEqual({
      a: 'canceled',
      b: 'canceled',
      c: 'canceled',
      stays: 'ready',
      alone: 'ready',
    });
  });

  it('a waiting job is not assigned to a runner afterwards, and the others are', async () => {
    await cancel('alone');
    expect((await exchange({ want })).jobs.map(({ name }) => name)).toEqual(['a']);
  });

  it('a waiting job is canceled while what it waits for goes on', async () => {
    await cancel('c');
    const { jobs } = await exchange({ want });
    await exchange({ completed: [ended(job(jobs, 'a'))] });
    expect(await statuses(service, id)).toMatchObject({ a: 'completed', b: 'ready', c: 'canceled' });
  });
});

describe('a job that a runner holds', () => {
  it('a held job is canceled, and every reply to its runner names the attempt until that has ended', async () => {
    const { jobs } = await exchange({ want });
    await exchange({ started: [started(job(jobs, 'a'))] });
    expect((await exchange()).end_attempts).toBeUndefined();
    expect((await cancel('a')).ending_job_ids).toEqual([ids['a']]);
    const attempt = { job_id: ids['a'], attempt_id: 1 };
    expect((await exchange()).end_attempts).toEqual([attempt]);
    expect((await exchange()).end_attempts).toEqual([attempt]);
    expect((await exchange({ completed: [ended(job(jobs, 'a'), 143)] })).end_attempts).toBeUndefined();
  });

  it('a canceled held job keeps its status and has a result with the return code of the attempt', async () => {
    const { jobs } = await exchange({ want });
    await exchange({ started: [started(job(jobs, 'a'))] });
    await cancel('a');
    const { errors } = await exchange({ completed: [ended(job(jobs, 'a'), 143)] });
    expect(errors).toEqual([]);
    expect(await statuses(service, id)).toMatchObject({ a: 'canceled', b: 'canceled' });
    const { items } = await service.client.listResults({ query: { workflow_id: id } });
    expect(items).toMatchObject([{ job_id: ids['a'], return_code: 143, status: 'canceled', cause_code: 'canceled' }]);
  });

  it('a held job that has completed before the runner learned of it stays canceled', async () => {
    const { jobs } = await exchange({ want });
    await exchange({ started: [started(job(jobs, 'a'))] });
    await cancel('a');
    await exchange({ completed: [ended(job(jobs, 'a'))] });
    expect(await statuses(service, id)).toMatchObject({ a: 'canceled', b: 'canceled' });
  });

  it('a canceled job that was not started yet is over when the runner returns it', async () => {
    await exchange({ want });
    await cancel('alone');
    expect((await exchange({ returned: [ids['alone'] as number] })).end_attempts).toBeUndefined();
    expect(await statuses(service, id)).toMatchObject({ alone: 'canceled' });
  });

  it('a held job stays canceled when its runner is lost', async () => {
    const { jobs } = await exchange({ want });
    await exchange({ started: [started(job(jobs, 'a'))] });
    await cancel('a');
    await service.client.reportLostRunner({
      params: { id, compute_node_id: nodeId },
      body: { run_id: 1, reason: 'killed' },
    });
    expect(await statuses(service, id)).toMatchObject({ a: 'canceled', alone: 'ready' });
  });

  it('a canceled held job runs again after reset-status as the next attempt, and only when the canceled one has ended', async () => {
    const { jobs } = await exchange({ want });
    await exchange({ started: [started(job(jobs, 'a'))] });
    await cancel('a');
    const params = { id: ids['a'] as number, status: 'ready', run_id: 1 } as const;
    await service.client.manageStatusChange({ params });
    const other = await registerNode(service, id);
    expect((await exchange({ want }, other)).jobs.map(({ name }) => name)).not.toContain('a');
    await exchange({ completed: [ended(job(jobs, 'a'), 143)] });
    expect(job((await exchange({ want }, other)).jobs, 'a').attempt_id).toBe(2);
  });

  it('runners that wait are notified, and not if none of the jobs is held', async () => {
    const types = () => recordedChanges(service.store, id).map(({ event_type: type }) => type);
    await cancel('b');
    expect(types()).not.toContain('attempts_canceled');
    await exchange({ want });
    await cancel('alone');
    expect(types()).toContain('attempts_canceled');
  });
});

describe('a job that cannot be canceled', () => {
  it('a job that cannot be canceled is refused with the reason and keeps no other from being canceled', async () => {
    const { jobs } = await exchange({ want });
    await exchange({ completed: [ended(job(jobs, 'a'))] });
    const reply = await service.client.cancelJobs({
      params: { id },
      body: { job_ids: [ids['a'] as number, 999, ids['b'] as number] },
    });
    expect(reply.canceled_job_ids).toEqual([ids['b']]);
    expect(reply.refused).toEqual([
      { job_id: ids['a'], message: 'it has ended already (completed)' },
      { job_id: 999, message: `workflow ${id} has no such job` },
    ]);
  });

  it('a job that cannot be canceled is one of another workflow, which stays as it is', async () => {
    const other = await workflowOf(service, [{ name: 'theirs' }]);
    const { items } = await service.client.listJobs({ query: { workflow_id: other.id } });
    const body = { job_ids: [items[0]?.id as number] };
    expect((await service.client.cancelJobs({ params: { id }, body })).canceled_job_ids).toEqual([]);
    expect(await statuses(service, other.id)).toEqual({ theirs: 'ready' });
  });
});

it('a workflow whose last open jobs are canceled is complete', async () => {
  await cancel('a', 'alone', 'stays');
  const { is_complete: isComplete } = await service.client.getWorkflowStatus({ params: { id } });
  expect(isComplete).toBe(true);
});

it('whatever is canceled and reported in any order, no canceled job is assigned, and what does not depend on one completes', async () => {
  const names = flow.map(({ name }) => name);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom('turn', ...names), { maxLength: 12 }), async (steps) => {
      service = testService();
      ({ id, nodeId } = await workflowOf(service, flow));
      const { items } = await service.client.listJobs({ query: { workflow_id: id } });
      ids = Object.fromEntries(items.map((each) => [each.name, each.id as number]));
      const canceled = new Set<number>();
      let held: ClaimedJob[] = [];
      const turn = async () => {
        const reply = await exchange({ completed: held.map((each) => ended(each)), want });
        held = reply.jobs;
        expect(held.filter((each) => canceled.has(each.id))).toEqual([]);
      };
      for (const step of steps) {
        if (step === 'turn') await turn();
        else {
          const reply = await cancel(step);
          for (const each of [...reply.canceled_job_ids, ...reply.dependent_job_ids]) canceled.add(each);
        }
      }
      for (let turns = 0; turns < 5; turns += 1) await turn();
      const found = await statuses(service, id);
      for (const name of names) expect(found[name]).toBe(canceled.has(ids[name] as number) ? 'canceled' : 'completed');
    }),
    { numRuns: 60 },
  );
});
