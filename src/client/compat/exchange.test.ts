import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type StandIn, standIn } from '../../../tests/support/original/stand-in.ts';
import { ended, registerNode, started, testService } from '../../../tests/support/service.ts';
import type { ExchangeRequest } from '../../core/contract/exchange.ts';
import type { Client } from '../client.ts';
import { ServiceError } from '../errors.ts';
import { createPlainExchange, type Exchange } from './exchange.ts';
import { knowsExchange } from './knows-exchange.ts';

let server: StandIn;
let workflowId: number;
let nodeId: number;
let exchange: Exchange;
let warnings: string[];
let ids: number[];

const HOUR_MS = 3_600_000;
const want = { limit: 10, prefetch: 0, labels: [] };

/** Jobs without dependencies, initialized, and a runner. */
beforeEach(async () => {
  server = await standIn({ unblockEveryMs: HOUR_MS });
  const { client } = server;
  workflowId = (await client.createWorkflow({ body: { name: 'w', user: 'u' } })).id;
  ids = [];
  for (const name of ['a', 'b', 'c'])
    ids.push((await client.createJob({ body: { workflow_id: workflowId, name, command: 'true' } })).id);
  await client.resetStatus({ params: { id: workflowId } });
  await client.initializeJobs({ params: { id: workflowId } });
  nodeId = await registerNode(server, workflowId);
  warnings = [];
  exchange = createPlainExchange({ client, workflowId, onWarning: (message) => void warnings.push(message) });
});
afterEach(() => server.close());

const turn = (parts: Partial<ExchangeRequest> = {}) => exchange({ run_id: 1, compute_node_id: nodeId, ...parts });
const statusOf = async (id: number) => (await server.behind.getJob({ params: { id } })).status;
const statuses = () => Promise.all(ids.map(statusOf));
const asked = (method: string, path: RegExp) =>
  server.asked.filter((each) => each.method === method && path.test(each.path)).length;

