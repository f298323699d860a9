import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PlanUpdate } from '../../../core/contract/plan-update.ts';
import {
  ended,
  recordedChanges,
  started,
  statuses,
  testService,
  type TestService,
  workflowOf,
} from '../../../../tests/support/service.ts';

let service: TestService;
let id: number;
let nodeId: number;
let jobIds: Map<string, number>;

beforeEach(async () => {
  service = testService();
  ({ id, nodeId, jobIds } = await workflowOf(service, [
    { name: 'a' },
    { name: 'b', after: ['a'] },
    { name: 'c', after: ['b'] },
    { name: 'other' },
  ]));
});
afterEach(() => expect(service.errors).toEqual([]));

const of = (name: string) => jobIds.get(name) as number;
const update = (body: PlanUpdate, isDryRun = false) =>
  service.client.updatePlan({ params: { id }, query: { dry_run: isDryRun }, body });
const changed = (name: string, more: object = {}) => ({ id: of(name), runs_again: true, command: 'false', ...more });

/** One exchange of the runner: what it claims is started, and ends if `ends` has a return code for it. */
async function exchange(ends: Readonly<Record<string, number>>, limit = 1): Promise<string[]> {
  const { client } = service;
  const { run_id: runId } = await client.getWorkflow({ params: { id } });
  const turn = { run_id: runId as number, compute_node_id: nodeId };
  const { jobs } = await client.exchange({ params: { id }, body: { ...turn, want: { limit, prefetch: 0 } } });
  const completed = jobs.flatMap((job) => (ends[job.name] === undefined ? [] : [ended(job, ends[job.name])]));
  await client.exchange({ params: { id }, body: { ...turn, started: jobs.map(started), completed } });
  return jobs.map(({ name }) => name);
}

const results = async () =>
  (await service.client.listResults({ query: { workflow_id: id, sort_by: 'id', all_runs: true } })).items.map(
    ({ job_id: job, attempt_id: attempt, return_code: code }) => [job, attempt, code],
  );

describe('a job that a runner has', () => {
  it('a job that runs is not changed, and the reply names it; all else is applied', async () => {
    await exchange({});
    const reply = await update({ jobs: { change: [changed('a'), changed('other')] } });
    expect(reply).toMatchObject({ changed_jobs: 1, rerun_jobs: 1, held: [{ job_name: 'a', reason: 'running' }] });
    expect((await service.client.getJob({ params: { id: of('a') } })).command).toBe('true');
    expect((await service.client.getJob({ params: { id: of('other') } })).command).toBe('false');
    expect(await statuses(service, id)).toMatchObject({ a: 'running', other: 'ready' });
  });

  it('a job that ended does not run again under a running job that depends on it', async () => {
    await exchange({ a: 0, other: 0 }, 2);
    expect(await exchange({})).toEqual(['b']);
    const reply = await update({ jobs: { change: [changed('a')] } });
    expect(reply.held).toEqual([
      { job_id: of('a'), job_name: 'a', reason: 'dependent_running', running_job_name: 'b' },
    ]);
    expect(await statuses(service, id)).toMatchObject({ a: 'completed', b: 'running' });
  });

  it('a job that a running one needs is not removed, and another one is', async () => {
    await exchange({ a: 0 });
    await exchange({}, 2);
    const reply = await update({ jobs: { remove: [of('a'), of('c')] } });
    expect(reply).toMatchObject({ removed_jobs: 1, held: [{ job_name: 'a', reason: 'dependent_running' }] });
    expect(Object.keys(await statuses(service, id))).toEqual(['a', 'b', 'other']);
  });

  it('the same update is applied when the job has ended', async () => {
    await exchange({});
    const body = { jobs: { change: [changed('a')] } };
    expect((await update(body)).held).toHaveLength(1);
    const { run_id: runId } = await service.client.getWorkflow({ params: { id } });
    await service.client.exchange({
      params: { id },
      body: { run_id: runId as number, compute_node_id: nodeId, completed: [ended({ id: of('a'), attempt_id: 1 })] },
    });
    expect(await update(body)).toMatchObject({ changed_jobs: 1, held: [] });
    expect(await statuses(service, id)).toMatchObject({ a: 'ready', b: 'blocked' });
  });
});

