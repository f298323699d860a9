import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { longestWait } from '../../../tests/support/longest-wait.ts';
import { registerNode, testService, type TestService } from '../../../tests/support/service.ts';
import { ANONYMOUS } from '../caller.ts';
import { viewQueries } from './queries.ts';

const JOBS = 20_000;

/** One job first, many behind it, and one behind all of them; the ends of the many have results. */
async function many(): Promise<TestService> {
  const service = testService();
  await service.client.createWorkflow({ body: { name: 'w', user: 'u' } });
  service.store.db.run(`
    begin;
    insert into job_class (workflow_id, resource_requirements_id) select 1, max(id) from resource_requirements;
    with recursive n (n) as (select 1 union all select n + 1 from n where n < ${JOBS})
      insert into job (workflow_id, name, command, resource_requirements_id, class_id, status, result_id)
      select 1, case n when 1 then 'setup' when ${JOBS} then 'collect' else 'work_' || n end, 'true', 1, 1,
        iif(n % 100 = 7, 6, 5), n from n;
    insert into job_depends_on (job_id, depends_on_job_id, workflow_id)
      select id, 1, 1 from job where id between 2 and ${JOBS - 1};
    insert into job_depends_on (job_id, depends_on_job_id, workflow_id)
      select ${JOBS}, id, 1 from job where id between 2 and ${JOBS - 1};
    insert into result (id, job_id, workflow_id, run_id, compute_node_id, return_code, exec_time_minutes, completion_time, status)
      select id, id, 1, 0, 1, status = 6, 0.5, '2026-01-01T00:00:' || printf('%02d', id % 60) || 'Z', status from job;
    commit`);
  return service;
}

