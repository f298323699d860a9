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
    });
    const [graph, failures, timeline, use] = replies;
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
    expect(use).toMatchObject({ classes: [{ jobs: JOBS, ended: JOBS, lacking: 0, longest_seconds: 30 }] });
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
