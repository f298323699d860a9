import { request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { pathOf } from '../../src/client/client.ts';
import { BASE_PATH } from '../../src/core/contract/base-path.ts';
import { sortFields } from '../../src/core/contract/sort-fields.ts';
import { type Route, routes } from '../../src/core/contract/routes.ts';
import { answerOf } from '../support/listening.ts';
import { unharmedServer } from './unharmed.ts';

/** What no client of ours sends: broken bodies, and too much of everything. */
const unharmed = unharmedServer();

const MEBIBYTE = 2 ** 20;
const withBody = Object.entries(routes as Record<string, Route>).filter(([, { body }]) => body !== undefined);
const pathFor = ({ path }: Route) =>
  pathOf(path, { id: 1, action_id: 1, message_id: 1, compute_node_id: 1, run_id: 1, limit: 1, status: 'ready' });

describe('a body', () => {
  it.each([
    ['nothing', ''],
    ['half of it', '{"name": "a", "user": '],
    ['two of them', '{}{}'],
    ['one with a comma too many', '{"name": "a",}'],
    ['one with single quotes', "{'name': 'a'}"],
    ['NaN', '{"name": NaN}'],
    ['a control letter in text', '{"name": "a\nb"}'],
    ['a NUL', '\0'],
    ['a byte order mark', '\ufeff{}'],
    ['a hundred thousand open brackets', '['.repeat(100_000)],
    ['XML', '<workflow/>'],
    ['a form', 'name=a&user=b'],
    ['bytes that are not text', Buffer.from([0x80, 0x81, 0xfe, 0xff])],
  ])('a body that is %s is no JSON, and is refused as such', async (_, body) => {
    const { status, error } = await unharmed.server.send({ method: 'POST', path: '/workflows', body });
    expect([status, error.code]).toEqual([400, 'BODY_MALFORMED']);
    expect(error.message).toContain('Failed to parse the request body as JSON: ');
  });

  it('a body that is text but for one byte is refused, and nothing of it is taken for something else', async () => {
    const body = Buffer.concat([Buffer.from('{"name": "a'), Buffer.from([0xff]), Buffer.from('", "user": "u"}')]);
    const { status, error } = await unharmed.server.send({ method: 'POST', path: '/workflows', body });
    expect([status, error.code, error.message]).toEqual([
      400,
      'BODY_MALFORMED',
      'Failed to parse the request body as JSON: it is not UTF-8',
    ]);
  });

  it.each([
    [{ 'Content-Type': 'application/json; charset=utf-16' }, 'expected JSON in UTF-8, found charset utf-16'],
    [{ 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' }, 'found Content-Encoding: gzip'],
  ])('a body that is written otherwise (%j) is refused', async (headers, words) => {
    const sent = { method: 'POST', path: '/workflows', headers, body: '{"name": "a", "user": "u"}' };
    const { status, error } = await unharmed.server.send(sent);
    expect([status, error.code]).toEqual([415, 'CONTENT_TYPE_REFUSED']);
    expect(error.message).toContain(words);
  });

  it('a body that is wrong in many places is refused with the first of them', async () => {
    const jobs = Array.from({ length: 1_000 }, () => ({ workflow_id: 1, name: 7, command: 'c' }));
    const { status, error, text } = await unharmed.server.send({
      method: 'POST',
      path: '/bulk_jobs',
      body: JSON.stringify({ jobs }),
    });
    expect([status, error.code]).toEqual([422, 'BODY_REFUSED']);
    expect(error.message).toContain('jobs[19].name: ');
    expect(error.message).toContain('; and 980 more');
    expect(text.length).toBeLessThan(5_000);
  });

  it.each(withBody)('a body that does not say what it is, is refused by %s', async (_, route) => {
    for (const type of [undefined, 'text/plain', 'application/x-www-form-urlencoded', 'application/jsonp', 'json']) {
      const headers = type === undefined ? {} : { 'Content-Type': type };
      const { status, error } = await unharmed.server.send({
        method: route.method,
        path: pathFor(route),
        headers,
        body: '{}',
      });
      expect([type, status, error.code]).toEqual([type, 415, 'CONTENT_TYPE_REFUSED']);
    }
  });

  it.each(withBody)('a body that says it is too long for %s is refused before it comes', async (_, route) => {
    const bytes = (route.bodyMebibytes ?? 2) * MEBIBYTE + 1;
    const asked = request({
      host: '127.0.0.1',
      port: unharmed.server.port,
      method: route.method,
      path: BASE_PATH + pathFor(route),
      headers: { 'Content-Type': 'application/json', 'Content-Length': bytes },
    });
    asked.write('{');
    const { status, error } = await answerOf(asked);
    expect([status, error.code]).toEqual([413, 'BODY_TOO_LARGE']);
    expect(error.message).toContain(`${route.bodyMebibytes ?? 2} MiB`);
    asked.destroy();
  });

  it('a body that goes on for ever is refused once it is too long', async () => {
    const asked = request({
      host: '127.0.0.1',
      port: unharmed.server.port,
      method: 'POST',
      path: `${BASE_PATH}/files`,
      headers: { 'Content-Type': 'application/json' },
    });
    const answer = answerOf(asked);
    for (let sent = 0; sent <= 3; sent += 1) asked.write('x'.repeat(MEBIBYTE));
    const { status, error } = await answer;
    expect([status, error.code]).toEqual([413, 'BODY_TOO_LARGE']);
    asked.destroy();
  });

  it.each([
    ['bulk_files', { files: many({ workflow_id: 1, name: 'f', path: 'p' }) }, 'Too many files in batch'],
    ['bulk_user_data', { user_data: many({ workflow_id: 1, name: 'u' }) }, 'Too many user_data entries in batch'],
    ['bulk_jobs', { jobs: many({ workflow_id: 1, name: 'j', command: 'c' }) }, 'Too many jobs in batch'],
  ])('a body of %s with more than 100,000 records is refused', async (path, body, words) => {
    const { status, error } = await unharmed.server.send({
      method: 'POST',
      path: `/${path}`,
      body: JSON.stringify(body),
    });
    expect([status, error.code]).toEqual([422, 'BODY_REFUSED']);
    expect(error.message).toContain(`${words}: 100001. Maximum is 100000`);
  });

  it('a body may be deep where no shape reads it', async () => {
    unharmed.mayWrite();
    const body = `{"name": "a", "user": "b", "unknown": ${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    expect((await unharmed.server.send({ method: 'POST', path: '/workflows', body })).status).toBe(200);
  });

  it('a body of 100,000 jobs that wait for each other in a circle is refused in time', async () => {
    unharmed.mayWrite();
    const offer = { num_cpus: 8, memory_gb: 16, num_gpus: 0, num_nodes: 1 };
    await unharmed.server.client.claimJobsBasedOnResources({ params: { id: 1, limit: 1 }, body: offer });
    await unharmed.server.client.startJob({ params: { id: 1, run_id: 1, compute_node_id: 1 } });
    const jobs = Array.from({ length: 100_000 }, (_, index) => ({
      name: `j${index}`,
      command: 'true',
      depends_on: [`j${(index + 1) % 100_000}`],
    }));
    const { status, error } = await unharmed.server.send({
      method: 'POST',
      path: '/jobs/1/spawn_jobs',
      body: JSON.stringify({ jobs }),
    });
    expect([status, error.code]).toEqual([422, 'CIRCLE']);
  });
});

describe('a list', () => {
  const lists = Object.entries(routes as Record<string, Route>).filter(
    ([, { query }]) => query !== undefined && 'offset' in query.shape,
  );
  /** These take any page for the nearest that there is. */
  const CLAMPED = ['listJobDependencies', 'listJobFileRelationships', 'listJobUserDataRelationships', 'listAuditLog'];
  const ask = (route: Route, query: string) =>
    unharmed.server.send({
      method: 'GET',
      path: `${pathOf(route.path, { id: 1, user_name: 'ada' })}?workflow_id=1&${query}`,
    });

  it.each(lists)('%s ends after its end, however far one asks', async (name, route) => {
    const { status, text } = await ask(route, `offset=${Number.MAX_SAFE_INTEGER}&limit=100000`);
    expect([name, status, (JSON.parse(text) as { items: unknown[] }).items]).toEqual([name, 200, []]);
  });

  it.each(lists.filter(([name]) => !CLAMPED.includes(name)))('%s has no pages before its begin', async (_, route) => {
    for (const [query, words] of [
      ['offset=-1', 'offset cannot be negative'],
      ['limit=-1', 'limit cannot be negative'],
      [`limit=${Number.MIN_SAFE_INTEGER}`, 'limit cannot be negative'],
    ] as const) {
      const { status, error } = await ask(route, query);
      expect([status, error.code, error.message]).toEqual([400, 'PARAMETER_REFUSED', words]);
    }
  });

  it.each(lists)('%s sorts by what it knows and passes over what it does not', async (name, route) => {
    for (const column of [
      ...new Set(Object.values(sortFields).flat()),
      '',
      'nonsense',
      'id desc',
      "id'--",
      'id;drop table job',
      '(select 1)',
      'workflow.id',
      '1',
    ]) {
      const { status } = await ask(route, `sort_by=${encodeURIComponent(column)}&reverse_sort=true`);
      expect([name, column, status]).toEqual([name, column, 200]);
    }
  });

  it.each(['constructor', '__proto__', 'toString'])('a list passes over %s, which every object has', async (column) => {
    expect((await ask(routes.listFiles, `sort_by=${column}`)).status).toBe(200);
  });

  it('a list takes a filter for nothing but text', async () => {
    for (const text of ["'", '"', "' or 1=1 --", '%', '_', '\\', '*', '?1', ':name', '%27', 'ß', '\u{10ffff}']) {
      const query = `workflow_id=1&name=${encodeURIComponent(text)}`;
      for (const path of ['jobs', 'files', 'user_data', 'resource_requirements']) {
        const { status, text: body } = await unharmed.server.send({ method: 'GET', path: `/${path}?${query}` });
        expect([path, text, status, (JSON.parse(body) as { count: number }).count]).toEqual([path, text, 200, 0]);
      }
    }
  });
});

function many<Record>(record: Record): Record[] {
  return Array.from({ length: 100_001 }, () => record);
}
