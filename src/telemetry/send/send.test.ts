import { appendFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, it, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../../tests/support/programs.ts';
import { noSmallDisk, smallDisk } from '../../../tests/support/small-disk.ts';
import { appendLine, createDirectorySink, fileOf } from './directory.ts';
import { createHttpDelivery, deliveryOf } from './http.ts';
import { createMessageOutbox, type Delivery } from './outbox.ts';
import type { Packet } from './packet.ts';
import { openSpool } from './spool.ts';
import { createStdoutSink } from './stdout.ts';

const packet = (text: string, changed: Partial<Packet> = {}): Packet => ({
  type: 'sample',
  cluster: 'c.org',
  node: 'n1',
  atMs: Date.UTC(2026, 2, 9, 23, 59),
  text: `{"n":"${text}"}`,
  ...changed,
});

test.each([
  ['sample', '2026/03/09/0+sample-n1.json'],
  ['sysinfo', '2026/03/09/0+sysinfo-n1.json'],
  ['job', '2026/03/09/0+job-slurm.json'],
  ['cluster', '2026/03/09/0+cluzter-slurm.json'],
] as const)('a %s message stands in %s, by its UTC date', (type, path) =>
  expect(fileOf(packet('a', { type }))).toBe(path),
);

it('a name of a node cannot leave the folder', () => {
  expect(fileOf(packet('a', { node: '../../x' }))).toBe('2026/03/09/0+sample-.._.._x.json');
});

it('the folder has a message a line, and a line that was cut off costs no other', () => {
  const root = temporaryFolder();
  const problems: string[] = [];
  const sink = createDirectorySink(root, (problem) => problems.push(problem));
  const path = join(root, fileOf(packet('a')));
  sink.send(packet('a'));
  appendFileSync(path, '{"n":"cut o');
  sink.send(packet('b'));
  expect(readFileSync(path, 'utf8')).toBe('{"n":"a"}\n{"n":"cut o\n{"n":"b"}\n');
  expect(problems).toEqual([]);
});

it('messages that cannot be written are kept in their order until they can', async () => {
  const root = temporaryFolder();
  writeFileSync(join(root, '2026'), 'a file where a folder belongs');
  const problems: string[] = [];
  const sink = createDirectorySink(root, (problem) => problems.push(problem));
  sink.send(packet('a'));
  sink.send(packet('b'));
  expect(problems[1]).toContain('2 wait');
  rmSync(join(root, '2026'));
  sink.send(packet('c'));
  await sink.close();
  const text = readFileSync(join(root, fileOf(packet('a'))), 'utf8');
  expect(text).toBe(['a', 'b', 'c'].map((each) => `{"n":"${each}"}\n`).join(''));
});

it('while nothing can be written only the latest messages are kept, and a warning says how many are lost', async () => {
  const root = temporaryFolder();
  writeFileSync(join(root, '2026'), '');
  const problems: string[] = [];
  const sink = createDirectorySink(root, (problem) => problems.push(problem));
  const large = 'x'.repeat(6 * 2 ** 20);
  for (const each of ['a', 'b', 'c']) sink.send(packet(each + large));
  expect(problems.filter((each) => each.startsWith('1 messages are lost'))).toHaveLength(1);
  rmSync(join(root, '2026'));
  await sink.close();
  expect(readFileSync(join(root, fileOf(packet('a'))), 'utf8').split('\n')).toHaveLength(3);
});

it('a printed message has its topic, key and client', () => {
  const lines: string[] = [];
  createStdoutSink((line) => lines.push(line), 'zap').send(packet('a'));
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    { topic: 'zap.c.org.sample', key: 'n1', client: 'c.org/n1', value: { n: 'a' } },
  ]);
});

it('the spool keeps messages in their order across restarts, and no more bytes than it may have', () => {
  const folder = temporaryFolder();
  const first = openSpool(folder, 400);
  for (const each of ['a', 'b']) expect(first.add(packet(each))).toBe(0);
  // What a crash left half-written is no message, and neither is what was damaged.
  writeFileSync(join(folder, '000000000009.json.new'), '{');
  const second = openSpool(folder, 400);
  expect([second.count, second.first()?.packet]).toEqual([2, packet('a')]);
  second.remove(second.first()?.id ?? '');
  expect(second.first()?.packet).toEqual(packet('b'));
  const dropped = ['c', 'd', 'e', 'f'].map((each) => second.add(packet(each)));
  expect(dropped.reduce((sum, each) => sum + each, 0)).toBe(5 - second.count);
  expect(second.count).toBeLessThan(5);
  writeFileSync(join(folder, second.first()?.id ?? ''), 'damaged');
  const before = second.count;
  expect(second.first()?.packet.text).toContain('"n"');
  expect(second.count).toBe(before - 1);
});

it.skipIf(noSmallDisk)('on a full disk the oldest messages of the spool make room for the newest', () => {
  const spool = openSpool(join(smallDisk(1), 'spool'), 2 ** 30);
  const large = 'x'.repeat(250_000);
  const dropped = ['a', 'b', 'c', 'd', 'e', 'f'].map((each) => spool.add(packet(each + large)));
  expect(dropped.reduce((sum, each) => sum + each, 0)).toBe(6 - spool.count);
  expect(spool.count).toBeLessThan(6);
  let last = '';
  for (let first = spool.first(); first !== undefined; first = spool.first()) {
    last = first.packet.text;
    spool.remove(first.id);
  }
  expect(last).toBe(packet(`f${large}`).text);
});

