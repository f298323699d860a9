import { once } from 'node:events';
import { connect, type Socket, type AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createParser } from 'eventsource-parser';
import { createAdaptorServer } from '@hono/node-server';
import { longestWait } from '../../../tests/support/longest-wait.ts';
import { testService, type TestService } from '../../../tests/support/service.ts';
import { BASE_PATH } from '../../core/contract/base-path.ts';
import { createPruner } from '../store/prune.ts';
import { createFlushes } from './listeners.ts';

let service: TestService;
let id: number;
let notices: { words: string; facts: object }[];
const STALL_MS = 300;

beforeEach(async () => {
  notices = [];
  service = testService({ stallMs: STALL_MS, onNotice: (words, facts) => void notices.push({ words, facts }) });
  id = (await service.client.createWorkflow({ body: { name: 'w', user: 'u' } })).id;
});

type Reported = { id: string; type: string; data: Record<string, unknown> };

/** Connects in this process. `next` resolves with the next event. */
async function listen(query = '', lastEventId?: string) {
  const headers: Record<string, string> = lastEventId === undefined ? {} : { 'Last-Event-ID': lastEventId };
  const response = await service.app.request(`${BASE_PATH}/workflows/${id}/events/stream${query}`, { headers });
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const decoder = new TextDecoder();
  const events: Reported[] = [];
  const parser = createParser({
    onEvent: ({ id: place = '', event = '', data }) =>
      events.push({ id: place, type: event, data: (JSON.parse(data) as { data: Record<string, unknown> }).data }),
  });
  const next = async (): Promise<Reported | undefined> => {
    while (events.length === 0) {
      const { value, done } = await reader.read();
      if (done) return undefined;
      parser.feed(decoder.decode(value, { stream: true }));
    }
    return events.shift();
  };
  return { next, close: () => reader.cancel() };
}

const report = (...entries: unknown[]) =>
  service.store.turns.write(() => service.store.changes.record(id, 'job_status_changed', entries));

describe('a client of the event stream', () => {
  it('a client gets at once a burst that is larger than its buffer', async () => {
    const heard = await listen();
    const filler = 'x'.repeat(1_000);
    const began = performance.now();
    await service.store.turns.write(() => {
      for (let index = 0; index < 600; index += 1) {
        service.store.changes.record(id, 'job_status_changed', [{ index, filler }]);
      }
    });
    for (let index = 0; index < 600; index += 1) expect((await heard.next())?.data['index']).toBe(index);
    // The keep-alive would have woken it only after 15 s.
    expect(performance.now() - began).toBeLessThan(14_000);
    await report({ after: true });
    expect((await heard.next())?.data).toEqual({ after: true });
    await heard.close();
  });

  it('a client with an old id blocks no other request, even if nothing in a long log concerns it', async () => {
    const { db } = service.store;
    const data = JSON.stringify(
      Array.from({ length: 20 }, (_, index) => ({ job_id: index, job_name: 'x'.repeat(30) })),
    );
    db.prepare<{ id: number; data: string }>(`
      with recursive n (n) as (select 1 union all select n + 1 from n where n < 60000)
      insert into change_log (workflow_id, at_ms, event_type, data) select :id, 0, 'job_started', :data from n`).run({
      id,
      data,
    });
    await report({ wanted: true });
    let found: Reported | undefined;
    const longest = await longestWait(async () => {
      const heard = await listen('?types=job_status_changed', '1.0');
      found = await heard.next();
      await heard.close();
    });
    expect(found?.data).toEqual({ wanted: true });
    expect(longest).toBeLessThan(150);
  });

  it('a client whose position was pruned gets log_pruned first, and only once', async () => {
    await report({ lost: 1 }, { lost: 2 });
    const first = service.store.changes.lastId;
    service.clock.now += 1_000;
    await report({ kept: true });
    await createPruner(service.store.db, service.store, { maxLength: 1e6, maxAgeMs: 500 })();
    const heard = await listen('?types=job_status_changed', `${first}.0`);
    const pruned = await heard.next();
    expect(pruned).toMatchObject({ type: 'log_pruned', data: { last_event_id: `${first}.0` } });
    expect((await heard.next())?.data).toEqual({ kept: true });
    await heard.close();
    const again = await listen('?types=job_status_changed', pruned?.id);
    expect((await again.next())?.data).toEqual({ kept: true });
    await again.close();
  });

  it('a client with an event id of another database gets log_pruned, and then new events', async () => {
    const heard = await listen('', '99999.0');
    expect(await heard.next()).toMatchObject({ type: 'log_pruned', data: { last_event_id: '99999.0' } });
    await report({ index: 1 });
    expect((await heard.next())?.data).toEqual({ index: 1 });
    await heard.close();
  });

  it('a client never gets an id lower than an earlier one', async () => {
    const heard = await listen();
    for (let index = 0; index < 50; index += 1) await report({ index }, { index });
    const ids: number[][] = [];
    for (let index = 0; index < 100; index += 1) ids.push(((await heard.next())?.id ?? '').split('.').map(Number));
    await heard.close();
    const sorted = ids.toSorted(([a = 0, b = 0], [c = 0, d = 0]) => a - c || b - d);
    expect(ids).toEqual(sorted);
    expect(new Set(ids.map((each) => each.join('.'))).size).toBe(100);
  });

  it.each(['', '?level=error', '?types=job_started'])(
    'a client of a deleted workflow gets that event, and its stream ends (%s)',
    async (query) => {
      const heard = await listen(query);
      await service.store.turns.write(() => service.store.changes.record(id, 'workflow_deleted', [{ name: 'w' }]));
      expect((await heard.next())?.type).toBe('workflow_deleted');
      expect(await heard.next()).toBeUndefined();
    },
  );
});

