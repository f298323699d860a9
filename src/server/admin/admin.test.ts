import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createParser } from 'eventsource-parser';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { basic, clientOf, testService, workflowOf } from '../../../tests/support/service.ts';
import { BASE_PATH } from '../../core/contract/base-path.ts';
import { serve, type RunningServer } from '../serve.ts';

const sql = (text: string, over: object = {}) => ({ body: { sql: text, ...over } });
const rename = "update job set name = 'renamed' where name = 'a'";

describe('SQL of an administrator', () => {
  it('SQL reads rows as objects, with distinct names for columns of one name, and blobs as hexadecimal digits', async () => {
    const service = testService();
    await workflowOf(service, [{ name: 'a' }, { name: 'b' }]);
    const { client } = service;
    expect(await client.runSql(sql("select id, id, name, x'00ff' as raw, null as none from job order by id;"))).toEqual(
      {
        columns: ['id', 'id_2', 'name', 'raw', 'none'],
        items: [
          { id: 1, id_2: 1, name: 'a', raw: '00ff', none: null },
          { id: 2, id_2: 2, name: 'b', raw: '00ff', none: null },
        ],
        committed: false,
      },
    );
    expect((await client.runSql(sql('select id from job', { limit: 1 }))).items).toHaveLength(1);
    expect(await client.runSql(sql('select id from job where 0'))).toMatchObject({ columns: [], items: [] });
    expect((await client.runSql(sql('select 9007199254740993 as big'))).items).toEqual([{ big: '9007199254740993' }]);
  });

  it('SQL without write=true changes nothing, and a failing statement reports its error', async () => {
    const service = testService();
    await workflowOf(service, [{ name: 'a' }]);
    const { client } = service;
    await expect(client.runSql(sql(`with x as (select 1) ${rename}`))).rejects.toThrow('Query failed: ');
    await expect(client.runSql(sql('select * from nowhere'))).rejects.toMatchObject({
      status: 422,
      message: expect.stringContaining('Query failed: no such table: nowhere') as string,
    });
    // The read-only mode ended with the statement.
    await client.createWorkflow({ body: { name: 'w', user: 'u' } });
    expect((await client.getJob({ params: { id: 1 } })).name).toBe('a');
  });

  it('SQL with write=true changes rows and is recorded in the audit log; a dry run changes and records nothing', async () => {
    const service = testService();
    await workflowOf(service, [{ name: 'a' }]);
    const { client, clock } = service;
    const tried = await client.runSql(sql(rename, { write: true, dry_run: true }));
    expect(tried).toEqual({ columns: [], items: [], committed: false, rows_affected: 1 });
    expect((await client.getJob({ params: { id: 1 } })).name).toBe('a');

    const done = await client.runSql(sql(rename, { write: true }));
    expect(done).toEqual({ columns: [], items: [], committed: true, rows_affected: 1 });
    expect((await client.getJob({ params: { id: 1 } })).name).toBe('renamed');
    const failing = "update job set status = 99 where name = 'renamed'";
    await expect(client.runSql(sql(failing, { write: true }))).rejects.toThrow('Statement failed: CHECK constraint');

    const { items, total_count: total } = await client.listAuditLog({ query: {} });
    expect(total).toBe(2);
    expect(items.map(({ sql_text: text, success, committed }) => [text, success, committed])).toEqual([
      [failing, false, false],
      [rename, true, true],
    ]);
    expect(items[1]).toEqual({
      id: 1,
      user_name: 'anonymous',
      timestamp: clock.now,
      sql_text: rename,
      is_write: true,
      allow_full_table: false,
      committed: true,
      success: true,
      rows_affected: 1,
    });
    expect((await client.listAuditLog({ query: { limit: -3, offset: -1 } })).items).toHaveLength(2);
    expect((await client.listAuditLog({ query: { limit: 1, offset: 1 } })).items[0]).toMatchObject({ id: 1 });
  });

  it.each([
    "delete from 'admin_audit_log'",
    'delete from "admin_audit_log" where true',
    'delete from [Admin_Audit_Log]',
    'delete from main.`admin_audit_log`',
    "update 'admin_audit_log' set error = 'x'",
    "insert into 'admin_audit_log' select * from admin_audit_log",
    "with x as (select 1) delete from 'admin_audit_log'",
  ])('SQL cannot change the audit log, however it is written: %s', async (text) => {
    const service = testService();
    await workflowOf(service, [{ name: 'a' }]);
    await service.client.runSql(sql(rename, { write: true }));
    const refused = service.client.runSql(sql(text, { write: true, allow_full_table: true }));
    await expect(refused).rejects.toMatchObject({
      status: 422,
      message: expect.stringContaining('the audit log cannot be changed') as string,
    });
    const { items } = await service.client.listAuditLog({ query: {} });
    expect(items.map(({ sql_text: said, success }) => [said, success])).toEqual([
      [text, false],
      [rename, true],
    ]);
  });

  it.each([
    ['create index mine on job (name)', 'job is a table of the server: no index can be added to it'],
    ['create table Job (id)', 'job is a table of the server'],
    ['create view mine as select * from job', 'views, triggers, temporary and virtual tables are not allowed'],
    ['create temp table mine (id)', 'views, triggers, temporary and virtual tables are not allowed'],
    ['create trigger t after insert on job begin delete from job; end', 'Only a single SQL statement'],
    ['create virtual table mine using fts5(a)', 'views, triggers, temporary and virtual tables are not allowed'],
    ['create table mine (id references job (id))', 'the table mine refers to job, a table of the server'],
    ["update sqlite_master set sql = '' where true", 'sqlite_master may not be modified'],
    ['delete from sqlite_sequence where true', 'sqlite_sequence belongs to SQLite'],
    ["insert into job select * from pragma_journal_mode('delete')", 'Statement failed'],
  ])("SQL cannot change the structure of the server's tables: %s", async (text, words) => {
    const service = testService();
    await workflowOf(service, [{ name: 'a' }]);
    // Creates sqlite_sequence.
    await service.client.runSql(sql('create table counted (id integer primary key autoincrement)', { write: true }));
    const schema = async () => (await service.client.runSql(sql('select sql from sqlite_master'))).items;
    const before = await schema();
    await expect(service.client.runSql(sql(text, { write: true }))).rejects.toThrow(words);
    expect(await schema()).toEqual(before);
    expect(await service.client.createWorkflow({ body: { name: 'w', user: 'u' } })).toMatchObject({ name: 'w' });
  });

  it('SQL creates additional tables and indexes, fills them, and is audited', async () => {
    const { client } = testService();
    const write = (text: string) => client.runSql(sql(text, { write: true, allow_full_table: true }));
    expect(await write('-- mine\ncreate table mine (id integer primary key, note text)')).toMatchObject({
      committed: true,
      rows_affected: 0,
    });
    await write('create index mine_note on mine (note)');
    expect(await write("insert into mine (note) values ('a'), ('b')")).toMatchObject({ rows_affected: 2 });
    await write('create table copied as select * from mine');
    expect(await write('delete from mine')).toMatchObject({ rows_affected: 2 });
    expect((await client.runSql(sql('select * from copied'))).items).toEqual([
      { id: 1, note: 'a' },
      { id: 2, note: 'b' },
    ]);
    expect((await client.listAuditLog({ query: {} })).total_count).toBe(5);
    await client.runSql(sql('create table tried (id)', { write: true, dry_run: true }));
    await expect(client.runSql(sql('select * from tried'))).rejects.toThrow('no such table: tried');
  });

  it.each(["attach ':memory:' as other", "select * from pragma_journal_mode('delete')"])(
    'a read cannot access anything else: %s',
    async (text) => {
      await expect(testService().client.runSql(sql(text))).rejects.toMatchObject({ status: 422 });
    },
  );

  it('a read can describe tables', async () => {
    const reply = await testService().client.runSql(sql("select name from pragma_table_info('task') limit 1"));
    expect(reply.items).toHaveLength(0);
    const job = await testService().client.runSql(sql("select name from pragma_table_info('job') where name = 'id'"));
    expect(job.items).toEqual([{ name: 'id' }]);
  });

  it('a read returns at most 8 MiB, and otherwise says what to do', async () => {
    const { client } = testService();
    const rows = (count: number) =>
      client.runSql(
        sql(`with recursive n(i) as (values (1) union all select i + 1 from n where i < ${count})
          select i, hex(zeroblob(500)) as text from n`),
      );
    expect((await rows(1_000)).items).toHaveLength(1_000);
    await expect(rows(20_000)).rejects.toThrow('the reply is larger than 8 MiB after');
  });

  it('the audit log keeps entries of a deleted workflow', async () => {
    const service = testService();
    const { id } = await workflowOf(service, [{ name: 'a' }]);
    await service.client.runSql(sql(rename, { write: true }));
    await service.client.deleteWorkflow({ params: { id } });
    expect((await service.client.listAuditLog({ query: {} })).total_count).toBe(1);
  });

  it.each([
    ['nothing', 'select 1', {}, 'admin SQL is disabled on this server'],
    ['nothing', rename, { write: true }, 'admin SQL is disabled on this server'],
    ['reads', rename, { write: true }, 'admin SQL writes are disabled on this server'],
  ] as const)('a server that allows %s refuses %s', async (adminSql, text, over, words) => {
    const { client } = testService({ adminSql });
    await expect(client.runSql(sql(text, over))).rejects.toMatchObject({
      status: 403,
      message: expect.stringContaining(words) as string,
    });
    expect((await client.listAuditLog({ query: {} })).items).toEqual([]);
  });

  it('a server that allows only reads still reads', async () => {
    expect((await testService({ adminSql: 'reads' }).client.runSql(sql('select 1 as one'))).items).toEqual([
      { one: 1 },
    ]);
  });
});

