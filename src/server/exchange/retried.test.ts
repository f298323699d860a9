import { beforeEach, describe, expect, it } from 'vitest';
import type { ClaimedJob } from '../../core/contract/exchange.ts';
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

beforeEach(async () => {
  service = testService();
  ({ id, nodeId } = await workflowOf(service, [{ name: 'a' }, { name: 'b', after: ['a'] }]));
});

const all = { limit: 100, prefetch: 0, offer: { num_cpus: 100, memory_gb: 100, num_gpus: 8, num_nodes: 1 } };
const turn = (body: object = {}, node = nodeId) =>
  service.client.exchange({ params: { id }, body: { run_id: 1, compute_node_id: node, ...body } });
const claimed = async (body: object = {}) => (await turn({ want: all, ...body })).jobs[0] as ClaimedJob;
const again = (job: ClaimedJob, maxRetries = 3, returnCode = 7) => ({
  ...ended(job, returnCode),
  max_retries: maxRetries,
});
const results = async () => {
  const { items } = await service.client.listResults({ query: { workflow_id: id, all_runs: true } });
  return items.map(({ attempt_id: attempt, return_code: code, status }) => [attempt, code, status]);
};

describe('an attempt that a rule retries', () => {
  it('a retried attempt stays in the history, and its job is assigned as the next attempt in the same exchange', async () => {
    const first = await claimed();
    await turn({ started: [started(first)] });
    const second = await claimed({ retried: [again(first)] });
    expect(second).toMatchObject({ id: first.id, attempt_id: 2, origin: 'retry' });
    expect(await results()).toEqual([[1, 7, 'failed']]);
    // Lists show the result of the last attempt: there is none yet.
    expect((await service.client.listResults({ query: { workflow_id: id } })).items).toEqual([]);
    expect(await statuses(service, id)).toEqual({ a: 'pending', b: 'blocked' });
    await turn({ completed: [ended(second)] });
    expect(await results()).toEqual([
      [1, 7, 'failed'],
      [2, 0, 'completed'],
    ]);
    expect(await statuses(service, id)).toEqual({ a: 'completed', b: 'ready' });
  });

  it('the statistics of Slurm are stored with the end of an attempt, also of a retried one and once, and with no end that is refused', async () => {
    const stats = async () => (await service.client.listSlurmStats({ query: { workflow_id: id } })).items;
    const figures = { slurm_job_id: '12', max_rss_bytes: 5, ave_cpu_seconds: 0.5, node_list: 'n1' };
    const first = await claimed();
    const second = await claimed({ retried: [{ ...again(first), slurm_stats: figures }] });
    const other = { ...figures, slurm_step: '12.0', max_disk_read_bytes: 7 };
    // The second time as after a lost reply; the runner does not hold the other job.
    for (const _ of [1, 2]) await turn({ completed: [{ ...ended(second), slurm_stats: other }] });
    const { errors } = await turn({
      completed: [{ ...ended({ id: first.id + 1, attempt_id: 1 }), slurm_stats: figures }],
    });
    expect(errors).toHaveLength(1);
    expect(await stats()).toMatchObject([
      { job_id: first.id, run_id: 1, attempt_id: 1, ...figures },
      { job_id: first.id, run_id: 1, attempt_id: 2, ...other },
    ]);
    expect((await stats())[0]).not.toHaveProperty('slurm_step');
  });

  it('a retry creates the event of Torc 1.0.0, and an event on the stream', async () => {
    const first = await claimed();
    await turn({ retried: [again(first)] });
    const { items } = await service.client.listEvents({ query: { workflow_id: id } });
    expect(items.map(({ data }) => data)).toContainEqual({
      event_type: 'job_retried',
      job_id: first.id,
      job_name: 'a',
      previous_attempt: 1,
      new_attempt: 2,
      run_id: 1,
      message: 'Job a runs again as attempt 2',
    });
    const reported = recordedChanges(service.store, id).map(({ event_type: type }) => type);
    expect(reported.slice(-3)).toEqual(['job_started', 'job_retried', 'jobs_ready']);
  });

  it('a retry is processed once, however often it is reported', async () => {
    const first = await claimed();
    const body = { retried: [again(first)] };
    expect((await turn(body)).errors).toEqual([]);
    expect((await turn(body)).errors).toEqual([]);
    const { items } = await service.client.listJobs({ query: { workflow_id: id, name: 'a' } });
    expect(items[0]).toMatchObject({ status: 'ready', attempt_id: 2 });
  });

  it('a retried attempt is the last one when the rule allows no more: the job failed, and its dependents continue', async () => {
    const first = await claimed();
    await turn({ retried: [again(first, 1)] });
    expect(await results()).toEqual([[1, 7, 'failed']]);
    expect(await statuses(service, id)).toEqual({ a: 'failed', b: 'canceled' });
  });

  it('a retry is refused from a runner that does not hold the job, and for a job that was canceled meanwhile', async () => {
    const first = await claimed();
    await service.client.reportLostRunner({
      params: { id, compute_node_id: nodeId },
      body: { run_id: 1, reason: 'killed' },
    });
    expect((await turn({ retried: [again({ ...first, attempt_id: 2 })] })).errors).toMatchObject([
      { job_id: first.id, code: 'RUN_SUPERSEDED' },
    ]);
    const other = await registerNode(service, id);
    const [second] = (await turn({ want: all }, other)).jobs as [ClaimedJob];
    await service.client.cancelWorkflow({ params: { id } });
    expect((await turn({ retried: [again(second)] }, other)).errors).toMatchObject([
      { job_id: first.id, code: 'JOB_CANCELED' },
    ]);
    expect((await statuses(service, id))['a']).toBe('canceled');
  });
});

describe('the ledger of a lost runner', () => {
  it('attempts to be retried are reported from the ledger, once', async () => {
    const first = await claimed();
    const call = {
      params: { id, compute_node_id: nodeId },
      body: {
        run_id: 1,
        started: [{ job_id: first.id, attempt_id: 1 }],
        retried: [again(first)],
        reason: 'killed',
      },
    };
    expect((await service.client.reportLostRunner(call)).requeued).toEqual([first.id]);
    expect((await service.client.reportLostRunner(call)).requeued).toEqual([]);
    expect(await results()).toEqual([[1, 7, 'failed']]);
    const { items } = await service.client.listJobs({ query: { workflow_id: id, name: 'a' } });
    expect(items[0]).toMatchObject({ status: 'ready', attempt_id: 2 });
  });

  it('a later attempt does not count as started because an earlier one was', async () => {
    const first = await claimed();
    const second = await claimed({ retried: [again(first)] });
    expect(second.attempt_id).toBe(2);
    const answer = await service.client.reportLostRunner({
      params: { id, compute_node_id: nodeId },
      body: { run_id: 1, started: [{ job_id: first.id, attempt_id: 1 }], retried: [again(first)], reason: 'killed' },
    });
    expect([answer.requeued, answer.returned]).toEqual([[], [first.id]]);
    const { items } = await service.client.listJobs({ query: { workflow_id: id, name: 'a' } });
    expect(items[0]).toMatchObject({ status: 'ready', attempt_id: 2 });
  });
});
