import { describe, expect, it } from 'vitest';
import { BASE_PATH } from '../../core/contract/base-path.ts';
import { testService, workflowOf } from '../../../tests/support/service.ts';

const asked = (service: ReturnType<typeof testService>, path: string, body: object, key?: string, user?: string) =>
  service.app.request(BASE_PATH + path, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      'Content-Length': String(JSON.stringify(body).length),
      ...(key === undefined ? {} : { 'Idempotency-Key': key }),
      ...(user === undefined ? {} : { Authorization: `Basic ${Buffer.from(`${user}:`).toString('base64')}` }),
    },
    body: JSON.stringify(body),
  });
const workflow = { name: 'one', user: 'ada' };
const count = async ({ client }: ReturnType<typeof testService>) =>
  (await client.listWorkflows({ query: {} })).total_count;

describe('a request with an Idempotency-Key', () => {
  it('a repeated request creates once and gets the first reply', async () => {
    const service = testService();
    const first = await (await asked(service, '/workflows', workflow, 'k1')).json();
    const second = await (await asked(service, '/workflows', workflow, 'k1')).json();
    expect(second).toEqual(first);
    expect(await count(service)).toBe(1);
  });

  it('a request with another key, or without one, creates again', async () => {
    const service = testService();
    for (const key of ['k1', 'k2', undefined, undefined]) await asked(service, '/workflows', workflow, key);
    expect(await count(service)).toBe(4);
  });

  it('a repeated claim is executed once, also after a restart of the server', async () => {
    const service = testService();
    const { id } = await workflowOf(service, [{ name: 'a' }, { name: 'b' }]);
    const claim = `/workflows/${id}/claim_next_jobs?limit=1`;
    const first = await (await asked(service, claim, {}, 'k1')).json();
    const restarted = testService({ store: service.store });
    expect(await (await asked(restarted, claim, {}, 'k1')).json()).toEqual(first);
    const { jobs_by_status: counts } = await service.client.getWorkflowStatus({ params: { id } });
    expect(counts).toMatchObject({ pending: 1, ready: 1 });
  });

  it('a request that was refused is executed when it is repeated after the cause is gone', async () => {
    const service = testService();
    const node = { workflow_id: 1, hostname: 'h', pid: 1, start_time: '', num_cpus: 1, memory_gb: 1 };
    const body = { ...node, num_gpus: 0, num_nodes: 1, compute_node_type: 'local' };
    expect((await asked(service, '/compute_nodes', body, 'k1')).status).toBe(404);
    await asked(service, '/workflows', workflow);
    expect((await asked(service, '/compute_nodes', body, 'k1')).status).toBe(200);
  });

  it('a key that was used for another request is refused', async () => {
    const service = testService();
    await asked(service, '/workflows', workflow, 'k1');
    const other = await asked(service, '/workflows', { ...workflow, name: 'another' }, 'k1');
    expect([other.status, await other.json()]).toMatchObject([422, { error: { code: 'IDEMPOTENCY_KEY_REUSED' } }]);
    expect(await count(service)).toBe(1);
  });

  it.each(['', 'two words', 'x'.repeat(256)])('the key "%s" is refused', async (key) => {
    const service = testService();
    const answer = await asked(service, '/workflows', workflow, key);
    expect([answer.status, await count(service)]).toEqual([400, 0]);
  });

  it('a repeated request is executed again after an hour, because stored replies expire', async () => {
    const service = testService();
    await asked(service, '/workflows', workflow, 'k1');
    service.clock.now += 3_600_001;
    // The next stored reply removes the expired ones.
    await asked(service, '/workflows', workflow, 'k2');
    await asked(service, '/workflows', workflow, 'k1');
    expect(await count(service)).toBe(3);
  });
});
