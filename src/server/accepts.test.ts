import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { acceptMore, acceptNoMore } from './accepts.ts';

const sockets: Socket[] = [];
const servers: Server[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const server of servers.splice(0)) {
    void acceptNoMore(server);
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  }
});

const turn = () => new Promise<void>((done) => void setImmediate(done));
const REQUEST = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n';

async function listening(listener: Parameters<typeof createServer>[1], options: Parameters<typeof acceptMore>[2]) {
  const server = createServer(listener);
  acceptMore(server, 1_000, options);
  servers.push(server.listen({ host: '127.0.0.1', port: 0, backlog: 1_000 }));
  await once(server, 'listening');
  return { server, port: (server.address() as AddressInfo).port };
}

/** Connects, and resolves when the kernel has done its part: the server may not have accepted it. */
async function arrive(port: number, number: number): Promise<Socket[]> {
  const some = Array.from({ length: number }, () => connect(port, '127.0.0.1'));
  sockets.push(...some);
  await Promise.all(some.map((socket) => once(socket, 'connect')));
  return some;
}

/** The iterations of the event loop until `number` more connections are accepted. */
async function turnsFor(server: Server, number: number, arriving: Promise<unknown>): Promise<number> {
  let [accepted, turns] = [0, 0];
  server.on('connection', () => (accepted += 1));
  await arriving;
  for (; accepted < number; turns += 1) await turn();
  return turns;
}

it('of many connections that arrive together, many are accepted in one iteration of the event loop', async () => {
  const { server, port } = await listening((_, reply) => void reply.end(), { first: 2, atOnce: 50 });
  await turnsFor(server, 2, arrive(port, 2));
  expect(await turnsFor(server, 200, arrive(port, 200))).toBeLessThan(50);
});

it('every connection is accepted once, and answered, and the runtime warns of nothing', async () => {
  const warnings: Error[] = [];
  const warn = (warning: Error) => void warnings.push(warning);
  process.on('warning', warn);
  const { port } = await listening((_, reply) => void reply.end('answered'), { first: 1, atOnce: 32 });
  const clients = await arrive(port, 100);
  const replies = await Promise.all(
    clients.map(async (client) => {
      client.write(REQUEST);
      return String((await once(client, 'data'))[0]).split('\r\n')[0];
    }),
  );
  expect(new Set(replies)).toEqual(new Set(['HTTP/1.1 200 OK']));
  process.off('warning', warn);
  expect(warnings).toEqual([]);
});

it('a server that ends waits for the requests of all connections, and accepts none', async () => {
  const answers: (() => void)[] = [];
  const { server, port } = await listening((_, reply) => void answers.push(() => reply.end('late')), {
    first: 1,
    atOnce: 8,
  });
  const clients = await arrive(port, 20);
  for (const client of clients) client.write(REQUEST.replace('Host', 'Connection: close\r\nHost'));
  while (answers.length < 20) await turn();
  let isOver = false;
  const over = acceptNoMore(server).then(() => (isOver = true));
  server.close();
  const refused = connect(port, '127.0.0.1');
  expect((await once(refused, 'error'))[0]).toMatchObject({ code: 'ECONNREFUSED' });
  expect(isOver).toBe(false);
  const received = clients.map(async (client) => String((await once(client, 'data'))[0]));
  for (const answer of answers) answer();
  expect((await Promise.all(received)).filter((text) => text.includes('200 OK'))).toHaveLength(20);
  await over;
});