describe('an exchange with a server that has no exchange route', () => {
  it('an exchange claims no more jobs than requested, and returns them with their requirements', async () => {
    const { jobs, jobs_by_status: counts } = await turn({ want: { ...want, limit: 2 } });
    expect(jobs.map(({ id }) => id)).toEqual(ids.slice(0, 2));
    expect(jobs[0]).toMatchObject({ attempt_id: 1, command: 'true', need: { num_cpus: 1, memory_bytes: 2 ** 20 } });
    expect(counts).toMatchObject({ pending: 2, ready: 1 });
    expect((await turn()).jobs).toEqual([]);
  });

  it('a retried job gets larger requirements in a record of its own, and others keep theirs', async () => {
    const needs = { workflow_id: workflowId, name: 'small', num_cpus: 1, memory: '200m', runtime: 'PT5M' };
    const small = (await server.client.createResourceRequirements({ body: needs })).id;
    for (const [place, id] of ids.slice(0, 2).entries()) {
      const body = { workflow_id: workflowId, name: ['a', 'b'][place] as string, command: 'true' };
      await server.client.updateJob({ params: { id }, body: { ...body, resource_requirements_id: small } });
    }
    const { jobs } = await turn({ want: { ...want, limit: 1 } });
    await turn({ started: jobs.map(started) });
    const retried = jobs.map((job) => ({ ...ended(job, 137), max_retries: 9, raise: { memory_bytes: 300 * 2 ** 20 } }));
    // The second time as after a lost reply.
    for (let times = 0; times < 2; times += 1) expect((await turn({ retried })).errors).toEqual([]);
    const next = await turn({ want: { ...want, limit: 2 } });
    expect(
      next.jobs.map(({ name, attempt_id: attempt, need }) => [name, attempt, need.memory_bytes / 2 ** 20]),
    ).toEqual([
      ['a', 2, 300],
      ['b', 1, 200],
    ]);
    const { items } = await server.behind.listResourceRequirements({ query: { workflow_id: workflowId } });
    expect(items.map(({ name }) => name)).toEqual(['default', 'small', 'small_300m_PT5M']);
  });

  it('the statistics of Slurm of an end go to their own route, also when the exchange is repeated, and an end without sends none', async () => {
    const { jobs } = await turn({ want });
    await turn({ started: jobs.map(started) });
    const figures = { slurm_job_id: '12', max_rss_bytes: 5, node_list: 'n1' };
    const completed = jobs.map((job, place) => ({ ...ended(job), ...(place === 0 ? { slurm_stats: figures } : {}) }));
    for (const _ of [1, 2]) expect((await turn({ completed })).errors).toEqual([]);
    const { items } = await server.behind.listSlurmStats({ query: { workflow_id: workflowId } });
    expect(items).toMatchObject([{ job_id: ids[0], run_id: 1, attempt_id: 1, ...figures }]);
    expect(warnings).toEqual([]);
  });

  it('a warning says once that the server does not store statistics of Slurm, and the ends are stored', async () => {
    const client: Client = {
      ...server.client,
      createSlurmStats: () =>
        Promise.reject(new ServiceError('createSlurmStats', { status: 500, text: 'disk I/O error' })),
    };
    exchange = createPlainExchange({ client, workflowId, onWarning: (message) => void warnings.push(message) });
    const { jobs } = await turn({ want });
    await turn({ started: jobs.map(started) });
    const completed = jobs.map((job) => ({ ...ended(job), slurm_stats: { slurm_job_id: '12' } }));
    expect((await turn({ completed })).errors).toEqual([]);
    expect(await statuses()).toEqual(['completed', 'completed', 'completed']);
    expect(warnings).toEqual([
      expect.stringMatching(/^The server does not store statistics of Slurm, first of job \d: .*disk I\/O error/),
    ]);
  });

  it('an exchange reads a job when the reply to the claim lacks its attempt and its requirements', async () => {
    const claim = { ...want, limit: 1 };
    const { jobs: first } = await turn({ want: claim });
    await turn({ retried: first.map((job) => ({ ...ended(job, 1), max_retries: 5 })) });
    const client: Client = {
      ...server.client,
      async claimNextJobs(input) {
        const { jobs = [] } = await server.client.claimNextJobs(input);
        return { jobs: jobs.map((job) => ({ ...job, attempt_id: undefined, resource_requirements_id: undefined })) };
      },
    };
    exchange = createPlainExchange({ client, workflowId, onWarning: (message) => void warnings.push(message) });
    server.loseAnswer('GET', /\/status$/);
    await expect(turn({ want: claim })).rejects.toThrow('no reply');
    const { jobs } = await turn({ want: claim });
    expect(jobs).toMatchObject([{ id: ids[0], attempt_id: 2, need: { num_cpus: 1 } }]);
  });

  it('a claim by resources takes what fits, and nothing without CPUs or memory', async () => {
    const offer = { num_cpus: 2, memory_gb: 1, num_gpus: 0, num_nodes: 1 };
    for (const none of [{ num_cpus: 0 }, { memory_gb: 0.05 }])
      expect((await turn({ want: { ...want, offer: { ...offer, ...none } } })).jobs).toEqual([]);
    expect((await turn({ want: { ...want, offer } })).jobs).toHaveLength(2);
  });

  it('a repeated report is no error when the server knows it already', async () => {
    const { jobs } = await turn({ want: { ...want, limit: 2 } });
    const [a, b] = jobs as [(typeof jobs)[0], (typeof jobs)[0]];
    const reported = { started: [started(a)], completed: [ended(b)] };
    for (let times = 0; times < 2; times += 1) expect((await turn(reported)).errors).toEqual([]);
    expect(await statuses()).toEqual(['running', 'completed', 'ready']);
    const all = await server.behind.listResults({ query: { workflow_id: workflowId, all_runs: true } });
    expect(all.total_count).toBe(1);
  });

  it('a repeated exchange number gets the same reply, although jobs were claimed', async () => {
    const first = await turn({ turn: 1, want: { ...want, limit: 1 } });
    expect(await turn({ turn: 1, want: { ...want, limit: 1 } })).toEqual(first);
    expect((await turn({ turn: 2, want: { ...want, limit: 1 } })).jobs[0]?.id).not.toBe(first.jobs[0]?.id);
  });

  it('refused ends are named, and the other ends of the batch are stored', async () => {
    const { jobs } = await turn({ want });
    await server.behind.createResult({ body: { ...resultOf(ids[1] as number), workflow_id: workflowId } });
    const { errors } = await turn({ completed: jobs.map((job) => ended(job)) });
    expect(errors).toEqual([{ job_id: ids[1], message: expect.stringContaining('Failed to create result record') }]);
    expect(await statuses()).toEqual(['completed', 'pending', 'completed']);
  });

  it('an end is refused when the job has ended differently meanwhile', async () => {
    const { jobs } = await turn({ want: { ...want, limit: 1 } });
    await server.client.cancelWorkflow({ params: { id: workflowId } });
    const reply = await turn({ completed: jobs.map((job) => ended(job)) });
    expect(reply).toMatchObject({ is_canceled: true, errors: [{ job_id: ids[0] }] });
    expect(await statusOf(ids[0] as number)).toBe('canceled');
  });

  it('times of outputs are stored, and those of a deleted file are skipped', async () => {
    const { client } = server;
    const body = { workflow_id: workflowId, name: 'out', path: 'out.txt' };
    const { id: file } = await client.createFile({ body });
    const { jobs } = await turn({ want: { ...want, limit: 1 } });
    const files = [
      { id: file, st_mtime: 12.5 },
      { id: 999, st_mtime: 1 },
    ];
    expect((await turn({ completed: jobs.map((job) => ({ ...ended(job), files })) })).errors).toEqual([]);
    expect(await client.getFile({ params: { id: file } })).toEqual({ id: file, ...body, st_mtime: 12.5 });
  });

  it('a retry is executed once, even if it is reported twice, and the last attempt is reported as an end', async () => {
    const claim = () => turn({ want: { ...want, limit: 1 } });
    const { jobs } = await claim();
    const first = jobs.map((job) => ({ ...ended(job, 1), max_retries: 2 }));
    for (let times = 0; times < 2; times += 1) expect((await turn({ retried: first })).errors).toEqual([]);
    expect(await statusOf(ids[0] as number)).toBe('ready');
    const again = (await claim()).jobs;
    expect(again[0]).toMatchObject({ id: ids[0], attempt_id: 2 });
    await turn({ retried: again.map((job) => ({ ...ended(job, 1), max_retries: 2 })) });
    expect(await statusOf(ids[0] as number)).toBe('failed');
  });

  it('pending jobs are returned, and jobs canceled meanwhile stay canceled', async () => {
    const { jobs } = await turn({ want: { ...want, limit: 2 } });
    await turn({ returned: [jobs[0]?.id as number] });
    expect(await statuses()).toEqual(['ready', 'pending', 'ready']);
    await server.client.cancelWorkflow({ params: { id: workflowId } });
    await turn({ returned: [jobs[1]?.id as number] });
    expect(await statusOf(ids[1] as number)).toBe('canceled');
  });

  it('a workflow with a new run, or a deleted one, is refused with the code that a runner knows', async () => {
    await server.client.resetStatus({ params: { id: workflowId } });
    await expect(turn({ want })).rejects.toMatchObject({ code: 'RUN_SUPERSEDED' });
    await server.client.deleteWorkflow({ params: { id: workflowId } });
    await expect(turn({ want })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('change ids grow', async () => {
    const numbers = [await turn(), await turn(), await turn()].map(({ change_id: id }) => id);
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
    expect(new Set(numbers).size).toBe(3);
  });
});

describe('an exchange that loses one of its requests', () => {
  it('jobs claimed in a failed exchange are kept for the next one, and returned by the last one', async () => {
    server.loseAnswer('GET', /\/status$/);
    await expect(turn({ want: { ...want, limit: 2 } })).rejects.toThrow('no reply');
    expect(await statuses()).toEqual(['pending', 'pending', 'ready']);
    const { jobs } = await turn({ want: { ...want, limit: 3 } });
    expect(jobs.map(({ id }) => id)).toEqual(ids);

    await turn({ returned: ids });
    server.loseAnswer('GET', /\/status$/);
    await expect(turn({ want })).rejects.toThrow('no reply');
    await turn({ is_last: true });
    expect(await statuses()).toEqual(['ready', 'ready', 'ready']);
  });

  it('jobs that the runner does not hold are passed on again, and no others', async () => {
    const { jobs } = await turn({ turn: 1, want: { ...want, limit: 2 } });
    const [a, b] = jobs as [(typeof jobs)[0], (typeof jobs)[0]];
    const again = await turn({ turn: 2, held: [a.id], want: { ...want, limit: 1 } });
    expect(again.jobs).toEqual([b]);
    const none = await turn({ turn: 3, held: [a.id, b.id], want: { ...want, limit: 0 } });
    expect(none.jobs).toEqual([]);
    await turn({ turn: 4, held: [a.id], is_last: true });
    expect(await statuses()).toEqual(['pending', 'ready', 'ready']);
  });

  it('jobs canceled or reset meanwhile are not passed on', async () => {
    server.loseAnswer('GET', /\/status$/);
    await expect(turn({ want: { ...want, limit: 2 } })).rejects.toThrow('no reply');
    await server.client.manageStatusChange({ params: { id: ids[0] as number, status: 'disabled', run_id: 1 } });
    expect((await turn({ want: { ...want, limit: 1 } })).jobs.map(({ id }) => id)).toEqual([ids[1]]);
  });

  it('jobs of a claim without a reply are found when no other runner is active', async () => {
    server.loseAnswer('POST', /claim_next_jobs/);
    await expect(turn({ want: { ...want, limit: 2 } })).rejects.toThrow('no reply');
    const { jobs } = await turn({ want: { ...want, limit: 2 } });
    expect(jobs.map(({ id }) => id)).toEqual(ids.slice(0, 2));
    expect((await turn({ want: { ...want, limit: 0 } })).jobs).toEqual([]);
    expect(warnings).toEqual([]);
  });

  it('jobs of a claim without a reply are returned when that exchange was the last', async () => {
    server.loseAnswer('POST', /claim_next_jobs/);
    await expect(turn({ want })).rejects.toThrow('no reply');
    await turn({ is_last: true });
    expect(await statuses()).toEqual(['ready', 'ready', 'ready']);
  });

  it('no job is taken that another runner may hold, and a warning says what the user can do', async () => {
    const other = await registerNode(server, workflowId);
    const theirs = await server.client.claimNextJobs({ params: { id: workflowId }, query: { limit: 1 } });
    server.loseAnswer('POST', /claim_next_jobs/);
    await expect(turn({ want: { ...want, limit: 1 } })).rejects.toThrow('no reply');
    const { jobs } = await turn({ want });
    expect(jobs.map(({ id }) => id)).toEqual([ids[2]]);
    expect(theirs.jobs?.map(({ id }) => id)).toEqual([ids[0]]);
    expect(warnings).toEqual([expect.stringContaining('torc jobs reset-status')]);
    await server.client.deleteComputeNode({ params: { id: other } });
  });

  it('a job is returned once, although the exchange is repeated', async () => {
    const { jobs } = await turn({ want: { ...want, limit: 1 } });
    const returned = jobs.map(({ id }) => id);
    await registerNode(server, workflowId);
    server.loseAnswer('GET', /\/status$/);
    await expect(turn({ returned })).rejects.toThrow('no reply');
    const { jobs: theirs } = await server.client.claimNextJobs({ params: { id: workflowId }, query: { limit: 1 } });
    expect(theirs?.map(({ id }) => id)).toEqual(returned);
    expect((await turn({ returned })).errors).toEqual([]);
    expect(await statusOf(ids[0] as number)).toBe('pending');
  });

  it('a job that another runner may have claimed meanwhile is not returned a second time', async () => {
    const { jobs } = await turn({ want: { ...want, limit: 1 } });
    const returned = jobs.map(({ id }) => id);
    await registerNode(server, workflowId);
    server.loseAnswer('PUT', /manage_status_change/);
    await expect(turn({ returned })).rejects.toThrow('no reply');
    await server.client.claimNextJobs({ params: { id: workflowId }, query: { limit: 1 } });
    const { errors } = await turn({ returned });
    expect(errors).toEqual([{ job_id: ids[0], message: expect.stringContaining('another runner') }]);
    expect(await statusOf(ids[0] as number)).toBe('pending');
    expect(asked('PUT', /manage_status_change/)).toBe(1);
  });
});

describe('whether a server has the exchange route', () => {
  it('the reply to an empty exchange shows whether the server has the route', async () => {
    expect(await knowsExchange(server.client, workflowId, { run_id: 1, compute_node_id: nodeId })).toMatchObject({
      isKnown: false,
    });
    expect(await knowsExchange(server.behind, workflowId, { run_id: 1, compute_node_id: nodeId })).toMatchObject({
      isKnown: true,
    });
  });

  it('a refusal by our server proves that it has the exchange route', async () => {
    const { client } = testService();
    expect(await knowsExchange(client, 999, { run_id: 1, compute_node_id: 1 })).toMatchObject({ isKnown: true });
  });
});

const resultOf = (jobId: number) => ({
  job_id: jobId,
  run_id: 1,
  attempt_id: 1,
  compute_node_id: nodeId,
  return_code: 0,
  exec_time_minutes: 0,
  completion_time: '2026-03-01T12:00:01.000Z',
  status: 'completed' as const,
});
