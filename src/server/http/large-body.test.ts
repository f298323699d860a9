import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { longestWait } from '../../../tests/support/longest-wait.ts';
import { testService, type TestService } from '../../../tests/support/service.ts';
import { BASE_PATH } from '../../core/contract/base-path.ts';
import { serve, type RunningServer } from '../serve.ts';

describe('a large body', () => {
  let service: TestService;
  beforeEach(async () => {
    service = testService();
    await service.client.createWorkflow({ body: { name: 'w', user: 'u' } });
  });

  const send = async (text: string) => {
    const sent = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: text };
    const response = await service.app.request(`${BASE_PATH}/bulk_jobs?reply=ids`, sent);
    return { status: response.status, body: (await response.json()) as { error?: { message: string } } };
  };
  const jobs = (count: number, job: object) =>
    Array.from({ length: count }, (_, index) => ({ workflow_id: 1, name: `j${index}`, command: 'true', ...job }));

  it('a large body blocks no other request while it is parsed and checked', async () => {
    // The last job is refused, so nothing is written: only the body is measured.
    const list = [...jobs(45_000, { env: { A: 'x'.repeat(300), B: 'größe' } }), { workflow_id: 1, name: 7 }];
    const text = JSON.stringify({ jobs: list });
    expect(text.length).toBeGreaterThan(15 * 2 ** 20);
    const response: { status: number; body: { error?: { message: string } } }[] = [];
    const longest = await longestWait(async () => response.push(await send(text)));
    expect(response[0]?.status).toBe(422);
    expect(response[0]?.body.error?.message).toContain('jobs[45000].name: ');
    expect(longest).toBeLessThan(150);
  });

  it('a large body is accepted like a small one', async () => {
    expect((await send(JSON.stringify({ jobs: jobs(3_000, { env: { A: 'ü'.repeat(100) } }) }, null, 2))).status).toBe(
      200,
    );
    const { items, total_count: total } = await service.client.listJobs({ query: { workflow_id: 1, limit: 1 } });
    expect([total, items[0]?.env]).toEqual([3_000, { A: 'ü'.repeat(100) }]);
  });

  it('a large body is refused at its first wrong elements: the rest is not looked at', async () => {
    const text = JSON.stringify({
      depends_on_positions: 5,
      jobs: jobs(3_000, { command: 5, env: { A: 'x'.repeat(50) } }),
    });
    const { status, body } = await send(text);
    expect(status).toBe(422);
    expect(body.error?.message).toMatch(/target type: jobs\[0\]\.command: .*jobs\[19\]\.command: .*; and more$/);
    // What is behind them is no JSON.
    expect((await send(text.replace(/\]\}$/, 'x'))).status).toBe(422);
  });

  it('a large body is refused with the few errors of its lists and of its other fields, in the order of the schema', async () => {
    const wrong = { ...jobs(1, {})[0], command: 5 };
    const good = jobs(3_000, { env: { A: 'x'.repeat(50) } });
    const { status, body } = await send(JSON.stringify({ depends_on_positions: 5, jobs: [...good, wrong] }));
    expect(status).toBe(422);
    expect(body.error?.message).toMatch(/target type: jobs\[3000\]\.command: .*; depends_on_positions: [^;]*$/);
  });

  it('a list that is given twice counts once, as the last one, and is checked as such', async () => {
    const good = JSON.stringify(jobs(3_000, { env: { A: 'x'.repeat(50) } }));
    const twice = (first: string, second: string) => `{"jobs":${first},"jobs":${second}}`;
    const wrong = '[{"workflow_id":1,"name":"a","command":5}]';
    expect((await send(twice(good, wrong))).status).toBe(422);
    expect((await send(twice(wrong, good))).status).toBe(200);
  });

  it('an element that is larger than a piece is checked when all of it is there', async () => {
    const large = (command: unknown) => ({
      ...jobs(1, {})[0],
      env: { A: 'x'.repeat(200_000), B: 'y'.repeat(200_000) },
      command,
    });
    expect((await send(JSON.stringify({ jobs: [large('true'), large(5)] }))).body.error?.message).toContain(
      'jobs[1].command',
    );
    expect((await send(JSON.stringify({ jobs: [large('true')] }))).status).toBe(200);
  });

  it.each([
    ['an extra comma', (text: string) => text.replace(/\]\}$/, ',]}')],
    ['no end', (text: string) => text.slice(0, -1)],
    ['data after its end', (text: string) => `${text}{}`],
  ])('a large body with %s is not JSON, and is refused as such', async (_, damaged) => {
    const { status, body } = await send(damaged(JSON.stringify({ jobs: jobs(5_000, {}) })));
    expect([status, body.error?.message]).toEqual([
      400,
      expect.stringContaining('Failed to parse the request body as JSON: '),
    ]);
  });
});

