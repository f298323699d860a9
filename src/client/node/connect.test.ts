import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { until } from '../../../tests/support/programs.ts';
import { Unreachable } from '../errors.ts';
import { connect, type ServiceAddress } from './connect.ts';

interface Seen {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

interface Place {
  readonly url: string;
  readonly port: number;
  readonly server: Server;
  readonly seen: Seen[];
  /** The number of connections that were opened. */
  readonly connections: () => number;
}

/** A server that records its requests, and answers with this listener. */
async function serverThat(answer: RequestListener): Promise<Place> {
  const seen: Seen[] = [];
  let connections = 0;
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const { method, url, headers } = request;
      seen.push({ method, url, headers, body: Buffer.concat(parts).toString('utf8') });
      answer(request, response);
    });
  });
  server.on('connection', () => (connections += 1));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/base/v1`, port, server, seen, connections: () => connections };
}

function connectionTo(address: ServiceAddress) {
  const connection = connect(address);
  onTestFinished(() => connection.close());
  return connection;
}

const fine: RequestListener = (_, response) => void response.end('{"ok":true}');
const ping = { method: 'GET', path: '/ping?a=b', body: undefined };

describe('a request', () => {
  it('a request is sent below the base path, without a body if it has none', async () => {
    const { url, seen } = await serverThat(fine);
    expect(await connectionTo({ url }).send(ping)).toEqual({ status: 200, text: '{"ok":true}' });
    expect(seen).toMatchObject([{ method: 'GET', url: '/base/v1/ping?a=b', body: '' }]);
    expect(Object.keys(seen[0]?.headers ?? {}).sort((a, b) => a.localeCompare(b))).toEqual(['connection', 'host']);
  });

  it('a request has its body as JSON, with its length in bytes', async () => {
    const { url, seen } = await serverThat(fine);
    const body = JSON.stringify({ name: 'größe 日本' });
    await connectionTo({ url: `${url}/` }).send({ method: 'POST', path: '/jobs', body });
    expect(seen).toMatchObject([{ method: 'POST', url: '/base/v1/jobs', body }]);
    expect(seen[0]?.headers).toMatchObject({
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
    });
    expect(seen[0]?.headers).not.toHaveProperty('transfer-encoding');
  });

  it('a request names the user, with the password if there is one, and the cookie that a proxy requires', async () => {
    const { url, seen } = await serverThat(fine);
    await connectionTo({ url, username: 'ada', password: 'geheim:1', cookie: 'session=7' }).send(ping);
    await connectionTo({ url, username: 'ada' }).send(ping);
    expect(seen[0]?.headers).toMatchObject({
      authorization: `Basic ${Buffer.from('ada:geheim:1').toString('base64')}`,
      'x-torc-client-user': 'ada',
      cookie: 'session=7',
    });
    expect(seen[1]?.headers).toMatchObject({ 'x-torc-client-user': 'ada' });
    expect(seen[1]?.headers).not.toHaveProperty('authorization');
    expect(seen[1]?.headers).not.toHaveProperty('cookie');
  });

  it('a user in the URL precedes every other setting', async () => {
    const { port, seen } = await serverThat(fine);
    await connectionTo({ url: `http://eve:p%40ss@127.0.0.1:${port}/`, username: 'ada', password: 'x' }).send(ping);
    expect(seen[0]?.headers).toMatchObject({
      authorization: `Basic ${Buffer.from('eve:p@ss').toString('base64')}`,
      'x-torc-client-user': 'eve',
    });
    expect(seen[0]?.url).toBe('/ping?a=b');
  });

  it('a user name with characters that no header may contain breaks no request', async () => {
    const { url, seen } = await serverThat(fine);
    await connectionTo({ url, username: 'jörg\r\nX-Evil: 1' }).send(ping);
    expect(seen[0]?.headers).toMatchObject({ 'x-torc-client-user': 'j?rg??X-Evil: 1' });
    expect(seen[0]?.headers).not.toHaveProperty('x-evil');
  });
});

describe('a reply', () => {
  it.each([204, 404, 422, 500, 503])(
    'a reply with status %d is returned unchanged, because the caller interprets it',
    async (status) => {
      const { url } = await serverThat(
        (_, response) => void response.writeHead(status).end(status === 204 ? '' : 'why'),
      );
      expect(await connectionTo({ url }).send(ping)).toEqual({ status, text: status === 204 ? '' : 'why' });
    },
  );

  it('a reply is complete although it arrives in parts that split a character', async () => {
    const bytes = Buffer.from('größe');
    const { url } = await serverThat((_, response) => {
      response.write(bytes.subarray(0, 3), () => response.end(bytes.subarray(3)));
    });
    expect((await connectionTo({ url }).send(ping)).text).toBe('größe');
  });
});