describe('a job that runs again', () => {
  it('a job that runs again has a number of its own, and counts as a first attempt', async () => {
    await exchange({ a: 1 });
    await update({ jobs: { change: [changed('a')] } });
    expect(await service.client.getJob({ params: { id: of('a') } })).toMatchObject({
      status: 'ready',
      attempt_id: 2,
      refunded_attempts: 1,
    });
    await exchange({ a: 0 });
    expect(await results()).toEqual([
      [of('a'), 1, 1],
      [of('a'), 2, 0],
    ]);
    expect(await statuses(service, id)).toMatchObject({ a: 'completed', b: 'ready' });
  });

  it('jobs that were canceled because of it wait for it again, and one that failed by itself stays failed', async () => {
    await exchange({ a: 1, other: 1 }, 2);
    expect(await statuses(service, id)).toEqual({ a: 'failed', b: 'canceled', c: 'canceled', other: 'failed' });
    await update({ jobs: { change: [changed('a')] } });
    expect(await statuses(service, id)).toEqual({ a: 'ready', b: 'blocked', c: 'blocked', other: 'failed' });
  });

  it('other requirements, priority and labels alone make no job run again', async () => {
    await exchange({ a: 0 });
    await update({
      resource_requirements: { add: [{ name: 'large', memory: '2g' }] },
      jobs: {
        change: [{ id: of('a'), runs_again: false, priority: 4, labels: ['gpu'], resource_requirements_id: -1 }],
      },
    });
    const job = await service.client.getJob({ params: { id: of('a') } });
    expect(job).toMatchObject({ status: 'completed', attempt_id: 1, priority: 4, labels: ['gpu'] });
    expect(
      (await service.client.getResourceRequirements({ params: { id: job.resource_requirements_id as number } })).name,
    ).toBe('large');
  });
});

describe('a removed job', () => {
  it('a removed job that has results keeps them, and one without is deleted', async () => {
    await exchange({ other: 0, a: 0 }, 2);
    await update({ jobs: { remove: [of('other'), of('c')] } });
    expect(await statuses(service, id)).toEqual({ a: 'completed', b: 'ready', other: 'disabled' });
    expect(await service.client.getJob({ params: { id: of('other') } })).toMatchObject({
      removed_at_ms: service.clock.now,
    });
    expect((await results()).map(([job]) => job)).toContain(of('other'));
  });

  it('a workflow is complete when only removed jobs had not ended', async () => {
    await exchange({ a: 0, other: 0 }, 2);
    await update({ jobs: { remove: [of('b'), of('c')] } });
    expect((await service.client.isComplete({ params: { id } })).is_complete).toBe(true);
    expect(recordedChanges(service.store, id).at(-1)?.event_type).toBe('workflow_completed');
  });

  it('a removed job that is wanted again runs, and keeps what it had', async () => {
    await exchange({ other: 0 }, 2);
    await update({ jobs: { remove: [of('other')] } });
    await update({ jobs: { change: [{ id: of('other'), runs_again: true }] } });
    const job = await service.client.getJob({ params: { id: of('other') } });
    expect([job.status, job.attempt_id, job.removed_at_ms]).toEqual(['ready', 2, undefined]);
  });
});

describe('a new dependency', () => {
  it('a dependency that closes a circle is refused by name, and nothing changes', async () => {
    const before = await service.client.getJob({ params: { id: of('a') } });
    await expect(
      update({ jobs: { change: [changed('a', { add: { depends_on_job_ids: [of('c')] } })] } }),
    ).rejects.toMatchObject({
      code: 'CIRCLE',
      message: expect.stringMatching(/^the update makes jobs wait for each other: (c → b → a → c)$/),
    });
    expect(await service.client.getJob({ params: { id: of('a') } })).toEqual(before);
  });

  it('a dependency that is turned round is none', async () => {
    await update({
      jobs: {
        change: [
          { id: of('a'), runs_again: true, add: { depends_on_job_ids: [of('b')] } },
          { id: of('b'), runs_again: true, remove: { depends_on_job_ids: [of('a')] } },
        ],
      },
    });
    expect(await statuses(service, id)).toMatchObject({ a: 'blocked', b: 'ready', c: 'blocked' });
  });

  it('new jobs that wait for each other are refused, too', async () => {
    const jobs = {
      add: [
        { name: 'x', command: 'true', depends_on_job_ids: [-2] },
        { name: 'y', command: 'true', depends_on_job_ids: [-1] },
      ],
    };
    await expect(update({ jobs })).rejects.toMatchObject({ code: 'CIRCLE' });
  });
});