/** A receiver that gives these answers in turn, and what it delivered. */
function outboxWith(answers: readonly Delivery['kind'][], folder = temporaryFolder()) {
  const delivered: string[] = [];
  const problems: string[] = [];
  const rest = [...answers];
  let wake = () => {};
  const sink = createMessageOutbox({
    spool: openSpool(folder, 2 ** 20),
    deliver: ({ text }) => {
      const kind = rest.shift() ?? 'delivered';
      if (kind === 'delivered') delivered.push(text);
      wake();
      return Promise.resolve(kind === 'delivered' ? { kind } : { kind, reason: 'the reason' });
    },
    onProblem: (problem) => problems.push(problem),
    windowMs: 0,
    random: () => 0,
  });
  /** Resolves when so many messages were delivered. */
  const until = (count: number) =>
    new Promise<void>((resolve) => {
      wake = () => {
        if (delivered.length >= count) resolve();
      };
      wake();
    });
  return { sink, delivered, problems, until, folder };
}

it('messages for a receiver that is away are delivered in their order when it is back, and both are logged once', async () => {
  const { sink, delivered, problems, until } = outboxWith(['later', 'later', 'delivered']);
  for (const each of ['a', 'b', 'c']) sink.send(packet(each));
  await until(3);
  await sink.close();
  expect(delivered).toEqual(['a', 'b', 'c'].map((each) => packet(each).text));
  expect(problems).toEqual(['messages wait: the reason', 'messages are delivered again; 2 wait']);
});

it('a message that the receiver refuses is logged and dropped, and the next one is delivered', async () => {
  const { sink, delivered, problems, until } = outboxWith(['refused']);
  for (const each of ['a', 'b']) sink.send(packet(each));
  await until(1);
  await sink.close();
  expect(delivered).toEqual([packet('b').text]);
  expect(problems).toEqual(['a sample message was refused: the reason']);
});

it('messages that are left at the end are delivered after the next start', async () => {
  const before = outboxWith(Array.from({ length: 50 }, () => 'later' as const));
  before.sink.send(packet('a'));
  await before.sink.close();
  expect(before.problems.at(-1)).toBe('1 messages stay in the spool, for the next start');
  const next = outboxWith([], before.folder);
  await next.until(1);
  await next.sink.close();
  expect(next.delivered).toEqual([packet('a').text]);
  expect(readdirSync(before.folder)).toEqual([]);
});

test.each<[number, Delivery['kind']]>([
  [200, 'delivered'],
  [204, 'delivered'],
  [400, 'refused'],
  [413, 'refused'],
  [422, 'refused'],
  [301, 'later'],
  [401, 'later'],
  [404, 'later'],
  [408, 'later'],
  [429, 'later'],
  [503, 'later'],
])('an answer of %d means that a message is %s', (status, kind) => expect(deliveryOf(status, '').kind).toBe(kind));

test.each([
  [200, 'later'],
  [400, 'later'],
  [413, 'refused'],
  [422, 'later'],
  [502, 'later'],
] as const)('a page that another program answers with %d means that a message is %s', (status, kind) =>
  expect(deliveryOf(status, '', true).kind).toBe(kind),
);

it('a message is kept where a portal answers with its login page, or a redirect to it', async () => {
  const answers = [
    { status: 200, headers: { 'Content-Type': 'text/html' }, text: '<html>\r\n<title>Log in</title></html>' },
    { status: 302, headers: { Location: 'https://login.site.example/?next=a' }, text: '' },
    { status: 200, headers: {}, text: 'thank you' },
  ];
  const server = createServer((request, response) => {
    request.resume();
    const { status = 500, headers = {}, text = '' } = answers.shift() ?? {};
    response.writeHead(status, headers).end(text);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => server.close().closeAllConnections());
  const root = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const deliver = createHttpDelivery({ root, prefix: '', password: undefined, caFile: undefined, proxy: undefined });
  expect(await deliver(packet('1'))).toEqual({
    kind: 'later',
    reason: `${root}/sample answered 200: a page ("Log in"), which is not of a receiver`,
  });
  expect(await deliver(packet('1'))).toMatchObject({
    kind: 'later',
    reason: expect.stringContaining('a redirect to https://login.site.example/,'),
  });
  expect(await deliver(packet('1'))).toEqual({ kind: 'delivered' });
});

it('a message is sent by POST, packed, to the address of its type, with the cluster as user', async () => {
  const seen: object[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const { authorization, 'content-type': type } = request.headers;
      seen.push({
        method: request.method,
        url: request.url,
        authorization,
        type,
        text: gunzipSync(Buffer.concat(parts)).toString(),
      });
      response.writeHead(seen.length === 1 ? 200 : 401).end('who\n are you');
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => server.close().closeAllConnections());
  const { port } = server.address() as { port: number };
  const target = { root: `http://127.0.0.1:${port}/api`, password: 'secret', caFile: undefined, proxy: undefined };
  const deliver = createHttpDelivery({ ...target, prefix: 'zap' });
  expect(await deliver(packet('a', { type: 'job' }))).toEqual({ kind: 'delivered' });
  expect(seen).toEqual([
    {
      method: 'POST',
      url: '/api/zap.job',
      authorization: `Basic ${Buffer.from('c.org:secret').toString('base64')}`,
      type: 'application/json',
      text: packet('a').text,
    },
  ]);
  expect(await deliver(packet('b'))).toEqual({
    kind: 'later',
    reason: `http://127.0.0.1:${port}/api/zap.sample answered 401: who are you`,
  });
  server.close().closeAllConnections();
  await expect(deliver(packet('c'))).rejects.toThrow(`http://127.0.0.1:${port} cannot be reached: `);
});

it('appended lines of several writers do not mix', () => {
  const path = join(temporaryFolder(), 'a/b.json');
  for (let index = 0; index < 50; index += 1) appendLine(path, String(index));
  expect(readFileSync(path, 'utf8').trim().split('\n')).toHaveLength(50);
});
