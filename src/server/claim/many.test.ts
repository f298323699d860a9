import { beforeEach, describe, expect, it } from 'vitest';
import { longestWait } from '../../../tests/support/longest-wait.ts';
import { testService, type TestService } from '../../../tests/support/service.ts';
import { Sliced } from '../store/sliced.ts';
import { claimHandlers } from './handlers.ts';
import { giveBackOpenClaims } from './open/give-back-open.ts';
import { claimableSql } from './queries.ts';

let service: TestService;
const JOBS = 12_000;

/** Ready jobs of two sizes, in two classes; every tenth has a priority. */
beforeEach(async () => {
  service = testService();
  await service.client.createWorkflow({ body: { name: 'w', user: 'u' } });
  service.store.db.run(`
    begin;
    insert into resource_requirements (workflow_id, name, num_cpus, num_gpus, num_nodes, memory, runtime, memory_bytes, runtime_s)
      values (1, 'small', 1, 0, 1, '1m', 'PT1M', 1048576, 60), (1, 'wide', 4, 0, 1, '1m', 'PT1M', 1048576, 60);
    insert into job_class (workflow_id, resource_requirements_id) select 1, id from resource_requirements where name in ('small', 'wide');
    with recursive n (n) as (select 1 union all select n + 1 from n where n < ${JOBS})
      insert into job (workflow_id, name, command, resource_requirements_id, class_id, status, priority)
      select 1, 'j' || n, 'true', class.resource_requirements_id, class.id, 2, n % 10 = 0
      from n join job_class class on class.id = 1 + n % 2;
    commit`);
});

const params = { id: 1 };
const counts = async () => (await service.client.getWorkflowStatus({ params })).jobs_by_status;
const open = () =>
  service.store.db.prepare<Record<string, never>, { rows: number }>('select count(*) as rows from open_claim').get({})
    ?.rows;
const jobsOf = ({ jobs }: { jobs?: { id?: number | null | undefined }[] | undefined }) =>
  (jobs ?? []).map(({ id }) => id as number);

describe('a claim of very many jobs', () => {
  it('a claim of very many jobs blocks no other request and is complete, best first, each job once', async () => {
    let ids: number[] = [];
    const longest = await longestWait(async () => {
      ids = jobsOf(await service.client.claimNextJobs({ params, query: { limit: -1 } }));
    });
    const expected = Array.from({ length: JOBS }, (_, index) => index + 1);
    expect(ids).toEqual([...expected.filter((id) => id % 10 === 0), ...expected.filter((id) => id % 10 !== 0)]);
    expect(await counts()).toMatchObject({ ready: 0, pending: JOBS });
    expect([longest < 200, open()]).toEqual([true, 0]);
  });

  it('a claim of very many jobs by resources fits into the offer as a whole, not in each part', async () => {
    const offer = { num_cpus: 9_000, memory_gb: 64, num_gpus: 0, num_nodes: 1 };
    const ids = jobsOf(await service.client.claimJobsBasedOnResources({ params: { id: 1, limit: JOBS }, body: offer }));
    // The wide jobs come first among equals: all 1,200 with a priority, small or wide, then only wide ones.
    const cpus = ids.reduce((sum, id) => sum + (id % 2 === 0 ? 1 : 4), 0);
    expect(cpus).toBeLessThanOrEqual(9_000);
    expect(cpus).toBeGreaterThan(8_995);
    expect(new Set(ids).size).toBe(ids.length);
    expect(await counts()).toMatchObject({ pending: ids.length });
  });

  it('two concurrent claims of very many jobs share the jobs', async () => {
    const [one, two] = await Promise.all([
      service.client.claimNextJobs({ params, query: { limit: JOBS } }),
      service.client.claimNextJobs({ params, query: { limit: JOBS } }),
    ]);
    const ids = [...jobsOf(one), ...jobsOf(two)];
    expect([ids.length, new Set(ids).size]).toEqual([JOBS, JOBS]);
    expect(Math.min(jobsOf(one).length, jobsOf(two).length)).toBeGreaterThan(JOBS / 4);
  });

  it('a claim of very many jobs that a kill interrupts returns the jobs that no client received', async () => {
    const { claimNextJobs } = claimHandlers(service.store);
    const claim = await service.store.turns.write(() =>
      claimNextJobs({ params, query: { limit: JOBS, labels: undefined }, body: undefined }),
    );
    expect(claim).toBeInstanceOf(Sliced);
    const { steps } = claim as Sliced<unknown>;
    for (let step = 0; step < 3; step += 1) await service.store.turns.write(() => steps.next());
    expect(await counts()).toMatchObject({ pending: 750, ready: JOBS - 750 });
    // What the server does at its next start.
    expect(await service.store.turns.write(() => giveBackOpenClaims(service.store))).toBe(750);
    expect(await counts()).toMatchObject({ pending: 0, ready: JOBS });
    expect(open()).toBe(0);
  });

  it('an answered claim is not returned at the next start of the server', async () => {
    await service.client.claimNextJobs({ params, query: { limit: 1_000 } });
    expect(await service.store.turns.write(() => giveBackOpenClaims(service.store))).toBe(0);
    expect(await counts()).toMatchObject({ pending: 1_000 });
  });

  it('a claim of very many jobs ends with the jobs so far when the workflow is canceled meanwhile', async () => {
    const claim = service.client.claimNextJobs({ params, query: { limit: JOBS } });
    await new Promise((resolve) => void setImmediate(resolve));
    await service.client.cancelWorkflow({ params });
    const ids = jobsOf(await claim);
    expect(ids.length).toBeLessThan(JOBS);
    expect(await counts()).toMatchObject({ pending: 0 });
    expect(open()).toBe(0);
  });

  it('a claim of very many jobs with an Idempotency-Key is executed once and answered twice', async () => {
    const send = async () => {
      const response = await service.app.request('/torc-service/v1/workflows/1/claim_next_jobs?limit=600', {
        method: 'POST',
        headers: { 'Idempotency-Key': 'k' },
      });
      return jobsOf((await response.json()) as { jobs: { id: number }[] });
    };
    expect(await send()).toEqual(await send());
    expect(await counts()).toMatchObject({ pending: 600 });
  });
});