describe('SQL of an administrator on a server with a port', () => {
  const folder = mkdtempSync(join(tmpdir(), 'torc-admin-'));
  let service: RunningServer | undefined;
  afterEach(async () => {
    await service?.close();
    service = undefined;
  });
  afterAll(() => rmSync(folder, { recursive: true }));
  const start = async (database: string) => {
    const fail = (error: unknown) => {
      throw error;
    };
    service = await serve({ database, host: '127.0.0.1', port: 0, onError: fail, onBroken: fail });
    return clientOf(service.port);
  };

  it('SQL of an administrator on a server with a port reads of a database file run in a separate process, and see the latest writes', async () => {
    const client = await start(join(folder, 'torc.db'));
    await client.createWorkflow({ body: { name: 'w', user: 'u' } });
    expect((await client.runSql(sql('select name from workflow'))).items).toEqual([{ name: 'w' }]);
    await expect(client.runSql(sql('select broken'))).rejects.toThrow('Query failed: no such column: broken');
  });

  it('SQL of an administrator on a server with a port writes to a database file run in a separate process, and are audited in the same transaction', async () => {
    const client = await start(join(folder, 'written.db'));
    await client.createWorkflow({ body: { name: 'w', user: 'u' } });
    const change = "update workflow set name = 'changed' where id = 1";
    expect(await client.runSql(sql(change, { write: true, dry_run: true }))).toMatchObject({ rows_affected: 1 });
    expect((await client.getWorkflow({ params: { id: 1 } })).name).toBe('w');
    expect(await client.runSql(sql(change, { write: true }))).toMatchObject({ committed: true, rows_affected: 1 });
    expect((await client.getWorkflow({ params: { id: 1 } })).name).toBe('changed');
    await client.runSql(sql('create table mine (id integer)', { write: true }));
    const forbidden = client.runSql(sql("delete from 'admin_audit_log'", { write: true, allow_full_table: true }));
    await expect(forbidden).rejects.toThrow('the audit log cannot be changed');
    const { items } = await client.listAuditLog({ query: {} });
    expect(items.map(({ success }) => success)).toEqual([false, true, true]);
  });

  it('a write that takes too long is ended and rolled back, and other requests are served meanwhile', async () => {
    const client = await start(join(folder, 'slow.db'));
    await client.createWorkflow({ body: { name: 'w', user: 'u' } });
    const forEver = `insert into event (workflow_id, timestamp, data)
      with recursive n(i) as (values (1) union all select i + 1 from n) select 1, i, '{}' from n`;
    let isEnded = false;
    const slow = client.runSql(sql(forEver, { write: true })).finally(() => {
      isEnded = true;
    });
    const outcome = expect(slow).rejects.toMatchObject({
      status: 422,
      message: expect.stringContaining('ended after 4 s and rolled back') as string,
    });
    let longestMs = 0;
    while (!isEnded) {
      const startedAt = performance.now();
      await client.listWorkflows({ query: {} });
      longestMs = Math.max(longestMs, performance.now() - startedAt);
      await new Promise((resolve) => void setImmediate(resolve));
    }
    await outcome;
    // Where they waited for it, one would take its 4 s.
    expect(longestMs).toBeLessThan(3_800);
    expect((await client.listEvents({ query: { workflow_id: 1 } })).items).toEqual([]);
    await client.createWorkflow({ body: { name: 'after', user: 'u' } });
    expect((await client.listAuditLog({ query: {} })).items).toMatchObject([{ success: false, sql_text: forEver }]);
  });

  it('a read that is too large is refused, and a value of a gigabyte is not read', async () => {
    const client = await start(join(folder, 'large.db'));
    const numbers = 'with recursive n(i) as (values (1) union all select i + 1 from n)';
    await expect(client.runSql(sql(`${numbers} select i, hex(zeroblob(500)) as text from n`))).rejects.toThrow(
      'the reply is larger than 8 MiB',
    );
    await expect(client.runSql(sql('select zeroblob(999999999)'))).rejects.toThrow('too big');
  });

  it('the traffic counters include all replies, also refusals', async () => {
    const client = await start(':memory:');
    await client.ping({});
    await expect(client.getWorkflow({ params: { id: 9 } })).rejects.toMatchObject({ status: 404 });
    const { buckets, ...of } = await client.getApiStats({ query: { window_seconds: 7_200, interval_seconds: 1_800 } });
    expect(of).toMatchObject({ interval_seconds: 1_800, window_seconds: 3_600 });
    expect(buckets).toHaveLength(2);
    const total = (field: 'request_count' | 'status_2xx' | 'status_4xx' | 'status_5xx') =>
      buckets.reduce((sum, bucket) => sum + bucket[field], 0);
    expect([total('request_count'), total('status_2xx'), total('status_4xx'), total('status_5xx')]).toEqual([
      2, 1, 1, 0,
    ]);
    expect(buckets.some((bucket) => bucket.bytes_out > 100)).toBe(true);
    await expect(client.getApiStats({ query: { interval_seconds: 0 } })).rejects.toThrow('expected 1 or more, found 0');
  });

  it('the traffic stream reports replies, with bodies on request and never with credentials', async () => {
    const client = await start(':memory:');
    const at = `http://127.0.0.1:${service?.port}${BASE_PATH}/admin/api-events/stream`;
    const stop = new AbortController();
    const feeds = await Promise.all(
      ['', '?include_bodies=true'].map((query) => fetch(at + query, { signal: stop.signal })),
    );
    const readers = feeds.map((feed) => (feed.body as ReadableStream<Uint8Array>).getReader());
    const events = async (reader: (typeof readers)[number], wanted: number) => {
      const found: Record<string, unknown>[] = [];
      const decoder = new TextDecoder();
      const parser = createParser({ onEvent: ({ data }) => found.push(JSON.parse(data) as Record<string, unknown>) });
      while (found.length < wanted) parser.feed(decoder.decode((await reader.read()).value));
      return found;
    };
    await client.createWorkflow({ body: { name: 'n'.repeat(9_000), user: 'u' } });
    await fetch(`http://127.0.0.1:${service?.port}${BASE_PATH}/workflows/7?x=1`, {
      headers: { Authorization: basic('ann', 'secret'), Cookie: 'secret', 'X-Torc-Client-User': 'ann' },
    });
    // A start token is as good as a login.
    const { token } = await client.createPageToken({});
    const [heads, bodies] = await Promise.all(readers.map((reader) => events(reader, 3)));
    expect(JSON.stringify([heads, bodies])).not.toContain(token);
    expect(heads?.map(({ method, path, query, status, user }) => [method, path, query, status, user])).toEqual([
      ['POST', '/workflows', undefined, 200, 'anonymous'],
      ['GET', '/workflows/7', 'x=1', 404, 'ann'],
      ['POST', '/page_tokens', undefined, 200, 'anonymous'],
    ]);
    expect(heads?.every((event) => /^\d+$/.test(event['request_id'] as string))).toBe(true);
    expect(heads?.every((event) => !('request_body' in event) && !('response_body' in event))).toBe(true);
    const text = JSON.stringify({ name: 'n'.repeat(9_000), user: 'u' }).slice(0, 8_192);
    expect(bodies?.[0]?.['request_body']).toEqual({ bytes: 9_022, truncated: true, text });
    expect(JSON.stringify([heads, bodies])).not.toContain('secret');
    stop.abort();
  });
});
