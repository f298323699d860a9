import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getRequestListener } from '@hono/node-server';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { BASE_PATH } from '../../core/contract/base-path.ts';
import { createStore, type Store } from '../records/store.ts';
import { openDatabase } from '../store/database.ts';
import { answersInTurn } from './answers-in-turn.ts';
import { createApp } from './app.ts';
import { createReader, type ReadThreads } from './reader.ts';
import { createReplyRoom, type ReplyRoom } from './reply-room.ts';
import { endUnread } from './unread-connections.ts';

const MEBIBYTE = 2 ** 20;
/** More than are read at once. */
const JOBS = 4_000;
/** A list is 24 MB, and 10 MB packed: the kernel takes 4 MB for a client that does not read, and the buffer of a socket some more. */
const LIMITS = { allBytes: 4 * MEBIBYTE, oneBytes: 3 * MEBIBYTE, dueBytes: 64 * 1024, dueMs: 500 };
/** One reply is begun while there is room, and a piece is made while it is not full: the promise of the room. */
const MOST_BYTES = LIMITS.allBytes + LIMITS.oneBytes + 4 * MEBIBYTE;
const WAIT = { timeout: 60_000, interval: 20 };
const LARGE_TEXT = JSON.stringify(Array.from({ length: 400_000 }, () => Math.random()).map((each) => `${each}${each}`));

function fill(store: Store): void {
  store.db.run(`
    begin;
    insert into workflow (name, user, timestamp) values ('w', 'u', '2026');
    insert into resource_requirements (workflow_id, name, num_cpus, num_gpus, num_nodes, memory, runtime, memory_bytes, runtime_s)
      values (1, 'default', 1, 0, 1, '1m', 'PT1M', 1048576, 60);
    insert into job_class (workflow_id, resource_requirements_id) values (1, 1);
    with recursive n (n) as (select 1 union all select n + 1 from n where n < ${JOBS})
      insert into job (workflow_id, name, command, resource_requirements_id, class_id, status)
      select 1, 'job-' || n, hex(randomblob(2250)), 1, 1, 2 from n;
    insert into user_data (workflow_id, name, is_ephemeral, data) values (1, 'large', 0, '"' || hex(randomblob(5000000)) || '"');
    with recursive n (n) as (select 1 union all select n + 1 from n where n < 150)
      insert into user_data (workflow_id, name, is_ephemeral, data) select 1, 'd' || n, 0, '"' || hex(randomblob(40000)) || '"' from n;
    commit`);
}

const LIST = `/jobs?workflow_id=1&limit=${JOBS}`;
const [MCP, V2] = ['/mcp', '/api/v2/cluster'];
/** Every kind of long reply: where it is made, and how it is sent. */
const kinds: Readonly<Record<string, { where: 'file' | 'memory'; path: string; head?: string; method?: 'POST' }>> = {
  'a list that a thread reads': { where: 'file', path: LIST },
  'a list in another order': { where: 'file', path: `${LIST}&sort_by=name` },
  'a list of few large records that a thread reads': { where: 'file', path: '/user_data?workflow_id=1&limit=400' },
  'a list of a database in memory': { where: 'memory', path: LIST },
  'a list that is read at once': { where: 'memory', path: '/user_data?workflow_id=1&limit=400' },
  'one large record': { where: 'memory', path: '/user_data/1' },
  'a compressed list': { where: 'file', path: LIST, head: 'Accept-Encoding: gzip\r\n' },
  'a compressed list of a database in memory': { where: 'memory', path: LIST, head: 'Accept-Encoding: zstd\r\n' },
  'an answer of telemetry': { where: 'memory', path: '/sonar/show/nodes' },
  'an answer of telemetry outside of our routes': { where: 'memory', path: V2 },
  'an answer to an agent': { where: 'memory', path: MCP, method: 'POST' },
};

interface Service {
  readonly store: Store;
  readonly reader: ReadThreads | undefined;
  readonly server: Server;
  readonly room: ReplyRoom;
  /** The most that was kept. */
  most: number;
}