describe('the views of a workflow with many jobs', () => {
  it('the views of a workflow with many jobs are small and right, and hold the server at most 50 ms', async () => {
    const { client } = await many();
    const of = { params: { id: 1 } };
    const replies: unknown[] = [];
    const longest = await longestWait(async () => {
      replies.push(await client.getWorkflowGraph(of), await client.listFailureGroups(of));
      replies.push(await client.getWorkflowTimeline({ ...of, query: { bins: 2 } }), await client.getResourceUse(of));
      replies.push(await client.getWorkflowTimeline({ ...of, query: { by: 'family', attempts: 1000 } }));
      replies.push(await client.getNodeUse(of));
    });
    const [graph, failures, timeline, use, byFamily] = replies;
    const failed = JOBS / 100;
    expect(graph).toMatchObject({
      families: [
        { name: 'setup', jobs: 1 },
        { name: 'work_#', jobs: JOBS - 2, jobs_by_status: { completed: JOBS - 2 - failed, failed } },
        { name: 'collect', jobs: 1, first_job_id: JOBS },
      ],
      edges: [{ dependencies: JOBS - 2 }, { dependencies: JOBS - 2 }],
    });
    expect(failures).toMatchObject({ groups: [{ status: 'failed', return_code: 1, jobs: failed }] });
    expect(timeline).toMatchObject({ ended: [expect.any(Number), expect.any(Number)] });
    expect((timeline as { ended: number[] }).ended.reduce((sum, each) => sum + each, 0)).toBe(JOBS);
    expect(byFamily).toMatchObject({
      bands: [
        { name: 'setup', attempts: 1 },
        { name: 'work_#', attempts: JOBS - 2 },
        { name: 'collect', attempts: 1 },
      ],
      bands_left_out: 0,
    });
    expect(byFamily).not.toHaveProperty('attempts');
    expect(use).toMatchObject({ classes: [{ jobs: JOBS, ended: JOBS, lacking: 0, longest_seconds: 30 }] });
    expect(longest).toBeLessThan(50);
  });

  it('a job with 20,000 dependencies is explained by some of them, and running jobs are counted, within 50 ms at a time', async () => {
    const service = await many();
    const { client, store } = service;
    const runner = await registerNode(service, 1);
    store.db.run(`
      begin;
      update job set status = 1, result_id = null where id = ${JOBS};
      update job set status = 4, result_id = null, compute_node_id = ${runner} where id between 2 and ${JOBS - 1};
      commit`);
    const replies: unknown[] = [];
    const longest = await longestWait(async () => {
      replies.push(await client.getJobExplanation({ params: { id: JOBS } }));
      replies.push(await client.getRunnerUse({ params: { id: 1 } }));
    });
    expect(replies).toEqual([
      {
        job_id: JOBS,
        kind: 'waits',
        headline: `depends on ${(JOBS - 2).toLocaleString('en')} jobs, and waits for 200 of the first 200`,
        reasons: Array.from({ length: 20 }, (_, at) => ({
          code: 'dependency',
          message: `work_${at + 2} (job ${at + 2}) is running`,
          job_id: at + 2,
        })),
        reasons_left_out: 180,
        next: ['torc jobs explain 2'],
        attempts: [expect.objectContaining({ kind: 'ended', run_id: 0, attempt_id: 1, hostname: 'test-host' })],
        attempts_left_out: 0,
      },
      [{ compute_node_id: runner, resource_requirements_id: 1, jobs: JOBS - 2 }],
    ]);
    expect(longest).toBeLessThan(50);
  });

  it('the jobs of a family are listed by pages, and those of a status', async () => {
    const { client } = await many();
    const { families } = await client.getWorkflowGraph({ params: { id: 1 } });
    const params = { id: 1, family: families[1]?.key ?? '' };
    const first = await client.listFamilyJobs({ params, query: { limit: 3 } });
    expect(first).toMatchObject({ items: [{ id: 2 }, { id: 3 }, { id: 4, name: 'work_4' }], has_more: true });
    const last = await client.listFamilyJobs({ params, query: { after: JOBS - 2, limit: 3 } });
    expect(last).toMatchObject({ items: [{ id: JOBS - 1 }], has_more: false });
    // A list that is scrolled to a place asks for what is there.
    const there = await client.listFamilyJobs({ params, query: { skip: JOBS - 5, limit: 2 } });
    expect(there).toMatchObject({ items: [{ id: JOBS - 3 }, { id: JOBS - 2 }], has_more: true });
    expect(await client.listFamilyJobs({ params, query: { after: 4, skip: 2, limit: 1 } })).toMatchObject({
      items: [{ id: 7 }],
    });
    expect(await client.listFamilyJobs({ params, query: { skip: JOBS } })).toEqual({ items: [], has_more: false });
    const failed = await client.listFamilyJobs({ params, query: { status: 'failed', limit: 2 } });
    expect(failed).toMatchObject({ items: [{ id: 7 }, { id: 107 }], has_more: true });
    const named = await client.listFamilyJobs({ params, query: { name: 'ORK_107', limit: 1 } });
    expect(named.items.map(({ name }) => name)).toEqual(['work_107']);
  });

  it('a family that is new is found, and its jobs are listed', async () => {
    const { client } = testService();
    const { id } = await client.createWorkflow({ body: { name: 'w', user: 'tester' } });
    const create = (name: string) => client.createJob({ body: { workflow_id: id, name, command: 'true' } });
    await create('old_1');
    const jobsOf = async (family: string) =>
      (await client.listFamilyJobs({ params: { id, family } })).items.map(({ name }) => name);
    const keyOf = async (name: string) => {
      const { families } = await client.getWorkflowGraph({ params: { id } });
      return families.find((family) => family.name.startsWith(name))?.key;
    };
    const old = (await keyOf('old')) ?? '';
    expect(await jobsOf(old)).toEqual(['old_1']);
    await create('young_1');
    let young: string | undefined;
    while (young === undefined) young = await keyOf('young');
    expect(await jobsOf(young)).toEqual(['young_1']);
    await expect(jobsOf('none')).rejects.toMatchObject({ status: 404 });
  });

  it('a part of the time has each attempt that overlaps it, first ones and further ones, ended ones and those that run', async () => {
    const service = testService();
    const { client, store } = service;
    const { id } = await client.createWorkflow({ body: { name: 'w', user: 'u' } });
    for (const name of ['a_1', 'a_2', 'b'])
      await client.createJob({ body: { workflow_id: id, name, command: 'true', resource_requirements_id: 1 } });
    const [one, other] = [await registerNode(service, id), await registerNode(service, id)];
    store.db.run(`
      insert into result (job_id, workflow_id, run_id, attempt_id, compute_node_id, return_code, exec_time_minutes, completion_time,
        status, cause)
      values (1, 1, 0, 1, ${one}, 7, 0.5, '2026-01-01T00:01:00Z', 6, 'it had no data'),
        (1, 1, 0, 2, ${other}, 0, 0.25, '2026-01-01T00:01:30Z', 5, null),
        (2, 1, 0, 1, ${one}, 0, 0.5, '2026-01-01T00:02:00Z', 5, null),
        -- Of another run, and of a runner that is not there any more.
        (3, 1, 9, 1, ${one}, 0, 0.5, '2026-01-01T00:01:00Z', 5, null),
        (3, 1, 0, 1, 99, 0, 0.001, '2026-01-01T00:00:30Z', 5, null);
      update job set status = 4, start_time = '2026-01-01T00:01:45Z', compute_node_id = ${other}, attempt_id = 3 where id = 1`);
    const ask = (query: object) => client.getWorkflowTimeline({ params: { id }, query });
    const whole = await ask({ by: 'runner', attempts: 10 });
    expect(whole.attempts?.map(({ job_name: name, attempt_id: attempt, band }) => [name, attempt, band])).toEqual([
      ['b', 1, '99'],
      ['a_1', 1, String(one)],
      ['a_1', 2, String(other)],
      ['a_2', 1, String(one)],
      ['a_1', 3, String(other)],
    ]);
    expect(whole.bands?.map(({ name, attempts, retries }) => [name, attempts, retries])).toEqual([
      [expect.stringMatching(/, runner 1$/), 2, 0],
      [expect.stringMatching(/, runner 2$/), 2, 2],
      ['runner 99', 1, 0],
    ]);
    expect(whole).toMatchObject({ run_from: '2026-01-01T00:00:29.940Z' });

    const part = { from: '2026-01-01T00:00:40Z', to: '2026-01-01T00:01:20Z' };
    const some = await ask({ ...part, by: 'family', bands: 1, attempts: 10 });
    const both = { job_id: 1, job_name: 'a_1', band: some.bands?.[0]?.key };
    expect(some.attempts).toMatchObject([
      {
        ...both,
        attempt_id: 1,
        status: 'failed',
        return_code: 7,
        cause: 'it had no data',
        end: '2026-01-01T00:01:00.000Z',
      },
      { ...both, attempt_id: 2, status: 'completed', compute_node_id: other },
    ]);
    expect(some.attempts?.[1]).not.toHaveProperty('cause');
    expect(some).toMatchObject({
      from: '2026-01-01T00:00:40.000Z',
      run_from: whole.run_from,
      bands: [{ name: 'a_#' }],
    });
    // What runs has no end, and what is left out has no band.
    const all = await ask({ by: 'family', bands: 1, attempts: 10 });
    expect(all.bands?.map(({ name }) => name)).toEqual(['a_#', 'others']);
    expect(all.bands_left_out).toBe(1);
    expect(all.attempts?.find(({ job_id: job }) => job === 3)).not.toHaveProperty('band');
    const running = all.attempts?.at(-1);
    expect(running).toMatchObject({ attempt_id: 3, status: 'running' });
    expect(running).not.toHaveProperty('end');
    expect((await ask({ ...part, attempts: 1 })).attempts).toBeUndefined();
    // A time in which nothing happened is empty, and not without a picture.
    expect(
      await ask({ from: '2020-01-01T00:00:00Z', to: '2020-01-02T00:00:00Z', by: 'runner', bins: 1, attempts: 5 }),
    ).toMatchObject({
      running: [0],
      bands: [],
      attempts: [],
    });
  });

  it('the views read their rows from indexes, in order, without a sort', () => {
    const { store } = testService();
    const plans: Record<string, string[]> = {};
    viewQueries({
      ...store.db,
      prepare(sql) {
        const plan = store.db.plan(sql);
        if (plan.some((line) => line.includes('TEMP B-TREE') || /^SCAN (job|result|compute_node)\b/.test(line)))
          plans[sql] = plan;
        return store.db.prepare(sql);
      },
    });
    expect(plans).toEqual({});
  });
});

