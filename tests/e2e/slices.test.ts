import { afterAll, describe, expect, it } from 'vitest';
import { type RunningServer, startServer, temporaryFolder, until } from '../support/programs.ts';
import { random } from '../support/random.ts';

/** Runs of each test, every one with moments of its own: more by hand, with TORC_SEEDS. */
const SEEDS = Array.from({ length: Number(process.env['TORC_SEEDS'] ?? 1) }, (_, index) => index + 1);

const JOBS = 12_000;
const A_CALL = 2_000;

const pause = (ms: number) => new Promise((resolve) => void setTimeout(resolve, ms));

/** Creates jobs, each of which waits for those that `after` names by their places. */
async function create({ client }: RunningServer, after: (index: number) => number[]): Promise<number> {
  const { id } = (await client.createWorkflow({ body: { name: 'w', user: 'u' } })) as { id: number };
  let first = 0;
  for (let begin = 0; begin < JOBS; begin += A_CALL) {
    const { job_ids: ids } = await client.createJobs({
      query: { reply: 'ids' },
      body: {
        jobs: Array.from({ length: A_CALL }, (_, index) => ({
          workflow_id: id,
          name: `j${begin + index}`,
          command: 'true',
          depends_on_job_ids: after(begin + index)
            .filter((other) => other < begin)
            .map((other) => first + other),
        })),
        depends_on_positions: Array.from({ length: A_CALL }, (_, index) =>
          after(begin + index)
            .filter((other) => other >= begin)
            .map((other) => other - begin),
        ),
      },
    });
    if (begin === 0) first = ids?.[0] as number;
  }
  return id;
}

const counts = async ({ client }: RunningServer, id: number) =>
  (await client.getWorkflowStatus({ params: { id } })).jobs_by_status;

const rowsOf = async ({ client }: RunningServer, table: string) => {
  const { items } = await client.runSql({ body: { sql: `select count(*) as rows from ${table}` } });
  return (items[0] as { rows: number }).rows;
};

/** Nothing is left to go on with. */
const settled = (server: RunningServer) =>
  until(
    async () => [await rowsOf(server, 'workflow_work'), await rowsOf(server, 'job_release')],
    ([work, releases]) => work === 0 && releases === 0,
    'the work to be done',
  );

/** How many of the kills came before the answer. */
let cutOff = 0;
afterAll(() => {
  // A machine that is busy with other things may let some of them come too late, and not all.
  if (cutOff === 0) throw new Error('no server was killed in the middle of its work');
});

/** Begins something, kills the server when `isUnderWay`, and starts it again on the same database. */
async function killedDuring(
  server: RunningServer,
  { folder, next }: { folder: string; next: () => number },
  begin: () => Promise<unknown>,
  isUnderWay: () => Promise<boolean>,
): Promise<RunningServer> {
  const answer = begin().then(
    () => {},
    () => void (cutOff += 1),
  );
  // Without pauses in between: the work may take a fraction of a second only.
  while (!(await isUnderWay()));
  await pause(next() * 20);
  server.program.child.kill('SIGKILL');
  await server.program.ended;
  await answer;
  return startServer(folder, { port: server.port });
}