describe('a claim among thousands of classes of requirements', () => {
  it('a claim reads only classes with ready jobs', () => {
    const plan = service.store.db.plan(claimableSql);
    expect(plan.join('\n')).toContain('USING INDEX job_class_of (workflow_id=?)');
    expect(plan.join('\n')).toContain('job_ready (class_id=?)');
    expect(plan.join('\n')).not.toContain('SCAN');
  });

  it('a claim takes jobs in the same order as a search through all classes', async () => {
    service.store.db.run(`
      begin;
      delete from job;
      with recursive n (n) as (select 1 union all select n + 1 from n where n < 300)
        insert into resource_requirements (workflow_id, name, num_cpus, num_gpus, num_nodes, memory, runtime, memory_bytes, runtime_s)
        select 1, 'r' || n, 1 + n % 5, 0, 1, '1m', 'PT1M', 1000000 + n * 7919 % 100, 60 from n;
      insert into job_class (workflow_id, resource_requirements_id) select 1, id from resource_requirements where name like 'r%';
      with recursive n (n) as (select 1 union all select n + 1 from n where n < 2000)
        insert into job (workflow_id, name, command, resource_requirements_id, class_id, status, priority)
        select 1, 'j' || n, 'true', class.resource_requirements_id, class.id, 2, n * 31 % 4
        from n join job_class class on class.id = 3 + n * 17 % 290;
      commit`);
    const order = service.store.db
      .prepare<Record<string, never>, { id: number }>(`
        select job.id from job join resource_requirements needs on needs.id = job.resource_requirements_id
        order by job.priority desc, num_gpus desc, runtime_s desc, memory_bytes desc, num_cpus desc, job.id`)
      .all({});
    const body = { num_cpus: 100_000, memory_gb: 100_000, num_gpus: 0, num_nodes: 1 };
    const taken = jobsOf(await service.client.claimJobsBasedOnResources({ params: { id: 1, limit: 200 }, body }));
    expect(taken).toEqual(order.slice(0, 200).map(({ id }) => id));
  });
});
