import * as z from 'zod';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Route, routes } from '../../src/core/contract/routes.ts';
import { fieldsOf, isOriginalPath, originalRoute } from '../support/original/contract.ts';
import { type StandIn, standIn } from '../support/original/stand-in.ts';
import { registerNode, started } from '../support/service.ts';

/** The stand-in for Torc's own server, without which no test of mixed operation says anything. */
let server: StandIn;
beforeAll(async () => {
  server = await standIn({ unblockEveryMs: 3_600_000 });
});
afterAll(() => server.close());

const post = (path: string, body: unknown, method: 'POST' | 'PUT' = 'POST') =>
  fetch(server.url + path, { method, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) });

/** A workflow of two jobs, the second behind the first, initialized; the first is claimed. */
async function chain() {
  const { client } = server;
  const { id } = (await client.createWorkflow({ body: { name: 'w', user: 'u' } })) as { id: number };
  const job = (name: string, after: number[]) =>
    client.createJob({ body: { workflow_id: id, name, command: 'true', depends_on_job_ids: after } });
  const first = (await job('first', [])).id;
  const second = (await job('second', [first])).id;
  await client.resetStatus({ params: { id } });
  await client.initializeJobs({ params: { id } });
  const nodeId = await registerNode(server, id);
  const { jobs = [] } = await client.claimNextJobs({ params: { id }, query: { limit: 10 } });
  expect(jobs.map((each) => each.id)).toEqual([first]);
  return { id, first, second, nodeId };
}

const statusOf = async (id: number) => (await server.client.getJob({ params: { id } })).status;

