import { beforeEach, describe, expect, it } from 'vitest';
import type { ClaimedJob, ExchangeReply, ExchangeRequest } from '../../core/contract/exchange.ts';
import {
  ended,
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

type Sketch = Parameters<typeof workflowOf>[1];

const begin = async (jobs: Sketch, requirements?: Parameters<typeof workflowOf>[2]) => {
  ({ id, nodeId } = await workflowOf(service, jobs, requirements));
};
const chain: Sketch = [{ name: 'a' }, { name: 'b', after: ['a'] }, { name: 'c', after: ['b'] }];

beforeEach(() => {
  service = testService();
});

const exchange = (body: Partial<ExchangeRequest>, node = nodeId): Promise<ExchangeReply> =>
  service.client.exchange({ params: { id }, body: { run_id: 1, compute_node_id: node, ...body } });
const want = { limit: 1, prefetch: 0, ahead: { limit: 10 } };
const names = (jobs: readonly { name: string }[] | undefined) => (jobs ?? []).map(({ name }) => name);
const aheadOf = ({ ahead }: ExchangeReply) => names(ahead?.jobs);

/** The first job of the workflow, and those that were claimed ahead with it, by name. */
async function claimed(wanted = want): Promise<Map<string, ClaimedJob>> {
  const { jobs, ahead } = await exchange({ want: wanted });
  return new Map([...jobs, ...(ahead?.jobs ?? [])].map((job) => [job.name, job]));
}
const job = (jobs: Map<string, ClaimedJob>, name: string) => jobs.get(name) as ClaimedJob;
const heldAttempts = () =>
  service.store.db.prepare<Record<string, never>, { held: number }>('select count(*) as held from held_attempt').get({})
    ?.held;
const claimedAhead = () =>
  service.store.db
    .prepare<Record<string, never>, { name: string }>(
      'select name from job where status = 1 and claimed_by is not null',
    )
    .all({})
    .map(({ name }) => name);

describe('a runner that wants jobs ahead', () => {
  it('a runner that wants jobs ahead gets those that wait only for jobs which it holds, with what they wait for, and they stay blocked', async () => {
    await begin([...chain, { name: 'd', after: ['a', 'c'] }]);
    const reply = await exchange({ want });
    const [a] = reply.jobs.map((each) => each.id) as [number];
    expect(reply.ahead?.jobs.map(({ name, waits_for: others }) => [name, others.map((each) => each - a)])).toEqual([
      ['b', [0]],
      ['c', [1]],
      ['d', [0, 2]],
    ]);
    expect(await statuses(service, id)).toEqual({ a: 'pending', b: 'blocked', c: 'blocked', d: 'blocked' });
  });

  it('a runner that wants jobs ahead gets none when it wants none, as every runner did before', async () => {
    await begin(chain);
    expect(await exchange({ want: { limit: 1, prefetch: 0 } })).not.toHaveProperty('ahead');
    expect(claimedAhead()).toEqual([]);
  });

  it('a runner that wants jobs ahead gets none that waits for a job of another runner, too', async () => {
    await begin([{ name: 'a' }, { name: 'b' }, { name: 'c', after: ['a', 'b'] }]);
    await exchange({ want });
    const reply = await exchange({ want }, await registerNode(service, id));
    expect([names(reply.jobs), aheadOf(reply)]).toEqual([['b'], []]);
  });

  it('a runner that wants jobs ahead gets no more than it wants, and the place where the next request goes on', async () => {
    await begin(chain);
    const first = await exchange({ want: { ...want, ahead: { limit: 1 } } });
    expect(aheadOf(first)).toEqual(['b']);
    const next = await exchange({
      want: { limit: 0, prefetch: 0, ahead: { limit: 1, after: first.ahead?.rest ?? [] } },
    });
    expect(aheadOf(next)).toEqual(['c']);
    expect(await exchange({ want: { limit: 0, prefetch: 0, ahead: { limit: 1, after: [99, 100] } } })).toMatchObject({
      ahead: { jobs: [], rest: [], settled: [] },
    });
  });

  it('a runner that wants jobs ahead learns which of very many held jobs the reply did not look at, so that it can name them next time', async () => {
    const many = Array.from({ length: 300 }, (_, index) => ({ name: `j${index}` }));
    const foreign = many.map(({ name }) => ({ name: `gpu_${name}`, after: [name], labels: ['gpu'] }));
    await begin([...many, { name: 'last', after: ['j299'] }, ...foreign]);
    const first = await exchange({ want: { ...want, limit: 300 } });
    expect([first.jobs.length, aheadOf(first)]).toEqual([300, []]);
    expect(first.ahead?.rest).toEqual(first.jobs.slice(256).map((each) => each.id));
    const next = await exchange({
      want: { limit: 0, prefetch: 0, ahead: { limit: 10, after: first.ahead?.rest ?? [] } },
    });
    expect([aheadOf(next), next.ahead?.rest]).toEqual([['last'], []]);
  });

  it('a runner that wants jobs ahead gets no job to look at again that no other job waits for', async () => {
    await begin([
      ...Array.from({ length: 300 }, (_, index) => ({ name: `j${index}` })),
      { name: 'last', after: ['j299'] },
    ]);
    const { jobs, ahead } = await exchange({ want: { ...want, limit: 300 } });
    expect(jobs).toHaveLength(300);
    expect(ahead).toMatchObject({ jobs: [{ name: 'last' }], rest: [] });
  });

  it('a runner that wants jobs ahead learns of which jobs the end makes nothing ready that others could take', async () => {
    await begin([{ name: 'a' }, { name: 'b', after: ['a'] }, { name: 'c', after: ['a'], labels: ['gpu'] }]);
    expect((await exchange({ want })).ahead).toMatchObject({ jobs: [{ name: 'b' }], settled: [] });
    await begin(chain);
    const { jobs, ahead } = await exchange({ want });
    expect(ahead?.settled).toEqual([jobs[0]?.id, ahead?.jobs[0]?.id]);
  });

  it.each<[string, Sketch, Parameters<typeof workflowOf>[2]]>([
    ['has labels that the runner lacks', [{ name: 'a' }, { name: 'b', after: ['a'], labels: ['x'] }], {}],
    [
      'does not fit its node',
      [{ name: 'a' }, { name: 'b', after: ['a'], requirements: 'wide' }],
      { wide: { num_cpus: 64 } },
    ],
    [
      'takes longer than the runner has left',
      [{ name: 'a' }, { name: 'b', after: ['a'], requirements: 'long' }],
      { long: { runtime: 'P1D' } },
    ],
    [
      'has a lower priority than a job that is ready',
      [
        { name: 'a', priority: 9 },
        { name: 'b', after: ['a'], priority: 1 },
        { name: 'urgent', priority: 2 },
      ],
      {},
    ],
  ])('a runner that wants jobs ahead gets none that %s', async (_, jobs, requirements) => {
    await begin(jobs, requirements);
    const offer = { num_cpus: 1, memory_gb: 4, num_gpus: 0, num_nodes: 1, time_limit: 'PT1H', labels: [] };
    const reply = await exchange({ want: { ...want, offer } });
    expect([names(reply.jobs), aheadOf(reply)]).toEqual([['a'], []]);
  });

  it('a runner that wants jobs ahead gets none of a workflow that is canceled', async () => {
    await begin(chain);
    await service.client.cancelWorkflow({ params: { id } });
    expect(await exchange({ want })).toMatchObject({ jobs: [], is_canceled: true });
    expect(claimedAhead()).toEqual([]);
  });

  it('a runner that wants jobs ahead gets the same jobs again by a turn that arrives twice', async () => {
    await begin(chain);
    const first = await exchange({ turn: 1, want });
    const second = await exchange({ turn: 1, want });
    expect(second.ahead?.jobs).toEqual(first.ahead?.jobs);
    expect(second.jobs).toEqual(first.jobs);
  });
});

describe('a job that was claimed ahead', () => {
  beforeEach(() => begin(chain));

  it('a job that was claimed ahead starts in the same turn in which the job before it ends', async () => {
    const jobs = await claimed();
    const reply = await exchange({ completed: [ended(job(jobs, 'a'))], started: [started(job(jobs, 'b'))] });
    expect(reply.errors).toEqual([]);
    expect(await statuses(service, id)).toEqual({ a: 'completed', b: 'running', c: 'blocked' });
  });

  it('a job that was claimed ahead may have ended already, and the one behind it begun', async () => {
    const jobs = await claimed();
    const reply = await exchange({
      completed: [ended(job(jobs, 'a')), ended(job(jobs, 'b'))],
      started: [started(job(jobs, 'c'))],
    });
    expect(reply.errors).toEqual([]);
    expect(await statuses(service, id)).toEqual({ a: 'completed', b: 'completed', c: 'running' });
  });

  it('a job that was claimed ahead is assigned to no other runner when the jobs before it have completed', async () => {
    const jobs = await claimed();
    await exchange({ completed: [ended(job(jobs, 'a'))] });
    expect(await statuses(service, id)).toEqual({ a: 'completed', b: 'pending', c: 'blocked' });
    expect((await exchange({ want }, await registerNode(service, id))).jobs).toEqual([]);
  });

  it('a job that was claimed ahead is canceled when the job before it fails, and nothing of it is left when the runner gives it back', async () => {
    const jobs = await claimed();
    const back = { returned: [job(jobs, 'b').id, job(jobs, 'c').id] };
    await exchange({ completed: [ended(job(jobs, 'a'), 1)], ...back });
    expect(await statuses(service, id)).toEqual({ a: 'failed', b: 'canceled', c: 'canceled' });
    expect([heldAttempts(), claimedAhead()]).toEqual([0, []]);
  });

  it('a job that was claimed ahead goes to others when the runner gives it back', async () => {
    const jobs = await claimed();
    await exchange({ returned: [job(jobs, 'b').id, job(jobs, 'c').id] });
    expect(claimedAhead()).toEqual([]);
    await exchange({ completed: [ended(job(jobs, 'a'))] });
    expect(names((await exchange({ want }, await registerNode(service, id))).jobs)).toEqual(['b']);
  });

  it('a job that was claimed ahead waits on as its next attempt when it was started and the end of the job before it is refused', async () => {
    const jobs = await claimed();
    await service.client.manageStatusChange({ params: { id: job(jobs, 'a').id, status: 'ready', run_id: 1 } });
    const reported = { completed: [ended(job(jobs, 'a'))], started: [started(job(jobs, 'b'))] };
    const { errors } = await exchange(reported);
    expect(errors.map(({ job_id: of, code }) => [of, code])).toEqual([
      [job(jobs, 'a').id, 'RUN_SUPERSEDED'],
      [job(jobs, 'b').id, 'RUN_SUPERSEDED'],
    ]);
    const waiting = await service.client.getJob({ params: { id: job(jobs, 'b').id } });
    expect([waiting.status, waiting.attempt_id]).toEqual(['blocked', 2]);
    // Its process is alive until the runner reports the end.
    expect(heldAttempts()).toBe(1);
    await exchange({ completed: [ended(job(jobs, 'b'))] });
    expect(heldAttempts()).toBe(0);
    expect((await statuses(service, id))['b']).toBe('blocked');
  });

  it('a job that was claimed ahead belongs to no runner after a lost answer, unless the runner says that it holds it', async () => {
    const jobs = await claimed();
    await exchange({ held: [job(jobs, 'a').id, job(jobs, 'b').id] });
    expect(claimedAhead()).toEqual(['b']);
  });

  it('a job that was claimed ahead belongs to no runner when the runner is deregistered or leaves', async () => {
    await claimed();
    await service.client.updateComputeNode({ params: { id: nodeId }, body: { is_active: false } });
    expect(claimedAhead()).toEqual([]);
    nodeId = await registerNode(service, id);
    await claimed();
    await exchange({ is_last: true, held: [] });
    expect([claimedAhead(), (await statuses(service, id))['a']]).toEqual([[], 'ready']);
  });

  it('a job that was claimed ahead counts as busy when the workflow is canceled and reset, until the runner gives it back', async () => {
    const jobs = await claimed();
    await service.client.cancelWorkflow({ params: { id } });
    await service.client.resetStatus({ params: { id }, query: { force: true } });
    await service.client.resetJobStatus({ params: { id }, query: {} });
    await service.client.initializeJobs({ params: { id } });
    expect(heldAttempts()).toBe(3);
    await service.client.updateComputeNode({ params: { id: nodeId }, body: { is_active: false } });
    expect(heldAttempts()).toBe(0);
    expect((await service.client.getJob({ params: { id: job(jobs, 'b').id } })).attempt_id).toBe(2);
  });
});

describe('a runner that is gone, with jobs that it claimed ahead', () => {
  beforeEach(() => begin(chain));
  const lost = (ledger: object) =>
    service.client.reportLostRunner({
      params: { id, compute_node_id: nodeId },
      body: { run_id: 1, reason: 'gone', ...ledger },
    });

  it('finished what its ledger says, started what runs again, and the rest waits on', async () => {
    const jobs = await claimed();
    const began = ['a', 'b'].map((name) => started(job(jobs, name)));
    const reply = await lost({ started: began, completed: [ended(job(jobs, 'a'))] });
    expect(reply).toMatchObject({ completed: [job(jobs, 'a').id], requeued: [job(jobs, 'b').id], returned: [] });
    expect(await statuses(service, id)).toEqual({ a: 'completed', b: 'ready', c: 'blocked' });
    expect((await service.client.getJob({ params: { id: job(jobs, 'b').id } })).attempt_id).toBe(2);
    expect((await service.client.getJob({ params: { id: job(jobs, 'c').id } })).attempt_id).toBe(1);
    expect([claimedAhead(), heldAttempts()]).toEqual([[], 0]);
  });

  it('a runner that is gone, with jobs that it claimed ahead may have started any of them when its ledger is lost', async () => {
    const jobs = await claimed();
    await lost({});
    expect(await statuses(service, id)).toEqual({ a: 'ready', b: 'blocked', c: 'blocked' });
    for (const name of ['a', 'b', 'c'])
      expect((await service.client.getJob({ params: { id: job(jobs, name).id } })).attempt_id).toBe(2);
    expect([claimedAhead(), heldAttempts()]).toEqual([[], 0]);
  });
});
