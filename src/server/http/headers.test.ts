import { expect, it } from 'vitest';
import { testService } from '../../../tests/support/service.ts';
import { BASE_PATH } from '../../core/contract/base-path.ts';

it.each([
  ['a successful reply', '/ping', 200],
  ['a refusal', '/workflows/9', 404],
  ['a reply for an unknown path', '/nonsense', 404],
  ['a reply for an unknown method', '/bulk_jobs', 405],
  ['the OpenAPI document', '/openapi.json', 200],
])('%s has a request id, the client’s if it sent one, and cannot be rendered as a page', async (_, path, status) => {
  const { app } = testService();
  const named = await app.request(BASE_PATH + path, { headers: { 'X-Span-ID': 'mine' } });
  expect([named.status, named.headers.get('X-Span-ID')]).toEqual([status, 'mine']);
  expect([named.headers.get('X-Content-Type-Options'), named.headers.get('X-Frame-Options')]).toEqual([
    'nosniff',
    'DENY',
  ]);
  expect(named.headers.get('Content-Type')).toBe('application/json');
  expect((await app.request(BASE_PATH + path)).headers.get('X-Span-ID')).toMatch(/^\d+$/);
});

it('a refused login gets the same headers', async () => {
  const { app } = testService({ credential: 'secret' });
  const { status, headers } = await app.request(`${BASE_PATH}/ping`, { headers: { 'X-Span-ID': 'mine' } });
  expect([status, headers.get('X-Span-ID'), headers.get('WWW-Authenticate')]).toEqual([
    401,
    'mine',
    'Basic realm="Torc"',
  ]);
});
