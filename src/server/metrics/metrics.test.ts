import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { basic, ended, started, testService, type TestService, workflowOf } from '../../../tests/support/service.ts';
import { ANONYMOUS } from '../caller.ts';
import { credentialLogin, type LoginCheck } from '../access/login.ts';
import { jobTokenOf } from '../access/job-token.ts';
import { LISTED_WORKFLOWS } from './figures.ts';
import { metricsQueries } from './queries.ts';
import { createMetrics } from './metrics.ts';

/** The values of a text by name and labels, as they stand there. */
const valuesOf = (text: string) =>
  new Map(
    text.split('\n').flatMap((line) => {
      const [, name, value] = /^(\w+(?:\{.*\})?) (\S+)$/.exec(line) ?? [];
      return name === undefined ? [] : [[name, Number(value)]];
    }),
  );

/** What this service says; its clock goes on by a minute between two scrapes. */
function scraping({ store }: TestService) {
  let clockMs = 0;
  const traffic = () => ({ in: 1, out: 2, '2xx': 3, '4xx': 4, '5xx': 5, other: 6 });
  const read = createMetrics({ store, database: ':memory:', traffic, clock: () => clockMs });
  return () => {
    clockMs += 60_000;
    return valuesOf(read());
  };
}

/** Runs what is ready of a workflow; the first of its jobs fails. */
async function runReady({ client }: TestService, { id, nodeId }: { readonly id: number; readonly nodeId: number }) {
  const turn = (body: object) =>
    client.exchange({ params: { id }, body: { run_id: 1, compute_node_id: nodeId, ...body } });
  const offer = { num_cpus: 100, memory_gb: 100, num_gpus: 0, num_nodes: 1 };
  const { jobs } = await turn({ want: { limit: 100, prefetch: 0, offer } });
  await turn({ started: jobs.map(started), completed: jobs.map((job) => ended(job, job.name === 'a' ? 3 : 0)) });
}

describe('the metrics of a server', () => {
  it('jobs, workflows and runners are counted, and a workflow has series until it ends', async () => {
    const service = testService();
    const scrape = scraping(service);
    const flow = await workflowOf(service, [{ name: 'a' }, { name: 'b' }, { name: 'c', after: ['a'], cancels: false }]);
    const before = scrape();
    expect([before.get('torc_jobs{status="ready"}'), before.get('torc_jobs{status="blocked"}')]).toEqual([2, 1]);
    expect(before.get(`torc_workflow_jobs{workflow="${flow.id}",status="ready"}`)).toBe(2);
    expect([before.get('torc_workflows{state="waiting"}'), before.get('torc_workflows{state="ended"}')]).toEqual([
      1, 0,
    ]);
    expect([before.get('torc_runners'), before.get('torc_runner_cpus')]).toEqual([1, 8]);
    await runReady(service, flow);
    await runReady(service, flow);
    const after = scrape();
    expect([after.get('torc_jobs{status="completed"}'), after.get('torc_jobs{status="failed"}')]).toEqual([2, 1]);
    expect([after.get('torc_workflows{state="waiting"}'), after.get('torc_workflows{state="ended"}')]).toEqual([0, 1]);
    expect([...after.keys()].filter((name) => name.startsWith('torc_workflow_jobs'))).toEqual([]);
  });

  it('an archived workflow is not counted, and is again when it comes back', async () => {
    const service = testService();
    const scrape = scraping(service);
    const { id } = await workflowOf(service, [{ name: 'a' }]);
    const ready = () => scrape().get('torc_jobs{status="ready"}');
    await service.client.archiveWorkflow({ params: { id }, body: { is_archived: true } });
    expect(ready()).toBe(0);
    await service.client.archiveWorkflow({ params: { id }, body: { is_archived: false } });
    expect(ready()).toBe(1);
  });
});

describe('the counters of ended attempts', () => {
  it('an attempt counts in one scrape and stays counted, also when its workflow is deleted', async () => {
    const service = testService();
    const scrape = scraping(service);
    const flow = await workflowOf(service, [{ name: 'a' }, { name: 'b' }]);
    const counted = () => {
      const found = scrape();
      return ['completed', 'failed'].map((status) => found.get(`torc_attempts_total{status="${status}"}`));
    };
    expect(counted()).toEqual([0, 0]);
    await runReady(service, flow);
    expect([counted(), counted()]).toEqual([
      [1, 1],
      [1, 1],
    ]);
    await service.client.deleteWorkflow({ params: { id: flow.id } });
    expect(counted()).toEqual([1, 1]);
    // Its results may get ids that were used before.
    await runReady(service, await workflowOf(service, [{ name: 'a' }, { name: 'b' }]));
    expect(counted()).toEqual([2, 2]);
  });

  it('what ended before the first scrape is not counted: a counter says what came since', async () => {
    const service = testService();
    await runReady(service, await workflowOf(service, [{ name: 'a' }]));
    expect(scraping(service)().get('torc_attempts_total{status="failed"}')).toBe(0);
  });
});

