import { beforeEach, expect, it } from 'vitest';
import { ended, registerNode, testService, type TestService } from '../../../tests/support/service.ts';
import type { KnownJob } from '../../core/contract/known.ts';
import type { Client } from '../client.ts';
import { ServiceError } from '../errors.ts';
import { knownJob, knownWorkflow } from './known.ts';

let service: TestService;
let ids: Readonly<Record<string, number>>;
let id: number;
let nodeId: number;

/** A client of a server that does not have the two routes, as Torc's own. */
const without = (client: Client): Client => {
  const unknown = () => Promise.reject(new ServiceError('asking', { status: 404, text: 'Not Found' }));
  return { ...client, getKnownJob: unknown, getKnownWorkflow: unknown };
};

beforeEach(async () => {
  service = testService();
  const { client } = service;
  ({ id } = await client.createWorkflow({ body: { name: 'known', user: 'tester' } }));
  const made: Record<string, number> = {};
  for (const [name, ...before] of [['a'], ['b', 'a'], ['c', 'b'], ['d', 'c'], ['e'], ['f']] as const) {
    const body = {
      workflow_id: id,
      name,
      command: 'true',
      depends_on_job_ids: before.map((each) => made[each] as number),
    };
    made[name] = (await client.createJob({ body: { ...body, cancel_on_blocking_job_failure: true } })).id;
  }
  ids = made;
  await client.addRemoteWorkers({ params: { id }, body: ['host1'] });
  await client.resetStatus({ params: { id } });
  await client.initializeJobs({ params: { id } });
  nodeId = await registerNode(service, id);
  await registerNode(service, id);
  const about = { run_id: 1, compute_node_id: nodeId };
  const { jobs } = await client.exchange({ params: { id }, body: { ...about, want: { limit: 2, prefetch: 0 } } });
  const [first, second] = jobs;
  const started = [{ job_id: second?.id as number, attempt_id: 1, start_time: new Date().toISOString() }];
  await client.exchange({
    params: { id },
    body: { ...about, started, completed: first === undefined ? [] : [ended(first, 3)] },
  });
});

/** What differs without meaning: absent and undefined, and requirements that no running job has. */
const plain = ({ running_requirements: _needs, ...known }: KnownJob) => JSON.parse(JSON.stringify(known)) as unknown;

it('what is known of a job and of its workflow is the same from a server that answers it in parts', async () => {
  const { client } = service;
  const found = new Map<string, unknown>();
  for (const [name, job] of Object.entries(ids)) {
    const known = await knownJob(client, job);
    expect(plain(await knownJob(without(client), job))).toEqual(plain(known));
    found.set(name, known);
  }
  const of = await knownWorkflow(client, id);
  expect(JSON.parse(JSON.stringify(await knownWorkflow(without(client), id)))).toEqual(JSON.parse(JSON.stringify(of)));
  expect(of).toMatchObject({ remote_workers: ['host1'], runners: [{ id: nodeId }, {}], allocations: [] });
  expect(found.get('a')).toMatchObject({
    job: { status: 'failed' },
    results: [{ return_code: 3 }],
    nodes: [{ id: nodeId }],
  });
  expect(found.get('d')).toMatchObject({
    job: { status: 'canceled' },
    upstream: [{ name: 'c', status: 'canceled' }],
    canceled_by: { name: 'a', status: 'failed', return_code: 3 },
  });
  expect(found.get('f')).toMatchObject({ job: { status: 'ready' }, running: [{ compute_node_id: nodeId, jobs: 1 }] });
});

it('a job that waits for more jobs than people read has the first of them, and the number of the others', async () => {
  const { client } = service;
  const before: number[] = [];
  for (let at = 0; at < 203; at += 1)
    before.push((await client.createJob({ body: { workflow_id: id, name: `u${at}`, command: 'true' } })).id);
  const job = await client.createJob({
    body: { workflow_id: id, name: 'after', command: 'true', depends_on_job_ids: before },
  });
  const known = await knownJob(client, job.id);
  expect([known.upstream.length, known.upstream_left_out]).toEqual([200, 3]);
  expect(plain(await knownJob(without(client), job.id))).toEqual(plain(known));
});

it('of a job with more than a thousand attempts the newest are known, and how many were before them', async () => {
  const { client, store } = service;
  const job = ids['f'] as number;
  store.db.run(`
    with recursive n (n) as (select 1 union all select n + 1 from n where n < 1100)
    insert into result (job_id, workflow_id, run_id, attempt_id, compute_node_id, return_code, exec_time_minutes, completion_time, status)
      select ${job}, ${id}, 7, n, ${nodeId}, 3, 0, '2026-01-01T00:00:00Z', 6 from n`);
  const known = await knownJob(client, job);
  expect(known.results).toHaveLength(1_000);
  expect(known.results.at(-1)).toMatchObject({ run_id: 7, attempt_id: 1_100 });
  expect(known.results_left_out).toBe(100);
  expect(plain(await knownJob(without(client), job))).toEqual(plain(known));
  const { attempts, attempts_left_out: leftOut } = await client.getJobExplanation({ params: { id: job } });
  expect([attempts.length, attempts.at(-1)?.attempt_id]).toEqual([20, 1_100]);
  expect(leftOut).toBe(1_080);
});
