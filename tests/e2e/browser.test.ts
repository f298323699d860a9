import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { BASE_PATH } from '../../src/core/contract/base-path.ts';
import { CHROMIUM } from '../support/browser.ts';
import { startServer, temporaryFolder } from '../support/programs.ts';

/** A real browser with pages that mean harm. Without chromium these tests are skipped. */

/** Opens an address in a browser of its own, for which the name evil.example stands for this machine. */
function browse(url: string): void {
  const child = spawn(
    CHROMIUM as string,
    [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-dev-shm-usage',
      '--no-first-run',
      '--remote-debugging-port=0',
      '--host-resolver-rules=MAP evil.example 127.0.0.1',
      `--user-data-dir=${join(temporaryFolder(), 'profile')}`,
      url,
    ],
    { stdio: 'ignore', detached: true },
  );
  const ended = once(child, 'exit');
  onTestFinished(async () => {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    await ended;
  });
}

/** A server of pages that hears how each attempt of a page went. */
async function pageOf(scriptOf: () => string): Promise<{ port: number; outcomes: Promise<Record<string, string>> }> {
  let hear: (outcomes: Record<string, string>) => void = () => {};
  const outcomes = new Promise<Record<string, string>>((resolve) => {
    hear = resolve;
  });
  const server = createServer((incoming, outgoing) => {
    if (incoming.method === 'GET') {
      outgoing.setHeader('Content-Type', 'text/html').end(`<!doctype html><body><script>${scriptOf()}</script>`);
      return;
    }
    let text = '';
    incoming.setEncoding('utf8').on('data', (part: string) => (text += part));
    incoming.on('end', () => {
      outgoing.end();
      hear(JSON.parse(text) as Record<string, string>);
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => server.closeAllConnections());
  onTestFinished(() => void server.close());
  return { port: (server.address() as AddressInfo).port, outcomes };
}

/** Tries each way in which a page can send something to another server, and reports the outcome to its own server. */
const attack = (service: string) => `
  const at = (path) => ${JSON.stringify(service)} + '${BASE_PATH}' + path;
  const tried = (promise) => promise.then((answer) => answer.type + ' ' + answer.status, () => 'failed');
  const form = (path) => new Promise((done) => {
    const frame = document.createElement('iframe');
    frame.name = 'answer of ' + path;
    document.body.append(frame);
    const made = document.createElement('form');
    Object.assign(made, { method: 'POST', action: at(path), target: frame.name, enctype: 'text/plain' });
    document.body.append(made);
    frame.onload = () => done('sent');
    made.submit();
  });
  const image = (path) => new Promise((done) => {
    const made = document.body.appendChild(new Image());
    made.onload = made.onerror = () => done('sent');
    made.src = at(path);
  });
  const stream = (path) => new Promise((done) => {
    const made = new EventSource(at(path));
    made.onopen = () => done('open');
    made.onerror = () => { made.close(); done('refused'); };
  });
  (async () => {
    const outcomes = {
      simple: await tried(fetch(at('/workflows/1/claim_next_jobs?limit=1'), { method: 'POST', mode: 'no-cors', body: '{}' })),
      asked: await tried(fetch(at('/workflows'), {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ name: 'of the page', user: 'page' }),
      })),
      read: await tried(fetch(at('/workflows'))),
      form: await form('/workflows/1/reset_status'),
      claim: await form('/workflows/1/claim_next_jobs?limit=1'),
      image: await image('/workflows/1/events/stream'),
      stream: await stream('/workflows/1/events/stream'),
    };
    await fetch('/done', { method: 'POST', body: JSON.stringify(outcomes) });
  })();`;

describe.skipIf(CHROMIUM === undefined)('a page in a browser (skipped where chromium is missing)', () => {
  const prepared = async (more: string[] = []) => {
    const server = await startServer(temporaryFolder(), { more });
    const { id } = await server.client.createWorkflow({ body: { name: 'precious', user: 'ada' } });
    await server.client.createJob({ body: { workflow_id: id, name: 'a', command: 'true' } });
    await server.client.initializeJobs({ params: { id: id } });
    const state = async () => ({
      workflows: (await server.client.listWorkflows({ query: {} })).items.map(({ name }) => name),
      jobs: (await server.client.listJobs({ query: { workflow_id: id } })).items.map(({ status }) => status),
      events: (await server.client.listEvents({ query: { workflow_id: id } })).items.length,
    });
    return { ...server, state };
  };

  it.each(['127.0.0.1', 'localhost', 'evil.example'])(
    'of another origin on %s changes nothing and reads nothing, whatever it sends',
    async (name) => {
      const { port, state, client } = await prepared();
      const before = await state();
      const page = await pageOf(() => attack(`http://127.0.0.1:${port}`));
      browse(`http://${name}:${page.port}/`);
      expect(await page.outcomes).toEqual({
        simple: 'opaque 0',
        asked: 'failed',
        read: 'failed',
        form: 'sent',
        claim: 'sent',
        image: 'sent',
        stream: 'refused',
      });
      expect(await state()).toEqual(before);
      const { buckets } = await client.getApiStats({ query: { interval_seconds: 3_600 } });
      expect(buckets.reduce((sum, each) => sum + each.status_4xx, 0)).toBeGreaterThanOrEqual(7);
    },
  );

  it('a page in a browser whose own name resolves to this machine is refused, though for the browser it is the same origin', async () => {
    const { port, state } = await prepared();
    const before = await state();
    const page = await pageOf(() => attack(`http://evil.example:${port}`));
    browse(`http://evil.example:${page.port}/`);
    expect(await page.outcomes).toMatchObject({ asked: 'failed', read: 'failed', stream: 'refused' });
    expect(await state()).toEqual(before);
    const answer = await dump(`http://evil.example:${port}${BASE_PATH}/workflows`);
    expect(answer).toContain('HOST_REFUSED');
    expect(answer).not.toContain('precious');
  });

  it('a page in a browser of an allowed origin is answered, and so is a user who types the address', async () => {
    let script = '';
    const page = await pageOf(() => script);
    const { port, state } = await prepared(['--allowed-origin', `http://localhost:${page.port}`]);
    script = attack(`http://127.0.0.1:${port}`);
    browse(`http://localhost:${page.port}/`);
    // What a form asks for is navigation: browsers say its origin too.
    expect(await page.outcomes).toMatchObject({ asked: 'cors 200', read: 'cors 200', stream: 'open' });
    expect((await state()).workflows).toEqual(['precious', 'of the page']);
    expect(await dump(`http://localhost:${port}${BASE_PATH}/workflows`)).toContain('precious');
  });
});

/** What a browser shows of an address. */
async function dump(url: string): Promise<string> {
  const child = spawn(
    CHROMIUM as string,
    [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-dev-shm-usage',
      '--host-resolver-rules=MAP evil.example 127.0.0.1',
      `--user-data-dir=${join(temporaryFolder(), 'profile')}`,
      '--dump-dom',
      url,
    ],
    { stdio: ['ignore', 'pipe', 'ignore'] },
  );
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => (text += part));
  await once(child, 'close');
  return text;
}