describe('the stand-in for Torc’s own server', () => {
  it('the stand-in for Torc’s own server has the routes of its document and none of ours', () => {
    const ours = Object.values(routes)
      .map(({ path }) => path.replaceAll(/\{\w+\}/g, '1'))
      .filter((path) => !isOriginalPath(path));
    // Three are routes of the original that its document does not have: streams, and one of administrators.
    expect(ours).toEqual([
      '/workflows/1/limits',
      '/workflows/1/reset_interrupted_jobs',
      '/workflows/1/recovery_lease',
      '/workflows/1/recovery_lease',
      '/workflows/1/actions/1/end',
      '/workflows/1/job_columns',
      '/workflows/1/file_columns',
      '/workflows/1/input_columns',
      '/workflows/1/output_columns',
      '/workflows/1/user_data_columns',
      '/workflows/1/update_plan',
      '/workflows/1/cancel_jobs',
      '/workflows/1/bind_jobs',
      '/workflows/1/unclaimable',
      '/workflows/1/cancel_unneeded_allocations',
      '/workflows/1/exchange',
      '/workflows/1/compute_nodes/1/lost',
      '/workflows/1/file_removals',
      '/workflows/1/events/stream',
      '/bulk_scheduled_compute_nodes',
      '/workflows/1/scheduled_compute_nodes',
      '/users/1/shared_workflows',
      '/workflows/1/access_users',
      '/workflows/1/access_users/1',
      '/workflows/1/access_users/1',
      '/admin/api-stats',
      '/admin/api-events/stream',
      '/workflows/1/known',
      '/jobs/1/known',
      '/workflow_overviews',
      '/workflows/1/status/stream',
      '/workflows/1/graph',
      '/workflows/1/families/1/jobs',
      '/workflows/1/running_now',
      '/workflows/1/timeline',
      '/workflows/1/failure_groups',
      '/workflows/1/resource_use',
      '/workflows/1/recovery_plan',
      '/workflows/1/recover',
      '/workflows/1/node_use',
      '/workflows/1/runner_use',
      '/jobs/1/explanation',
      '/jobs/1/output_tail',
      '/jobs/1/samples',
      '/page_tokens',
      '/workflows/1/messages',
      '/workflows/1/messages/claim',
      '/workflows/1/messages/1/end',
      '/workflows/1/messages/wanted',
      '/sonar/show/clusters',
      '/sonar/show/jobs',
      '/sonar/show/load',
      '/sonar/show/profile',
      '/sonar/show/uptime',
      '/sonar/show/nodes',
      '/sonar/show/cards',
      '/sonar/show/queue',
      '/sonar/show/report',
    ]);
  });

  it('the stand-in for Torc’s own server ignores what we added to its routes: each addition says what our programs do without it', () => {
    const added = Object.values(routes).flatMap((route: Route) => {
      const { method, path, query, body } = route;
      const original = originalRoute(method, path.replaceAll(/\{\w+\}/g, '1'));
      if (original === undefined) return [];
      const known = new Set((original.query ?? []).map((name) => name.replace('!', '')));
      const fields = new Set(original.body === undefined ? [] : fieldsOf(original.body));
      return [
        ...Object.keys(query?.shape ?? {}).filter((name) => !known.has(name) && !SORTING.has(name)),
        ...(fields.size === 0 || !(body instanceof z.ZodObject) ? [] : Object.keys(body.shape)).filter(
          (name) => !fields.has(name),
        ),
      ].map((name) => `${method} ${path} ${name}`);
    });
    // The cursors are for the page, which that server does not serve.
    const isCursor = (name: string) => / (?:after|before)_id$/.test(name);
    const paged = ['/compute_nodes', '/events', '/files', '/scheduled_compute_nodes', '/user_data'];
    expect(added.filter(isCursor).toSorted()).toEqual(
      paged.flatMap((path) => [`GET ${path} after_id`, `GET ${path} before_id`]),
    );
    expect(added.filter((name) => !isCursor(name)).toSorted()).toEqual([
      // Runners of that server have no identity, so none is proven gone.
      'GET /compute_nodes holds_jobs',
      // Lists more there; what comes too much is passed over.
      'GET /compute_nodes in_slurm',
      'GET /compute_nodes may_hold_jobs',
      // A list of files has no column of sizes and jobs then.
      'GET /files include_uses',
      // All are listed, and none has a cause: the command looks at that.
      'GET /results cause_code',
      'GET /scheduled_compute_nodes is_open',
      // All workflows are listed, and none says that it is not whole.
      'GET /workflows is_being_created',
      // An update, which that server does not have, finds its workflow by the name alone.
      'GET /workflows spec_file',
      // The jobs of a choice are not counted there.
      'GET /workflows/{id}/status choice',
      // Its answer has the jobs instead, and says by that that positions are unknown.
      'POST /bulk_jobs depends_on_positions',
      'POST /bulk_jobs reply',
      // The energy of a node is not kept there.
      'POST /compute_nodes energy_joules',
      'POST /compute_nodes machine_cpu_seconds',
      'POST /compute_nodes process',
      // What a list of files says of its jobs; no request has it.
      'POST /files made_by',
      // Files are kept there, and may be written.
      'POST /files protected',
      'POST /files read_by',
      'POST /files removal',
      'POST /files removed_bytes',
      'POST /files size_bytes',
      'POST /files temporary',
      // Jobs run there without limits.
      'POST /jobs licenses',
      // Reported by the server alone. A lost attempt counts there.
      'POST /jobs refunded_attempts',
      'POST /jobs removed_at_ms',
      'POST /jobs timeout',
      // The cause of an end is not kept there; the return code is.
      'POST /jobs/{id}/complete_job/{status}/{run_id} avg_gpu_watts',
      'POST /jobs/{id}/complete_job/{status}/{run_id} cause',
      'POST /jobs/{id}/complete_job/{status}/{run_id} cause_code',
      'POST /jobs/{id}/complete_job/{status}/{run_id} gpu_memory_bytes',
      'POST /jobs/{id}/complete_job/{status}/{run_id} handler_limit',
      'POST /jobs/{id}/complete_job/{status}/{run_id} peak_gpu_memory_bytes',
      'POST /resource_requirements licenses',
      'POST /results avg_gpu_watts',
      'POST /results cause',
      'POST /results cause_code',
      'POST /results gpu_memory_bytes',
      'POST /results handler_limit',
      'POST /results peak_gpu_memory_bytes',
      // Allocations are planned one by one there, and their scripts carry the plan; there are no job arrays, and no pause.
      'POST /scheduled_compute_nodes array_job_id',
      'POST /scheduled_compute_nodes array_task_id',
      'POST /scheduled_compute_nodes held',
      'POST /scheduled_compute_nodes plan',
      // A scheduler of PBS is refused where it is created.
      'POST /slurm_schedulers pbs',
      // Only runners write it, for jobs inside a long step; that server lists their jobs without statistics.
      'POST /slurm_stats slurm_step',
      // What a killed program left looks whole, as with Torc's own programs.
      'POST /workflows is_being_created',
      'POST /workflows limits',
      'POST /workflows spec_file',
      // An action that was claimed counts as carried out there.
      'POST /workflows/{id}/actions state',
      // Its answer lacks the number of planned allocations, and the command plans them itself.
      'POST /workflows/{id}/actions/{action_id}/claim plans',
      'POST /workflows/{id}/actions/{action_id}/claim tells_end',
      // Passed over there: whether jobs that wait for a decision are made ready is up to that server.
      'POST /workflows/{id}/initialize_jobs keep_pending_failed',
      'PUT /compute_nodes/{id} energy_joules',
      'PUT /compute_nodes/{id} machine_cpu_seconds',
      'PUT /compute_nodes/{id} process',
      'PUT /files/{id} made_by',
      'PUT /files/{id} protected',
      'PUT /files/{id} read_by',
      'PUT /files/{id} removal',
      'PUT /files/{id} removed_bytes',
      'PUT /files/{id} size_bytes',
      'PUT /files/{id} temporary',
      'PUT /jobs/{id} licenses',
      'PUT /jobs/{id} refunded_attempts',
      'PUT /jobs/{id} removed_at_ms',
      'PUT /jobs/{id} timeout',
      'PUT /resource_requirements/{id} licenses',
      'PUT /results/{id} avg_gpu_watts',
      'PUT /results/{id} cause',
      'PUT /results/{id} cause_code',
      'PUT /results/{id} gpu_memory_bytes',
      'PUT /results/{id} handler_limit',
      'PUT /results/{id} peak_gpu_memory_bytes',
      'PUT /scheduled_compute_nodes/{id} array_job_id',
      'PUT /scheduled_compute_nodes/{id} array_task_id',
      'PUT /scheduled_compute_nodes/{id} held',
      'PUT /scheduled_compute_nodes/{id} plan',
      'PUT /slurm_schedulers/{id} pbs',
      // The command compares the answer with what it asked for.
      'PUT /user_data/{id} clear_data',
      'PUT /workflows/{id} is_being_created',
      'PUT /workflows/{id} limits',
      'PUT /workflows/{id} spec_file',
    ]);
  });

  it('the stand-in for Torc’s own server answers an unknown route with 404 and nothing else', async () => {
    const reply = await post('/workflows/1/exchange', { run_id: 1, compute_node_id: 1 });
    expect([reply.status, await reply.text()]).toEqual([404, '']);
  });

  it('the stand-in for Torc’s own server ignores unknown query parameters and body fields, so a bulk call loses dependencies by position', async () => {
    const { id } = await server.client.createWorkflow({ body: { name: 'w', user: 'u' } });
    const job = (name: string) => ({ workflow_id: id, name, command: 'true' });
    const body = { jobs: [job('a'), job('b')], depends_on_positions: [[], [0]] };
    const reply = (await (await post('/bulk_jobs?reply=ids', body)).json()) as { jobs: { name: string }[] };
    expect(Object.keys(reply)).toEqual(['jobs']);
    const b = await server.client.listJobs({
      query: { workflow_id: id, name: 'b', include_relationships: true },
    });
    expect(b.items[0]).not.toHaveProperty('depends_on_job_ids');
  });

  it.each<['POST' | 'PUT', string, object, string]>([
    ['PUT', '/workflows/1', { description: 'd' }, 'missing field `name`'],
    ['PUT', '/jobs/1', { name: 'n', command: 'c' }, 'missing field `workflow_id`'],
    ['POST', '/jobs', { workflow_id: 1, name: 'n', command: 7 }, 'expected a string'],
    ['POST', '/workflows', { name: 'n', user: 'u', execution_config: { modus: 'x' } }, 'unknown field `modus`'],
  ])(
    'the stand-in for Torc’s own server refuses %s %s with a body that its schema does not allow',
    async (method, path, body, fault) => {
      const reply = await post(path, body, method);
      expect([reply.status, await reply.text()]).toEqual([422, expect.stringContaining(fault)]);
    },
  );

  it('the stand-in for Torc’s own server answers without our fields, and refusals without our codes', async () => {
    const { id } = await chain();
    const status = (await (await fetch(`${server.url}/workflows/${id}/status`)).json()) as object;
    expect(status).toHaveProperty('jobs_by_status');
    expect(status).not.toHaveProperty('run_id');
    const refused = await fetch(`${server.url}/jobs/999999`);
    expect(await refused.json()).toEqual({ error: { message: 'Job not found with ID: 999999' } });
  });

  it('the stand-in for Torc’s own server answers a second start of a job with 500, as the original does', async () => {
    const { first, nodeId } = await chain();
    const params = { id: first, run_id: 1, compute_node_id: nodeId };
    await server.client.startJob({ params });
    await expect(server.client.startJob({ params })).rejects.toThrow(/replied 500.*invalid status=running/);
  });

  it('the stand-in for Torc’s own server releases a dependent when its background task runs, and not with the end of the job', async () => {
    const { id, first, second, nodeId } = await chain();
    const { job_id, attempt_id } = started({ id: first, attempt_id: 1 });
    const result = {
      job_id,
      attempt_id,
      workflow_id: id,
      run_id: 1,
      compute_node_id: nodeId,
      return_code: 0,
      exec_time_minutes: 0,
      completion_time: '2026-03-01T12:00:01.000Z',
      status: 'completed' as const,
    };
    const entry = { job_id, status: 'completed' as const, run_id: 1, result };
    const answer = await server.client.batchCompleteJobs({ params: { id }, body: { completions: [entry] } });
    expect(answer.completed).toEqual([first]);
    expect(await statusOf(second)).toBe('blocked');
    await server.unblock();
    expect(await statusOf(second)).toBe('ready');
  });

  it('streams the events of the original without ids, whatever types are asked for', async () => {
    const { id, first, nodeId } = await chain();
    const abort = new AbortController();
    const stream = await fetch(`${server.url}/workflows/${id}/events/stream?types=jobs_ready`, {
      signal: abort.signal,
    });
    await server.client.startJob({ params: { id: first, run_id: 1, compute_node_id: nodeId } });
    await server.client.initializeJobs({ params: { id } });
    let text = '';
    for await (const part of stream.body as ReadableStream<Uint8Array>) {
      text += Buffer.from(part).toString('utf8');
      if (text.includes('workflow_reinitialized')) break;
    }
    abort.abort();
    expect(text).toContain('event: job_started');
    expect(text).not.toMatch(/^id:/m);
    expect(text).not.toContain('jobs_ready');
  });

  it('the stand-in for Torc’s own server carries a request out and loses its answer where a test asks for that', async () => {
    server.loseAnswer('POST', /^\/workflows$/);
    const before = (await server.client.listWorkflows({})).total_count;
    await expect(server.client.createWorkflow({ body: { name: 'lost', user: 'u' } })).rejects.toThrow('no reply');
    expect((await server.client.listWorkflows({})).total_count).toBe(before + 1);
  });
});

/** Some of its lists take an order of rows, others ignore it: `--sort-by` has no effect there. */
const SORTING = new Set(['sort_by', 'reverse_sort']);