describe('the end of what a job wrote', () => {
  async function written(isEnforced: boolean) {
    const folder = mkdtempSync(join(tmpdir(), 'torc-view-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const login = { callerOf: () => ({ user: 'ada' }), reload: () => 0, close: () => Promise.resolve() };
    const service = testService(
      isEnforced
        ? { login, access: { enforce: true, administrators: [] } }
        : { login: { ...login, callerOf: () => ANONYMOUS } },
    );
    const { client } = service;
    await client.createWorkflow({ body: { name: 'w', user: 'ada' } });
    const { id } = await client.createJob({ body: { workflow_id: 1, name: 'a', command: 'true' } });
    await client.resetStatus({ params: { id: 1 } });
    await client.initializeJobs({ params: { id: 1 } });
    const node = await registerNode(service, 1);
    const ledger = join(folder, 'job_runner_ledger', 'wf1_r1_m.ledger');
    service.store.db.run(`update compute_node set process = '${JSON.stringify({ ledger })}'`);
    await client.claimNextJobs({ params: { id: 1 }, query: { limit: 1 } });
    await client.startJob({ params: { id, run_id: 1, compute_node_id: node } });
    mkdirSync(join(folder, 'job_stdio'));
    writeFileSync(join(folder, 'job_stdio', 'job_wf1_j1_r1_a1.e'), 'Traceback\nKeyError: 7\n');
    return client.getOutputTail({ params: { id }, query: { stream: 'stderr' } });
  }

  it('the end of what a job wrote is read where the folder of its runner is', async () => {
    expect(await written(false)).toMatchObject({ lines: ['Traceback', 'KeyError: 7'], has_more: false });
  });

  it('the end of what a job wrote is not read by a server with access control, whose users name folders and do not trust each other', async () => {
    const tail = await written(true);
    expect(tail).toMatchObject({ path: expect.any(String), reason: expect.stringContaining('access control') });
    expect(tail).not.toHaveProperty('lines');
  });
});

it('overviews are those of a project or of an access group, and together with other filters those of both', async () => {
  const { client } = testService();
  const create = async (name: string, project?: string) =>
    (await client.createWorkflow({ body: { name, user: 'u', project } })).id;
  const [one, other, none] = [await create('a', 'cohort'), await create('b', 'cohort'), await create('c')];
  const { id: group } = await client.createAccessGroup({ body: { name: 'readers' } });
  for (const id of [one, none]) await client.addWorkflowToGroup({ params: { id, group_id: group } });
  const found = async (query: { user?: string; project?: string; access_group?: string }) =>
    (await client.listWorkflowOverviews({ query })).items.map(({ id }) => id);
  expect(await found({})).toEqual([none, other, one]);
  expect(await found({ project: 'cohort' })).toEqual([other, one]);
  expect(await found({ access_group: 'readers' })).toEqual([none, one]);
  expect(await found({ access_group: 'readers', project: 'cohort', user: 'u' })).toEqual([one]);
  expect(await found({ access_group: 'writers' })).toEqual([]);
  expect(await found({ project: 'cohor' })).toEqual([]);
});
