import { request } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { BASE_PATH } from '../../src/core/contract/base-path.ts';
import { type Route, routes } from '../../src/core/contract/routes.ts';
import { serve } from '../../src/server/serve.ts';

/** What a browser sends for pages of others never reaches a route. */

const fail = (error: unknown) => {
  throw error;
};

async function serverOn(host: string, over: object = {}) {
  const service = await serve({ database: ':memory:', host, port: 0, onError: fail, onBroken: fail, ...over });
  onTestFinished(() => service.close());
  return service.port;
}

interface PageRequest {
  readonly port: number;
  readonly method?: string;
  readonly path: string;
  readonly headers: Record<string, string>;
}

/** By node:http: `fetch` does not let a program choose these headers. */
const ask = ({ port, method = 'GET', path, headers }: PageRequest) =>
  new Promise<{ status: number; text: string; headers: Record<string, unknown> }>((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, method, path, headers, agent: false }, (answer) => {
      let text = '';
      const status = answer.statusCode ?? 0;
      answer.setEncoding('utf8').on('data', (part: string) => (text += part));
      answer.on('end', () => resolve({ status, text, headers: answer.headers }));
    });
    asked.on('error', reject).end();
  });

const places = [
  ...(Object.values(routes) as Route[]).map(
    ({ method, path }) => [method, BASE_PATH + path.replaceAll(/\{\w+\}/g, '1')] as const,
  ),
  ...['/', '/dashboard', `${BASE_PATH}/openapi.json`, '/nowhere'].map((path) => ['GET', path] as const),
  ['OPTIONS', `${BASE_PATH}/workflows`] as const,
];

describe('every route, stream and page', () => {
  it.each([
    ['another name', 'HOST_REFUSED', { Host: 'evil.example' }],
    ['another origin', 'ORIGIN_REFUSED', { Origin: 'http://evil.example' }],
    ['a page on another port', 'ORIGIN_REFUSED', { 'Sec-Fetch-Site': 'same-site' }],
    ['a link on another page', 'ORIGIN_REFUSED', { 'Sec-Fetch-Site': 'cross-site' }],
  ])('every route, stream and page refuses %s', async (_, code, headers) => {
    const port = await serverOn('127.0.0.1');
    for (const [method, path] of places) {
      const { status, text } = await ask({ port, method, path, headers });
      expect([method, path, status]).toEqual([method, path, 403]);
      const { error } = JSON.parse(text) as { error: { code: string; remedy: string } };
      expect(error).toMatchObject({ code, remedy: expect.stringContaining('--allowed-') as string });
    }
  });
});

it('a server on all addresses answers to any name, and not to pages of others', async () => {
  const port = await serverOn('0.0.0.0');
  const path = `${BASE_PATH}/ping`;
  expect((await ask({ port, path, headers: { Host: 'cluster.example:8080' } })).status).toBe(200);
  expect((await ask({ port, path, headers: { Host: 'cluster.example', Origin: 'http://evil.example' } })).status).toBe(
    403,
  );
});

it('a server on a loopback address answers to the name that it was configured to listen on', async () => {
  const port = await serverOn('127.0.0.1', { pages: { hosts: ['torc.lab'], origins: [] } });
  const ping = async (Host: string) => (await ask({ port, path: `${BASE_PATH}/ping`, headers: { Host } })).status;
  expect([await ping('torc.lab:1'), await ping('127.0.0.1'), await ping('lab')]).toEqual([200, 200, 403]);
});

it('a page of an allowed origin may ask beforehand, ask, and read the answer; others still may not', async () => {
  const origin = 'https://portal.lab';
  const port = await serverOn('127.0.0.1', { pages: { hosts: [], origins: [origin] } });
  const path = `${BASE_PATH}/workflows`;
  const headers = { Origin: origin, 'Sec-Fetch-Site': 'cross-site' };
  const before = await ask({
    port,
    method: 'OPTIONS',
    path,
    headers: { ...headers, 'Access-Control-Request-Headers': 'authorization' },
  });
  expect(before.status).toBe(204);
  expect(before.headers).toMatchObject({
    'access-control-allow-origin': origin,
    'access-control-allow-headers': 'authorization',
  });
  const answer = await ask({ port, path, headers });
  expect([answer.status, answer.headers['access-control-allow-origin'], answer.headers['vary']]).toEqual([
    200,
    origin,
    'Origin, Accept-Encoding',
  ]);
  expect((await ask({ port, path, headers: { Origin: 'https://other.lab' } })).status).toBe(403);
  expect((await ask({ port, path, headers: {} })).headers['access-control-allow-origin']).toBeUndefined();
});