describe('a connection', () => {
  it('a connection is kept for later requests, and used for one at a time', async () => {
    const { url, connections } = await serverThat(fine);
    const { send } = connectionTo({ url });
    for (let count = 0; count < 5; count += 1) await send(ping);
    expect(connections()).toBe(1);
    await Promise.all([send(ping), send(ping), send(ping)]);
    expect(connections()).toBe(3);
  });

  it('a closed connection is not used again', async () => {
    const { url, server } = await serverThat(fine);
    const { send, close } = connectionTo({ url });
    const open = () => new Promise<number>((done) => void server.getConnections((_, count) => done(count)));
    await send(ping);
    expect(await open()).toBe(1);
    close();
    await until(open, (count) => count === 0, 'the connection to be gone');
  });
});

describe('a missing reply', () => {
  it('the service is unreachable when no server listens', async () => {
    const { port, url, server } = await serverThat(fine);
    server.close();
    await once(server, 'close');
    const sent = connectionTo({ url }).send(ping);
    await expect(sent).rejects.toThrow(Unreachable);
    await expect(sent).rejects.toThrow(`no reply from ${url}: connect ECONNREFUSED 127.0.0.1:${port}`);
  });

  it('the service is unreachable when the connection breaks before or within the reply', async () => {
    const before = await serverThat((request) => void request.socket.destroy());
    await expect(connectionTo({ url: before.url }).send(ping)).rejects.toThrow(Unreachable);
    const within = await serverThat((request, response) => {
      response.writeHead(200, { 'Content-Length': '100' });
      response.write('half', () => request.socket.destroy());
    });
    await expect(connectionTo({ url: within.url }).send(ping)).rejects.toThrow(Unreachable);
  });

  it('the service is unreachable when another kind of server answers', async () => {
    const { url, server } = await serverThat(fine);
    server.on('connection', (socket) => void socket.end('SSH-2.0-OpenSSH_9.6\r\n'));
    await expect(connectionTo({ url }).send(ping)).rejects.toThrow(Unreachable);
  });

  it('a request without a reply does not affect later ones', async () => {
    let asked = 0;
    const { url } = await serverThat((request, response) => {
      asked += 1;
      if (asked === 1) request.socket.destroy();
      else response.end('fine');
    });
    const { send } = connectionTo({ url });
    await expect(send(ping)).rejects.toThrow(Unreachable);
    expect(await send(ping)).toEqual({ status: 200, text: 'fine' });
  });
});

describe('the event stream', () => {
  const path = '/workflows/7/events/stream?types=jobs_ready';

  it('the event stream is opened after the last received event, and its text is passed on', async () => {
    const { url, seen } = await serverThat((_, response) => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      response.end('data: größe\n\n');
    });
    const open = connectionTo({ url, username: 'ada' }).events(path);
    const text = async (last: string | undefined) => {
      let whole = '';
      for await (const part of await open(last, new AbortController().signal)) whole += part;
      return whole;
    };
    expect([await text(undefined), await text('41')]).toEqual(['data: größe\n\n', 'data: größe\n\n']);
    expect(seen.map(({ url: asked }) => asked)).toEqual([`/base/v1${path}`, `/base/v1${path}`]);
    expect(seen[0]?.headers).toMatchObject({ accept: 'text/event-stream', 'x-torc-client-user': 'ada' });
    expect(seen.map(({ headers }) => headers['last-event-id'])).toEqual([undefined, '41']);
  });

  it('a reply that is no event stream is refused with its status', async () => {
    const { url } = await serverThat((_, response) => void response.writeHead(404).end('{}'));
    await expect(connectionTo({ url }).events(path)(undefined, new AbortController().signal)).rejects.toMatchObject({
      status: 404,
    });
  });

  it('the event stream fails when no server listens', async () => {
    const { url, server } = await serverThat(fine);
    server.close();
    await expect(connectionTo({ url }).events(path)(undefined, new AbortController().signal)).rejects.toThrow(
      'ECONNREFUSED',
    );
  });

  it('the event stream and its connection end when the consumer stops', async () => {
    let closed = false;
    const { url } = await serverThat((_, response) => {
      response.writeHead(200).write('data: 1\n\n');
      response.on('close', () => (closed = true));
    });
    const abort = new AbortController();
    const parts = await connectionTo({ url }).events(path)(undefined, abort.signal);
    const heard: string[] = [];
    const ended = (async () => {
      for await (const part of parts) {
        heard.push(part);
        abort.abort();
      }
    })();
    await expect(ended).rejects.toThrow();
    expect(heard).toEqual(['data: 1\n\n']);
    await until(() => closed, Boolean, 'the server to see the end');
  });
});
