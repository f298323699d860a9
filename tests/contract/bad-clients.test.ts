import { once } from 'node:events';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { BASE_PATH } from '../../src/core/contract/base-path.ts';
import { unharmedServer } from './unharmed.ts';

/** Connections that break, stall, crowd, or speak something else. */
const unharmed = unharmedServer();

describe('a client', () => {
  const open = async () => {
    const socket = connect(unharmed.server.port, '127.0.0.1');
    await once(socket, 'connect');
    return socket;
  };
  const headOf = (path: string, length: number) =>
    `POST ${BASE_PATH}${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;
  const reported = async (socket: Socket, until: string) => {
    let text = '';
    for await (const part of socket) {
      text += String(part);
      if (text.includes(until)) break;
    }
    return text;
  };

  it('a client that sends a byte a time is served at the end, and delays no other', async () => {
    unharmed.mayWrite();
    const socket = await open();
    socket.setNoDelay(true);
    const body = JSON.stringify({ name: 'slow', user: 'ada' });
    for (const letter of headOf('/workflows', body.length) + body) {
      // On the wire before the next.
      await new Promise((sent) => void socket.write(letter, sent));
      if (letter === '"') await unharmed.server.client.ping();
    }
    expect(await reported(socket, '}')).toContain('"name":"slow"');
    socket.destroy();
  });

  it('a client that stops in the middle writes nothing, and delays no other', async () => {
    const stopped = await Promise.all(Array.from({ length: 50 }, open));
    for (const [index, socket] of stopped.entries()) {
      const text = `${headOf('/workflows', 100)}{"name": "half", "user": "ada"`;
      socket.write(text.slice(0, 20 + index * 4));
    }
    expect((await unharmed.server.client.listWorkflows({ query: { name: 'half' } })).total_count).toBe(0);
    for (const socket of stopped) socket.destroy();
    expect((await unharmed.server.client.listWorkflows({ query: { name: 'half' } })).total_count).toBe(0);
  });

  it('a client may be one of a thousand that say nothing', async () => {
    const idle = await Promise.all(Array.from({ length: 1_000 }, open));
    expect((await unharmed.server.client.ping()).status).toBe('Server is running');
    for (const socket of idle) socket.destroy();
  });

  it('a client may leave in the middle of an answer', async () => {
    for (let index = 0; index < 50; index += 1) {
      const asked = request({ host: '127.0.0.1', port: unharmed.server.port, path: `${BASE_PATH}/workflows` });
      asked.on('error', () => {});
      asked.end();
      await once(asked, 'socket');
      asked.destroy();
    }
  });

  it.each([
    ['no HTTP', 'GARBAGE\r\n\r\n'],
    ['TLS', Buffer.from([0x16, 3, 1, 0, 5, 1, 0, 0, 1, 3])],
    ['a NUL in the path', `GET ${BASE_PATH}/work\0flows HTTP/1.1\r\nHost: localhost\r\n\r\n`],
    [
      'two lengths',
      `POST ${BASE_PATH}/workflows HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n`,
    ],
    ['a negative length', `POST ${BASE_PATH}/workflows HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n`],
    ['a header of 100,000 letters', `GET / HTTP/1.1\r\nHost: localhost\r\nA: ${'a'.repeat(100_000)}\r\n\r\n`],
  ])('a client that speaks %s learns that it is wrong', async (_, bytes) => {
    const socket = await open();
    socket.on('error', () => {});
    socket.write(bytes);
    expect(await reported(socket, '\r\n')).toMatch(/^HTTP\/1\.1 4\d\d /);
    socket.destroy();
  });

  it.each([
    ['PATCH', '/workflows/1', 405, 'METHOD_REFUSED', 'expected GET or PUT or DELETE'],
    ['DELETE', '/ping', 405, 'METHOD_REFUSED', 'expected GET'],
    ['GET', '/nonsense', 404, 'ROUTE_UNKNOWN', 'there is no GET'],
    ['GET', '/workflows/1/', 404, 'ROUTE_UNKNOWN', 'there is no GET'],
    ['GET', '//workflows', 404, 'ROUTE_UNKNOWN', 'there is no GET'],
    ['GET', '/workflows/1/jobs/../..', 404, 'ROUTE_UNKNOWN', 'there is no GET'],
    ['GET', '/%2e%2e/%2e%2e/etc/passwd', 404, 'ROUTE_UNKNOWN', 'there is no GET'],
    ['GET', '/workflows/%zz', 400, 'PARAMETER_REFUSED', 'a % that does not encode UTF-8'],
    ['GET', '/jobs?workflow_id=1&name=%ff', 400, 'PARAMETER_REFUSED', 'a % that does not encode UTF-8'],
  ])('a client that asks %s %s finds nothing there', async (method, path, status, code, words) => {
    const { status: found, error } = await unharmed.server.send({ method, path });
    expect([found, error.code, error.message]).toEqual([status, code, expect.stringContaining(words)]);
  });
});