describe('what a scrape may cost', () => {
  it('however many workflows there are, the newest fifty have series, and the number of the others is said', async () => {
    const service = testService();
    const { id } = await workflowOf(service, [{ name: 'a' }]);
    for (let more = 0; more < LISTED_WORKFLOWS + 2; more += 1)
      await service.client.createJob({
        body: {
          workflow_id: (await service.client.createWorkflow({ body: { name: 'w', user: 'u' } })).id,
          name: 'a',
          command: 'true',
        },
      });
    const found = scraping(service)();
    const listed = [...found.keys()].flatMap((name) => /^torc_workflow_jobs\{workflow="(\d+)"/.exec(name)?.[1] ?? []);
    expect(new Set(listed).size).toBe(LISTED_WORKFLOWS);
    expect(listed).not.toContain(String(id));
    expect(found.get('torc_workflows_unlisted')).toBe(3);
  });

  it('no scrape reads the jobs: counts and results are read by their keys', () => {
    const sql: string[] = [];
    const { db } = testService().store;
    metricsQueries({
      ...db,
      prepare: ((text: string) => {
        sql.push(text);
        return db.prepare(text);
      }) as typeof db.prepare,
    });
    const plans = sql.flatMap((each) => db.plan(each));
    expect(plans.filter((step) => /\bjob\b/.test(step))).toEqual([]);
    expect(plans).toContain('SEARCH job_count USING PRIMARY KEY (workflow_id=?)');
    expect(plans).toContain('SEARCH result USING INTEGER PRIMARY KEY (rowid>?)');
  });

  it('the figures are read again after twenty times what reading them took, and given again until then', async () => {
    const service = testService();
    let clockMs = 0;
    const traffic = () => ({ in: 1, out: 2, '2xx': 3, '4xx': 4, '5xx': 5, other: 6 });
    // Each look at the clock takes 5 ms: so long a reading takes.
    const clock = () => (clockMs += 5);
    const read = createMetrics({ store: service.store, database: ':memory:', traffic, clock });
    const ready = () => valuesOf(read()).get('torc_jobs{status="ready"}');
    expect(ready()).toBe(0);
    await workflowOf(service, [{ name: 'a' }]);
    expect(ready()).toBe(0);
    clockMs += 20 * 5;
    expect(ready()).toBe(1);
  });
});

/** Accepts every name, because passwords are not tested here. */
const believing: LoginCheck = {
  callerOf(header) {
    const [name] = Buffer.from((header ?? '').replace('Basic ', ''), 'base64')
      .toString()
      .split(':');
    return name === undefined || name === '' ? ANONYMOUS : { user: name };
  },
  reload: () => 0,
  close: () => Promise.resolve(),
};

describe('who may read metrics', () => {
  const access = { enforce: true, administrators: ['admin'] };
  const statusOf = async ({ app }: TestService, authorization?: string) => {
    const headers = authorization === undefined ? {} : { Authorization: authorization };
    return (await app.request('/metrics', { headers })).status;
  };
  const ofPeople = async (service: TestService) => ({
    anonymous: await statusOf(service),
    user: await statusOf(service, basic('ann', '')),
    admin: await statusOf(service, basic('admin', '')),
  });

  it.each([
    ['those of the default', { anonymous: 403, user: 200, admin: 200 }],
    ['users', { anonymous: 403, user: 200, admin: 200 }],
    ['administrators', { anonymous: 403, user: 403, admin: 200 }],
    ['anyone', { anonymous: 200, user: 200, admin: 200 }],
    ['off', { anonymous: 404, user: 404, admin: 404 }],
  ] as const)('where access is enforced and metrics are for %s, others are refused', async (readers, expected) => {
    const metrics = readers === 'those of the default' ? undefined : readers;
    expect(await ofPeople(testService({ login: believing, access, metrics }))).toEqual(expected);
  });

  it('where nothing is enforced, everybody who may use the service may read them', async () => {
    expect(await statusOf(testService())).toBe(200);
    expect(await statusOf(testService({ metrics: 'administrators' }))).toBe(200);
  });

  it('a server with a credential gives them for it, and neither without it nor to its jobs', async () => {
    const credential = 'a random text';
    const service = testService({ login: credentialLogin(credential) });
    const { id } = await workflowOf(testService(), [{ name: 'a' }]);
    expect(await statusOf(service, `Bearer ${credential}`)).toBe(200);
    expect(await statusOf(service)).toBe(401);
    expect(await statusOf(service, `Bearer ${jobTokenOf(credential, id)}`)).toBe(403);
  });

  it('no name of a workflow, a job, a user or a host is in them', async () => {
    const service = testService();
    await workflowOf(
      service,
      [{ name: 'job-of-ann', command: 'secret-command' }],
      {},
      { name: 'study-x', user: 'ann' },
    );
    const text = await (await service.app.request('/metrics')).text();
    expect(text).not.toMatch(/job-of-ann|secret-command|study-x|"ann"|test-host/);
    expect(text).toContain('torc_runners 1');
  });
});

it('the page about metrics names each of them, and no other', async () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/how-to/metrics-of-a-server.md'), 'utf8');
  const [, table = ''] = page.split('## What they mean');
  const named = [...table.matchAll(/`((?:torc|process)_\w+)`/g)].map(([, name]) => name as string);
  const text = await (await testService().app.request('/metrics')).text();
  const given = [...text.matchAll(/^# TYPE (\w+) /gm)].map(([, name]) => name as string);
  expect(named.sort()).toEqual(given.sort());
});