const WAIT = { timeout: 10_000, interval: 10 };

describe('a slow body', () => {
  let folder: string;
  let service: RunningServer;
  const errors: unknown[] = [];
  const sockets: Socket[] = [];
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'slow-'));
    const note = (error: unknown) => errors.push(error);
    service = await serve({
      database: join(folder, 'slow.db'),
      host: '127.0.0.1',
      port: 0,
      bodyGraceMs: 200,
      onError: note,
      onBroken: note,
    });
  });
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await service.close();
    rmSync(folder, { recursive: true });
    expect(errors.splice(0)).toEqual([]);
  });
  const open = async (length: number) => {
    const socket = connect(service.port, '127.0.0.1');
    sockets.push(socket);
    await once(socket, 'connect');
    socket.write(
      `POST ${BASE_PATH}/workflows HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`,
    );
    return socket;
  };

  it('a slow body is refused with 408 and its connection is closed, although a byte arrives now and then', async () => {
    const socket = await open(1_000_000);
    const drip = setInterval(() => socket.write(' '), 20);
    let answer = '';
    socket.on('data', (part: Buffer) => void (answer += String(part)));
    socket.on('error', () => {});
    await once(socket, 'close');
    clearInterval(drip);
    expect(answer).toMatch(/^HTTP\/1\.1 408 /);
    expect(answer).toContain('BODY_TOO_SLOW');
  });

  it('a body in pieces is accepted if it arrives fast enough', async () => {
    const text = JSON.stringify({ name: 'w', user: 'u', description: 'x'.repeat(100_000) });
    const socket = await open(text.length);
    // 10,000 bytes every 40 ms are 250 KB/s: 400 ms in total, twice the time allowed for a body of any size.
    for (let at = 0; at < text.length; at += 10_000) {
      socket.write(text.slice(at, at + 10_000));
      await new Promise((resolve) => void setTimeout(resolve, 40));
    }
    const [answer] = (await once(socket, 'data')) as [Buffer];
    expect(String(answer)).toMatch(/^HTTP\/1\.1 200 /);
  });

  const head = (headers: string) =>
    `POST ${BASE_PATH}/workflows HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n${headers}\r\n\r\n`;
  /** Connects, and writes `part` after the head until the connection ends; returns what was answered and taken. */
  const insist = async (headers: string, part: string) => {
    const socket = connect(service.port, '127.0.0.1');
    sockets.push(socket);
    let answer = '';
    socket.on('data', (text: Buffer) => void (answer += String(text)));
    socket.on('error', () => {});
    await once(socket, 'connect');
    socket.write(head(headers));
    while (!socket.destroyed) {
      const isTaken = socket.write(part);
      await new Promise<void>((resolve) => {
        if (isTaken) setImmediate(resolve);
        else for (const event of ['drain', 'close']) socket.once(event, resolve);
      });
    }
    return { answer, bytes: socket.bytesWritten };
  };

  it('a body in chunks of a byte is refused after the first thousand, and its connection is closed', async () => {
    const { answer } = await insist('Transfer-Encoding: chunked', '1\r\nx\r\n'.repeat(1000));
    expect(answer).toMatch(/^HTTP\/1\.1 408 /);
    expect(answer).toContain('bytes in 1001 chunks');
  });

  it.each([
    ['in chunks of a byte', 'Transfer-Encoding: chunked', '1\r\nx\r\n'.repeat(1000)],
    ['in chunks of 60 KB', 'Transfer-Encoding: chunked', `ea60\r\n${'x'.repeat(60_000)}\r\n`],
    ['of a gigabyte', `Content-Length: ${2 ** 30}`, 'x'.repeat(60_000)],
  ])('a refused request is closed, and its client cannot go on sending a body %s', async (_, headers, part) => {
    const { answer, bytes } = await insist(`Origin: http://evil.example\r\n${headers}`, part);
    expect(answer).toMatch(/^HTTP\/1\.1 403 /);
    expect(bytes).toBeLessThan(2 ** 30);
  });

  it('a refused request whose body arrives soon after the reply keeps its connection', async () => {
    const socket = connect(service.port, '127.0.0.1');
    sockets.push(socket);
    let answers = '';
    socket.on('data', (text: Buffer) => void (answers += String(text)));
    await once(socket, 'connect');
    socket.write(head('Origin: http://evil.example\r\nContent-Length: 100000'));
    await vi.waitFor(() => expect(answers).toMatch(/^HTTP\/1\.1 403 /), WAIT);
    socket.write('x'.repeat(100_000));
    socket.write(`GET ${BASE_PATH}/ping HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    await vi.waitFor(() => expect(answers).toContain('HTTP/1.1 200 '), WAIT);
  });
});
