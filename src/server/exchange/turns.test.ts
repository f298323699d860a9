import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ExchangeReply, ExchangeRequest } from '../../core/contract/exchange.ts';
import {
  ended,
  registerNode,
  statuses,
  testService,
  type TestService,
  workflowOf,
} from '../../../tests/support/service.ts';

let service: TestService;
let id: number;
let nodeId: number;

beforeEach(async () => {
  service = testService();
  ({ id, nodeId } = await workflowOf(service, [{ name: 'a' }, { name: 'b' }, { name: 'c', after: ['a'] }]));
});

const turn = (number: number, body: Partial<ExchangeRequest> = {}, node = nodeId): Promise<ExchangeReply> =>
  service.client.exchange({ params: { id }, body: { run_id: 1, compute_node_id: node, turn: number, ...body } });
const want = (limit: number) => ({ want: { limit, prefetch: 0 } });
const ids = ({ jobs }: ExchangeReply) => jobs.map((job) => job.id);
const refused = { code: 'TURN_SUPERSEDED', status: 409 };

describe('an exchange that arrives twice', () => {
  it('a repeated exchange gets the same jobs and no others', async () => {
    const first = await turn(1, want(1));
    const second = await turn(1, want(1));
    expect(ids(second)).toEqual(ids(first));
    expect(await statuses(service, id)).toEqual({ a: 'pending', b: 'ready', c: 'blocked' });
  });

  it('the next exchange number gets what the repeated one does not', async () => {
    const first = await turn(1, want(1));
    expect(ids(await turn(2, want(1)))).not.toEqual(ids(first));
    expect(await statuses(service, id)).toEqual({ a: 'pending', b: 'pending', c: 'blocked' });
  });

  it('a repeated exchange processes an end once and refuses the same entries as before', async () => {
    const { jobs } = await turn(1, want(1));
    const reports = {
      completed: jobs.map((job) => ended(job)),
      started: [{ ...ended(jobs[0] as never), job_id: 99, start_time: '' }],
    };
    const first = await turn(2, reports);
    const second = await turn(2, reports);
    expect(first.errors).toMatchObject([{ job_id: 99, code: 'NOT_FOUND' }]);
    expect(second.errors).toEqual(first.errors);
    expect((await service.client.listResults({ query: { workflow_id: id, all_runs: true } })).items).toHaveLength(1);
  });

  it('a repeated exchange does not get jobs that were canceled since', async () => {
    await turn(1, want(2));
    await service.client.cancelWorkflow({ params: { id } });
    expect(await turn(1, want(2))).toMatchObject({ jobs: [], is_canceled: true });
  });

  it('a repeated exchange does not affect the numbers of another runner', async () => {
    const other = await registerNode(service, id);
    await turn(5, want(1));
    expect((await turn(1, want(1), other)).jobs).toHaveLength(1);
  });
});

describe('an exchange that arrives after a later one', () => {
  it('a late exchange is refused and claims nothing', async () => {
    await turn(2);
    await expect(turn(1, want(2))).rejects.toMatchObject(refused);
    expect(await statuses(service, id)).toEqual({ a: 'ready', b: 'ready', c: 'blocked' });
  });

  it('a late exchange is refused although the server was restarted meanwhile', async () => {
    await turn(2);
    const again = testService({ store: service.store });
    const late = again.client.exchange({
      params: { id },
      body: { run_id: 1, compute_node_id: nodeId, turn: 1, ...want(2) },
    });
    await expect(late).rejects.toMatchObject(refused);
  });
});

describe('the last exchange of a runner', () => {
  it('the last exchange makes the jobs of a lost reply ready, and gets no jobs', async () => {
    await turn(1, want(2));
    expect(await turn(2, { held: [], is_last: true, ...want(2) })).toMatchObject({ jobs: [] });
    expect(await statuses(service, id)).toEqual({ a: 'ready', b: 'ready', c: 'blocked' });
  });

  it('the last exchange leaves jobs pending that the runner holds', async () => {
    const [held] = ids(await turn(1, want(2)));
    await turn(2, { held: [held as number], is_last: true });
    expect(await statuses(service, id)).toEqual({ a: 'pending', b: 'ready', c: 'blocked' });
  });

  it('the last exchange processes its ends before it returns the other jobs', async () => {
    const { jobs } = await turn(1, want(2));
    await turn(2, { held: [], is_last: true, completed: [ended(jobs[0] as never)] });
    expect(await statuses(service, id)).toEqual({ a: 'completed', b: 'ready', c: 'ready' });
  });
});

describe('a runner whose compute node was deregistered', () => {
  it('a deregistered runner gets no jobs, the reply says why, and its ends count', async () => {
    const { jobs } = await turn(1, want(1));
    await turn(2, {
      started: jobs.map((job) => ({ job_id: job.id, attempt_id: job.attempt_id, start_time: '2026-03-01T12:00:00Z' })),
    });
    await service.client.updateComputeNode({ params: { id: nodeId }, body: { is_active: false } });
    expect(await turn(3, want(2))).toMatchObject({ jobs: [], is_deregistered: true });
    expect((await turn(4, { completed: [ended(jobs[0] as never)] })).errors).toEqual([]);
    expect(await statuses(service, id)).toMatchObject({ a: 'completed', b: 'ready' });
  });

  it('a registered runner is not reported as deregistered', async () => {
    expect(await turn(1, want(1))).not.toHaveProperty('is_deregistered');
  });
});

it('for any order of numbered exchanges, no job is assigned that no reply contains', async () => {
  const deliveries = fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(deliveries, async (numbers) => {
      const fresh = testService();
      const names = Array.from({ length: 12 }, (_, index) => ({ name: `job_${index}` }));
      const { id: workflowId, nodeId: node } = await workflowOf(fresh, names);
      const reported = new Map<number, number[]>();
      let newest = 0;
      for (const number of numbers) {
        const body = { run_id: 1, compute_node_id: node, turn: number, want: { limit: 2, prefetch: 0 } };
        const delivered = fresh.client.exchange({ params: { id: workflowId }, body });
        if (number < newest) {
          await expect(delivered).rejects.toMatchObject(refused);
          continue;
        }
        newest = number;
        const answer = ids(await delivered);
        expect(answer).toEqual(reported.get(number) ?? answer);
        reported.set(number, answer);
      }
      const { pending } = (await fresh.client.getWorkflowStatus({ params: { id: workflowId } })).jobs_by_status;
      expect(pending).toBe(new Set([...reported.values()].flat()).size);
    }),
    { numRuns: 25 },
  );
});
