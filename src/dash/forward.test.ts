import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { createForwarding, isForwarded } from './forward.ts';
import { behindStartKey, startQuery } from './start-key.ts';

const portOf = (server: Server) => (server.address() as AddressInfo).port;

async function listening(listener: RequestListener): Promise<Server> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return server;
}

/** A server that remembers what it was asked, and what forwards to it with a cookie. */
async function forwarded() {
  const asked: { line: string; cookie: string | undefined; body: string }[] = [];
  const upstream = await listening((incoming, outgoing) => {
    let body = '';
    incoming.setEncoding('utf8').on('data', (part: string) => (body += part));
    incoming.on('end', () => {
      asked.push({ line: `${incoming.method} ${incoming.url}`, cookie: incoming.headers.cookie, body });
      outgoing.end('answered');
    });
  });
  const root = new URL(`http://127.0.0.1:${portOf(upstream)}/torc/`);
  const forward = createForwarding({ root, certificates: undefined, insecure: false, cookie: 'portal=owner' });
  return { asked, forward };
}

/** Sends bytes, and returns what comes until the connection ends. */
const raw = (server: Server, text: string) =>
  new Promise<string>((resolve, reject) => {
    let reply = '';
    const socket = connect(portOf(server), '127.0.0.1', () => void socket.write(text));
    socket.setEncoding('latin1').on('data', (part: string) => (reply += part));
    socket.on('close', () => resolve(reply)).on('error', reject);
  });

const HIDDEN = 'DELETE /torc-service/v1/workflows/1 HTTP/1.1\r\nHost: x\r\n\r\n';
const chunked = (method: string, body: string) =>
  `${method} /torc-service/v1/ping HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n` +
  `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;

it.each(['GET', 'DELETE', 'HEAD', 'OPTIONS', 'POST', 'PUT'])(
  'a request in the body of another one arrives as a body, and never as a request: %s',
  async (method) => {
    const { asked, forward } = await forwarded();
    const server = await listening(forward);
    await raw(server, chunked(method, HIDDEN));
    await raw(server, chunked('POST', 'later'));
    expect(asked.map(({ line, body }) => [line, body])).toEqual([
      [`${method} /torc/torc-service/v1/ping`, HIDDEN],
      ['POST /torc/torc-service/v1/ping', 'later'],
    ]);
  },
);

it.each([
  ['/', true],
  ['/page/app.js', true],
  ['/torc-service/v1/users/a%2Fb', true],
  ['/torc-service/v1/users/100%25', true],
  ['/torc-service/v1/users/a..b', true],
  ['/page/../../other/app', false],
  ['/page/%2e%2e/%2E%2e/other/app', false],
  ['/page/..%2f..%2fother', false],
  ['/page/..%5c..%5cother', false],
  ['/page/..\\..\\other', false],
  ['/page/..;x/..;x/other', false],
  ['/page/%252e%252e/other', false],
  ['/torc-service/v1/..', false],
  ['/other/app', false],
])('a path is forwarded only if no proxy on the way resolves it to another folder: %s', (path, expected) => {
  expect(isForwarded(path)).toBe(expected);
});

it('the cookie of a proxy goes with requests of a browser that opened the start address, and with no other', async () => {
  const { asked, forward } = await forwarded();
  const server = await listening(behindStartKey('secret', forward));
  const ask = (path: string, cookie?: string) =>
    fetch(`http://127.0.0.1:${portOf(server)}${path}`, {
      redirect: 'manual',
      ...(cookie === undefined ? {} : { headers: { cookie } }),
    });

  const stranger = await ask('/torc-service/v1/workflows');
  expect([stranger.status, await stranger.json()]).toEqual([
    401,
    { error: expect.objectContaining({ code: 'START_KEY_MISSING' }) },
  ]);
  expect((await ask('/?key=guessed')).status).toBe(401);
  expect((await ask('/', 'torc-dash-1=secret')).status).toBe(401);
  expect(asked).toEqual([]);

  const opened = await ask(`/${startQuery('secret')}`);
  expect([opened.status, opened.headers.get('location')]).toEqual([303, '/']);
  const [own = ''] = (opened.headers.get('set-cookie') ?? '').split(';');
  expect((await ask('/', `${own}; session=mine`)).status).toBe(200);
  expect(asked).toEqual([{ line: 'GET /torc/', cookie: 'session=mine; portal=owner', body: '' }]);
});

it('a cookie that a browser sends besides is forwarded as it came where no key is asked', async () => {
  const { asked, forward } = await forwarded();
  const server = await listening((incoming: IncomingMessage, outgoing) => forward(incoming, outgoing));
  await fetch(`http://127.0.0.1:${portOf(server)}/`, { headers: { cookie: 'a=1' } });
  expect(asked.map(({ cookie }) => cookie)).toEqual(['a=1; portal=owner']);
});
