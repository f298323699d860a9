import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { longestWait } from '../../../tests/support/longest-wait.ts';
import { createApp } from './app.ts';
import { createReader, type ReadThreads } from './reader.ts';
import { openDatabase } from '../store/database.ts';
import { createStore, type Store } from '../records/store.ts';
import { BASE_PATH } from '../../core/contract/base-path.ts';

const JOBS = 30_000;

/** A workflow of many jobs and edges, written directly into the database. */
function fill(store: Store): void {
  store.db.run(`
    begin;
    insert into workflow (name, user, timestamp) values ('w', 'u', '2026');
    insert into resource_requirements (workflow_id, name, num_cpus, num_gpus, num_nodes, memory, runtime, memory_bytes, runtime_s)
      values (1, 'default', 1, 0, 1, '1m', 'PT1M', 1048576, 60);
    insert into job_class (workflow_id, resource_requirements_id) values (1, 1);
    with recursive n (n) as (select 1 union all select n + 1 from n where n < ${JOBS})
      insert into job (workflow_id, name, command, resource_requirements_id, class_id, env, status)
      select 1, 'job-' || (n % 7) || '-' || n, 'echo ' || n, 1, 1, '{"A":"' || n || '"}', 2 from n;
    insert into job_depends_on (job_id, depends_on_job_id, workflow_id) select id, 1, 1 from job where id > 1;
    commit`);
}

describe.each(['in a file', 'in memory'])('a read of many rows of a database %s', (where) => {
  let folder: string;
  let store: Store;
  let reader: ReadThreads | undefined;
  let app: ReturnType<typeof createApp>;
  const errors: unknown[] = [];

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'wide-'));
    const path = where === 'in memory' ? ':memory:' : join(folder, 'wide.db');
    store = createStore(openDatabase(path), { now: () => 0, onBroken: (error) => errors.push(error) });
    fill(store);
    reader = where === 'in memory' ? undefined : createReader(path);
    app = createApp(store, { reader, onError: (error) => errors.push(error) });
  });
  afterAll(async () => {
    await reader?.close();
    store.db.close();
    rmSync(folder, { recursive: true });
    expect(errors).toEqual([]);
  });

  const ask = async (path: string) => {
    const response = await app.request(BASE_PATH + path);
    return { status: response.status, text: await response.text(), headers: response.headers };
  };
  /** The reply to the same request when it is read at once. */
  const atOnce = async (path: string) => {
    const withoutReader = createApp(store, { onError: (error) => errors.push(error) });
    return (await withoutReader.request(BASE_PATH + path)).text();
  };

  it('a read of many rows blocks no other request', async () => {
    await ask('/jobs?workflow_id=1&limit=1');
    let bytes = 0;
    const longest = await longestWait(async () => {
      const { text } = await ask('/jobs?workflow_id=1');
      bytes = text.length;
    });
    expect(bytes).toBeGreaterThan(5_000_000);
    expect(longest).toBeLessThan(150);
  });

  it.each([
    '/jobs?workflow_id=1',
    `/jobs?workflow_id=1&offset=${JOBS - 700}`,
    '/jobs?workflow_id=1&limit=1200&offset=5&sort_by=name&reverse_sort=true',
    '/jobs?workflow_id=1&name=job-3-&include_relationships=true&limit=900',
    '/jobs?workflow_id=1&offset=99999999',
    `/workflows/1/job_dependencies?limit=0&offset=${JOBS - 3_000}`,
    '/workflows/1/job_dependencies?limit=2000&offset=-5',
    '/workflows',
    '/workflows/1/job_ids',
    '/workflows/1/ready_job_requirements',
    '/jobs/2',
  ])('%s has the same envelope and rows as when it is read at once', async (path) => {
    const { status, text, headers } = await ask(path);
    expect(status).toBe(200);
    expect(Number(headers.get('content-length') ?? text.length)).toBe(Buffer.byteLength(text));
    const { items, ...envelope } = JSON.parse(text) as { items?: { id?: number }[]; count?: number };
    expect(envelope.count ?? items?.length).toBe(items?.length ?? envelope.count);
    if (where === 'in a file') expect(text === (await atOnce(path))).toBe(true);
  });

  it('a read of many rows has each row once, in order', async () => {
    const { items, ...envelope } = JSON.parse((await ask('/jobs?workflow_id=1&offset=10&limit=25000')).text) as {
      items: { id: number }[];
    };
    expect(items.map(({ id }) => id)).toEqual(Array.from({ length: 25_000 }, (_, index) => index + 11));
    expect(envelope).toEqual({ offset: 10, max_limit: 100_000, count: 25_000, total_count: JOBS, has_more: true });
  });

  it.each([
    ['/jobs?workflow_id=1&limit=-1', 400, 'limit cannot be negative'],
    ['/jobs?workflow_id=1&limit=100001', 400, 'Limit cannot exceed 100000'],
    ['/jobs?workflow_id=1&offset=-1', 400, 'offset cannot be negative'],
    ['/jobs?workflow_id=99', 404, 'Workflow not found with ID: 99'],
    ['/jobs/99999999', 404, 'Job not found with ID: 99999999'],
  ])('an invalid page such as %s is refused', async (path, status, message) => {
    const answer = await ask(path);
    expect([answer.status, (JSON.parse(answer.text) as { error: { message: string } }).error.message]).toEqual([
      status,
      message,
    ]);
  });

  it('a read of many rows includes everything that was acknowledged before', async () => {
    const changed = await app.request(`${BASE_PATH}/jobs/5/manage_status_change/disabled/0`, { method: 'PUT' });
    expect(changed.status).toBe(200);
    const { items } = JSON.parse((await ask('/jobs?workflow_id=1&status=disabled')).text) as {
      items: { id: number }[];
    };
    expect(items.map(({ id }) => id)).toEqual([5]);
  });
});