describe.each(SEEDS)('a server that is killed, with moments of seed %d,', (seed) => {
  const begin = async () => {
    const folder = temporaryFolder();
    return { folder, next: random(seed), server: await startServer(folder) };
  };

  it('while it deletes a workflow goes on with that, and the workflow stays gone', async () => {
    const { server, ...place } = await begin();
    const kept = await create(server, () => []);
    const id = await create(server, (index) => (index === 0 ? [] : [0]));
    const back = await killedDuring(
      server,
      place,
      () => server.client.deleteWorkflow({ params: { id } }),
      () =>
        server.client.getWorkflow({ params: { id } }).then(
          () => false,
          () => true,
        ),
    );
    await expect(back.client.getWorkflow({ params: { id } })).rejects.toThrow(/^workflow \d+ was not found \(404\)$/);
    await settled(back);
    expect([await rowsOf(back, 'job'), await rowsOf(back, 'job_depends_on'), await rowsOf(back, 'workflow')]).toEqual([
      JOBS,
      0,
      1,
    ]);
    expect((await counts(back, kept)).uninitialized).toBe(JOBS);
  });

  it('while it initializes a workflow goes on with that, and the jobs are as if nothing had happened', async () => {
    const { server, ...place } = await begin();
    const id = await create(server, (index) => (index % 2 === 0 ? [] : [index - 1]));
    const back = await killedDuring(
      server,
      place,
      () => server.client.initializeJobs({ params: { id } }),
      async () => (await counts(server, id)).uninitialized < JOBS,
    );
    // A claim waits until it is done, and meets no job twice.
    const { jobs } = await back.client.claimNextJobs({ params: { id }, query: { limit: JOBS } });
    expect(new Set(jobs?.map(({ name }) => name)).size).toBe(JOBS / 2);
    expect(await counts(back, id)).toMatchObject({ pending: JOBS / 2, blocked: JOBS / 2, uninitialized: 0 });
    await settled(back);
  });

  it('while it resets jobs goes on with that, downstream included', async () => {
    const { server, ...place } = await begin();
    const id = await create(server, (index) => (index === 0 ? [] : [index - 1]));
    await server.client.initializeJobs({ params: { id } });
    const [first] = (await server.client.claimNextJobs({ params: { id }, query: { limit: 1 } })).jobs ?? [];
    await fail(server, id, first?.id as number);
    await until(
      () => counts(server, id),
      ({ canceled }) => canceled === JOBS - 1,
      'the chain to be canceled',
    );
    const back = await killedDuring(
      server,
      place,
      () => server.client.resetJobStatus({ params: { id }, query: { failed_only: true } }),
      async () => (await counts(server, id)).uninitialized > 0,
    );
    await settled(back);
    expect((await counts(back, id)).uninitialized).toBe(JOBS);
  });

  it('while it cancels what waited for a job that failed goes on with that, and reports the end once', async () => {
    const { server, ...place } = await begin();
    const id = await create(server, (index) => (index === 0 ? [] : [index - 1]));
    await server.client.initializeJobs({ params: { id } });
    const [first] = (await server.client.claimNextJobs({ params: { id }, query: { limit: 1 } })).jobs ?? [];
    await fail(server, id, first?.id as number);
    await until(
      () => counts(server, id),
      ({ canceled }) => canceled > 0,
      'the cascade to begin',
    );
    await pause(place.next() * 30);
    server.program.child.kill('SIGKILL');
    await server.program.ended;
    const back = await startServer(place.folder, { port: server.port });
    const before = await counts(back, id);
    expect([before.failed, before.canceled > 0]).toEqual([1, true]);
    if (before.canceled < JOBS - 1) cutOff += 1;
    await settled(back);
    expect(await counts(back, id)).toMatchObject({ failed: 1, canceled: JOBS - 1, blocked: 0 });
    const { items } = await back.client.runSql({
      body: { sql: `select count(*) as rows from change_log where event_type = 'workflow_completed'` },
    });
    expect(items).toEqual([{ rows: 1 }]);
  });

  it('while it creates jobs has created none of them', async () => {
    const { server, ...place } = await begin();
    const { id } = (await server.client.createWorkflow({ body: { name: 'w', user: 'u' } })) as { id: number };
    await server.client.createJob({ body: { workflow_id: id, name: 'before', command: 'true' } });
    const jobs = Array.from({ length: JOBS }, (_, index) => ({ workflow_id: id, name: `j${index}`, command: 'true' }));
    const back = await killedDuring(
      server,
      place,
      () =>
        server.client.createJobs({
          query: { reply: 'ids' },
          body: { jobs, depends_on_positions: jobs.map((_, index) => (index === 0 ? [] : [0, index - 1])) },
        }),
      async () => (await counts(server, id)).uninitialized > 1,
    );
    // A call that comes meanwhile waits for the end of that.
    await back.client.createJob({ body: { workflow_id: id, name: 'after', command: 'true' } });
    const { items } = await back.client.listJobs({ query: { workflow_id: id } });
    expect(items.map(({ name }) => name)).toEqual(['before', 'after']);
    expect(await rowsOf(back, 'job_depends_on')).toBe(0);
  });
});

async function fail({ client }: RunningServer, id: number, jobId: number): Promise<void> {
  const node = await client.createComputeNode({
    body: {
      workflow_id: id,
      hostname: 'test-host',
      pid: 1,
      start_time: '2026-03-01T12:00:00.000Z',
      is_active: true,
      num_cpus: 8,
      memory_gb: 16,
      num_gpus: 0,
      num_nodes: 1,
      compute_node_type: 'local',
    },
  });
  await client.completeJob({
    params: { id: jobId, status: 'failed', run_id: 0 },
    body: {
      job_id: jobId,
      workflow_id: id,
      run_id: 0,
      compute_node_id: node.id,
      attempt_id: 1,
      status: 'failed',
      return_code: 1,
      exec_time_minutes: 0.1,
      completion_time: '2026-03-01T12:00:01.000Z',
    },
  });
}