describe('a client over the network', () => {
  let server: ReturnType<typeof createAdaptorServer>;
  const sockets: Socket[] = [];
  beforeEach(async () => {
    server = createAdaptorServer({ fetch: service.app.fetch, overrideGlobalObjects: false });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
    server.close();
  });

  const open = async () => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    sockets.push(socket);
    socket.write(`GET ${BASE_PATH}/workflows/${id}/events/stream HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    await once(socket, 'data');
    return socket;
  };
  const fill = async () => {
    for (let index = 0; index < 100; index += 1) await report({ index, filler: 'x'.repeat(100_000) });
  };

  it('a client that does not read is disconnected, and the log says why', async () => {
    const socket = await open();
    socket.pause();
    await fill();
    while (notices.length === 0) await new Promise((resolve) => void setTimeout(resolve, 20));
    expect(notices).toEqual([
      {
        words: 'An event stream was ended',
        facts: expect.objectContaining({ workflow_id: id, reason: expect.stringContaining('nothing was read for') }),
      },
    ]);
    socket.on('error', () => {});
    socket.resume();
    await once(socket, 'close');
  });

  it('a client that reads is not disconnected', async () => {
    const socket = await open();
    let read = 0;
    socket.on('data', (part: Buffer) => void (read += part.length));
    await fill();
    while (read < 10_000_000) await new Promise((resolve) => void setTimeout(resolve, 20));
    await new Promise((resolve) => void setTimeout(resolve, 2 * STALL_MS));
    expect(notices).toEqual([]);
  });

  it('a client uses no more memory than its share, however many do not read', async () => {
    const listeners = await Promise.all(Array.from({ length: 200 }, open));
    for (const socket of listeners) socket.pause();
    const before = process.memoryUsage();
    await fill();
    const after = process.memoryUsage();
    const grown = after.arrayBuffers - before.arrayBuffers + after.external - before.external;
    // Each is sent 10 MB, so without a limit 2 GB would wait for them.
    expect(grown).toBeLessThan(250 * 2 ** 20);
  });
});

const turn = () => new Promise<void>((resolve) => void setImmediate(resolve));

it('a thousand messages take twenty iterations of the event loop, in their order', async () => {
  const flushSoon = createFlushes(50);
  const sent: number[] = [];
  for (let client = 0; client < 1_000; client += 1) flushSoon(() => void sent.push(client));
  expect(sent).toEqual([]);
  const after: number[] = [];
  while (sent.length < 1_000) {
    await turn();
    after.push(sent.length);
  }
  expect(after).toEqual(Array.from({ length: 20 }, (_, index) => (index + 1) * 50));
  expect(sent).toEqual(Array.from({ length: 1_000 }, (_, index) => index));
});

it('a few messages are sent before the next iteration, also those that are asked for meanwhile', async () => {
  const flushSoon = createFlushes(2);
  const sent: string[] = [];
  flushSoon(() => {
    sent.push('first');
    flushSoon(() => void sent.push('second'));
  });
  await Promise.resolve();
  expect(sent).toEqual(['first']);
  await Promise.resolve();
  expect(sent).toEqual(['first', 'second']);
});