describe('long replies', () => {
  const folder = mkdtempSync(join(tmpdir(), 'unread-'));
  const errors: unknown[] = [];
  const unread: Readonly<Record<string, unknown>>[] = [];
  const open: Socket[] = [];
  let services: Record<'file' | 'memory', Service>;

  function serve(path: string): Service {
    const store = createStore(openDatabase(path), { now: () => 0, onBroken: (error) => errors.push(error) });
    fill(store);
    const reader = path === ':memory:' ? undefined : createReader(path);
    const counted = createReplyRoom((reason, facts) => void unread.push({ reason, ...facts }), LIMITS);
    const room: ReplyRoom = {
      ...counted,
      get usedBytes() {
        return counted.usedBytes;
      },
    };
    const app = createApp(store, {
      reader,
      replyRoom: room,
      telemetry: () => Promise.resolve({ status: 200, text: LARGE_TEXT }),
      agents: () => Promise.resolve({ status: 200, headers: {}, body: LARGE_TEXT }),
      onError: (error) => errors.push(error),
    });
    const [listener, inTurn] = [getRequestListener(app.fetch, { overrideGlobalObjects: false }), answersInTurn(room)];
    const server = createServer((incoming, outgoing) => {
      if (incoming.url !== V2) void listener(incoming, outgoing);
      else void inTurn(incoming, outgoing, () => Promise.resolve({ status: 200, headers: {}, text: LARGE_TEXT }));
    });
    return { store, reader, server, room, most: 0 };
  }
  beforeAll(async () => {
    services = { file: serve(join(folder, 'torc.db')), memory: serve(':memory:') };
    for (const service of Object.values(services)) {
      service.server.listen(0, '127.0.0.1');
      await once(service.server, 'listening');
    }
  });
  afterAll(async () => {
    for (const socket of open) socket.destroy();
    for (const { server, reader, store } of Object.values(services)) {
      server.close();
      await reader?.close();
      store.db.close();
    }
    rmSync(folder, { recursive: true });
    expect(errors).toEqual([]);
  });

  async function ask(kind: string): Promise<{ socket: Socket; service: Service }> {
    const { where, path, head = '', method = 'GET' } = kinds[kind] as (typeof kinds)[string];
    const service = services[where];
    const socket = connect((service.server.address() as AddressInfo).port, '127.0.0.1');
    open.push(socket);
    socket.on('error', () => {});
    await once(socket, 'connect');
    const body = method === 'POST' ? 'Content-Type: application/json\r\nContent-Length: 2\r\n' : '';
    const target = path === MCP || path === V2 ? path : BASE_PATH + path;
    socket.write(`${method} ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${head}${body}\r\n`);
    if (method === 'POST') socket.write('{}');
    return { socket, service };
  }
  /** Reads to the end, and pauses after each part. The number of bytes; 0 if it is the beginning of a reply, and not the whole. */
  async function readAll(socket: Socket, pauseMs: number): Promise<number> {
    let [head, tail, bytes] = ['', '', 0];
    socket.on('data', (part: Buffer) => {
      if (bytes === 0) head = part.toString('latin1').split('\r\n\r\n', 1)[0] as string;
      tail = (tail + part.subarray(-5).toString('latin1')).slice(-5);
      bytes += part.length;
      socket.pause();
      setTimeout(() => socket.resume(), pauseMs);
    });
    await once(socket, 'close');
    const length = /content-length: (\d+)/i.exec(head)?.[1];
    const isWhole = length === undefined ? tail === '0\r\n\r\n' : bytes === head.length + 4 + Number(length);
    return isWhole ? bytes : 0;
  }
  const emptied = ({ room }: Service) => vi.waitFor(() => expect(room.usedBytes).toBe(0), WAIT);
  const connections = ({ server }: Service) =>
    new Promise<number>((done) => void server.getConnections((_, count) => done(count)));

  describe.each(Object.keys(kinds))('%s', (kind) => {
    it('a long reply ends with its connection when its clients do not read, in bounded memory, and another client gets it', async () => {
      unread.length = 0;
      const stopped = await Promise.all(Array.from({ length: 3 }, () => ask(kind)));
      const { service } = stopped[0] as (typeof stopped)[number];
      let most = 0;
      const looking = setInterval(() => (most = Math.max(most, service.room.usedBytes)), 1);
      await vi.waitFor(() => expect(unread.length).toBe(3), WAIT);
      clearInterval(looking);
      expect(most).toBeGreaterThan(0);
      expect(most).toBeLessThanOrEqual(MOST_BYTES);
      expect(unread[0]).toMatchObject({
        reason: 'less than 65536 bytes of it were read in 0.5 s',
        address: '127.0.0.1',
      });
      await vi.waitFor(async () => expect(await connections(service)).toBe(0), WAIT);
      expect(service.room.usedBytes).toBe(0);
      const { socket } = await ask(kind);
      expect(await readAll(socket, 0)).toBeGreaterThan(4 * MEBIBYTE);
      for (const each of stopped) each.socket.destroy();
    });

    it('a long reply ends when its clients leave, before and while it is sent', async () => {
      unread.length = 0;
      const asked = await Promise.all(Array.from({ length: 6 }, () => ask(kind)));
      const { service } = asked[0] as (typeof asked)[number];
      for (const { socket } of asked.slice(1)) socket.destroy();
      const [first] = asked as [(typeof asked)[number]];
      await once(first.socket, 'readable');
      first.socket.destroy();
      await emptied(service);
      await vi.waitFor(async () => expect(await connections(service)).toBe(0), WAIT);
      expect(unread).toEqual([]);
    });

    it('a long reply is whole for a client that reads slowly, but reads', async () => {
      unread.length = 0;
      const { socket, service } = await ask(kind);
      expect(await readAll(socket, 2)).toBeGreaterThan(4 * MEBIBYTE);
      expect(unread).toEqual([]);
      await emptied(service);
    });
  });
});

it('a connection that reads nothing of any reply is ended, and one that reads, or has nothing to read, is not', async () => {
  const reasons: string[] = [];
  const server = createServer((_, outgoing) => outgoing.end(Buffer.alloc(64 * MEBIBYTE)));
  endUnread(server, (reason) => void reasons.push(reason), 200);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const open = async () => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    await once(socket, 'connect');
    return socket.on('error', () => {});
  };
  const [idle, reading, stopped] = [await open(), await open(), await open()];
  reading.resume();
  for (const socket of [reading, stopped]) socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await vi.waitFor(() => expect(reasons.length).toBe(1), WAIT);
  const open2 = await new Promise<number>((done) => void server.getConnections((_, count) => done(count)));
  expect([reasons[0], open2]).toEqual(['nothing was read for 0 s', 2]);
  for (const socket of [idle, reading, stopped]) socket.destroy();
  server.close();
});
