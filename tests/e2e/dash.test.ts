import { existsSync, lstatSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CHROMIUM, openBrowser, watchPage } from '../support/browser.ts';
import { type Program, start, startServer, temporaryFolder, torc } from '../support/programs.ts';

/** `torc-dash` as Torc 1.0.0 has it: the page of a server on an address of this machine. */

const ADDRESS = /^(http:\/\/[^/]+\/)(\?key=[\w-]+)?(#token=\S+)?$/m;

/** The address that it prints. */
async function addressOf({ child, says }: Program): Promise<RegExpExecArray> {
  let text = '';
  child.stdout?.on('data', (part: string) => (text += part));
  await says(ADDRESS);
  const found = ADDRESS.exec(text);
  if (found === null) throw new Error(`no address in ${text}`);
  return found;
}

/** Starts it on any free port, and returns the address of its page. */
async function started(
  cwd: string,
  ...args: string[]
): Promise<{ dash: Program; root: string; key: string; token: string }> {
  const dash = start('torc-dash', ['--port', '0', ...args], { cwd });
  const [, root = '', key = '', token = ''] = await addressOf(dash);
  return { dash, root, key, token };
}

/** The reply to a request with any headers, over TCP or a socket. */
const reply = (place: object, path: string, headers: Record<string, string> = {}) =>
  new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
    request({ ...place, path, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.on('end', () => resolve({ status: response.statusCode, text }));
    })
      .on('error', reject)
      .end();
  });
const place = (root: string) => ({ host: '127.0.0.1', port: Number(new URL(root).port) });

it('torc-dash serves the page and the routes of a server, its own version and user, and nothing that changes files or starts programs', async () => {
  const cwd = temporaryFolder();
  const server = await startServer(cwd);
  const { dash, root } = await started(cwd, '--api-url', server.url);
  expect((await reply(place(root), '/')).text).toContain('<title>');
  expect((await reply(place(root), '/torc-service/v1/ping')).status).toBe(200);
  expect(JSON.parse((await reply(place(root), '/api/user')).text)).toEqual({ user: 'tester' });
  expect((await reply(place(root), '/api/version')).status).toBe(200);
  expect((await reply(place(root), '/api/cli/read-file')).status).toBe(404);
  expect((await reply(place(root), '/torc-service/../etc/passwd')).status).toBe(404);
  dash.child.kill('SIGINT');
  expect((await dash.ended).code).toBe(0);
});

it('torc-dash answers no page of another origin and no other name than those of this machine', async () => {
  const cwd = temporaryFolder();
  const server = await startServer(cwd);
  const { root } = await started(cwd, '-a', server.url);
  const path = '/torc-service/v1/workflows';
  expect((await reply(place(root), path, { Origin: 'http://evil.example' })).text).toContain('ORIGIN_REFUSED');
  expect((await reply(place(root), path, { Host: 'evil.example' })).text).toContain('HOST_REFUSED');
  expect((await reply(place(root), path, { 'Sec-Fetch-Site': 'cross-site' })).text).toContain('ORIGIN_REFUSED');
  expect((await reply(place(root), path, { Origin: root.replace(/\/$/, '') })).status).toBe(200);
});

it('torc-dash with a cookie for a proxy answers only who has the key of its start address, and with a socket its user', async () => {
  const cwd = temporaryFolder();
  const server = await startServer(cwd);
  const withCookie = ['--url', server.url, '--cookie-header', 'portal=owner'];
  const { dash, root, key } = await started(cwd, ...withCookie);
  const path = '/torc-service/v1/workflows';
  expect(JSON.parse((await reply(place(root), path)).text)).toEqual({
    error: expect.objectContaining({ code: 'START_KEY_MISSING' }),
  });
  expect((await reply(place(root), `/${key}`)).status).toBe(303);
  const cookie = `torc-dash-${place(root).port}=${key.replace('?key=', '')}`;
  expect((await reply(place(root), path, { Cookie: cookie })).status).toBe(200);
  dash.child.kill('SIGINT');
  expect((await dash.ended).stderr).toContain('The cookie is sent for a browser that opened this address');

  const socket = join(cwd, 'dash.sock');
  const onSocket = start('torc-dash', ['--socket', socket, ...withCookie], { cwd });
  await onSocket.says(socket);
  expect((await reply({ socketPath: socket }, path, { Host: 'localhost' })).status).toBe(200);
});

it('torc-dash takes the next port where its own is in use, and says so', async () => {
  const cwd = temporaryFolder();
  const server = await startServer(cwd);
  const other = createServer();
  await new Promise<void>((resolve) => void other.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void other.close());
  const { port } = other.address() as AddressInfo;
  const dash = start('torc-dash', ['--port', String(port), '--url', server.url], { cwd });
  const [, root = ''] = await addressOf(dash);
  expect(place(root).port).toBeGreaterThan(port);
  dash.child.kill('SIGTERM');
  expect((await dash.ended).stderr).toContain(`port ${port} is in use; torc-dash listens on ${place(root).port}`);
});

it('a socket of torc-dash is for its user alone; one that a killed program left is replaced, and a file or one in use is not', async () => {
  const cwd = temporaryFolder();
  const server = await startServer(cwd);
  const path = join(cwd, 'dash.sock');
  const begin = () => start('torc-dash', ['--socket', path, '--url', server.url], { cwd });
  const first = begin();
  await first.says(path);
  expect(lstatSync(path).mode & 0o777).toBe(0o600);
  expect((await reply({ socketPath: path }, '/', { Host: 'localhost' })).text).toContain('<title>');
  const second = begin();
  expect(await second.ended).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`another program listens on ${path}`),
  });
  first.child.kill('SIGKILL');
  await first.ended;
  expect(existsSync(path)).toBe(true);
  const third = begin();
  await third.says(path);
  const file = join(cwd, 'file');
  writeFileSync(file, 'precious');
  const { stderr, code } = await start('torc-dash', ['--socket', file, '--url', server.url], { cwd }).ended;
  expect([code, stderr]).toEqual([1, expect.stringContaining(`${file} is there and is not a socket`)]);
});

it('torc-dash says that its server is away, and goes on when it is back', async () => {
  const cwd = temporaryFolder();
  const server = await startServer(cwd);
  const { root } = await started(cwd, '--url', server.url);
  server.program.child.kill('SIGKILL');
  await server.program.ended;
  const away = await reply(place(root), '/torc-service/v1/ping');
  expect([away.status, JSON.parse(away.text)]).toEqual([
    502,
    { error: expect.objectContaining({ code: 'SERVER_AWAY', message: expect.stringContaining('does not answer') }) },
  ]);
  await startServer(cwd, { port: server.port });
  expect((await reply(place(root), '/torc-service/v1/ping')).status).toBe(200);
});

it('torc-dash of a server without a page is refused, with what to do', async () => {
  const cwd = temporaryFolder();
  const other = createServer((_, outgoing) => void outgoing.writeHead(404).end());
  await new Promise<void>((resolve) => void other.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void other.close());
  const { port } = other.address() as AddressInfo;
  const dash = start('torc-dash', ['--url', `http://127.0.0.1:${port}/torc-service/v1`, '--skip-version-check'], {
    cwd,
  });
  const { code, stderr } = await dash.ended;
  expect([code, stderr]).toEqual([1, expect.stringContaining('this server has no page')]);
});

describe.skipIf(CHROMIUM === undefined)('torc-dash in a browser (skipped where chromium is missing)', () => {
  it('torc-dash --standalone opens with its token, is live, and other -s commands use its server', async () => {
    const cwd = temporaryFolder();
    const { root, token } = await started(cwd, '--standalone', '--database', join(cwd, 'own.db'));
    expect(token).toMatch(/^#token=/);
    expect((await reply(place(root), '/torc-service/v1/workflows')).status).toBe(401);
    const page = await (await openBrowser()).newPage();
    const faults = watchPage(page, root.replace(/\/$/, ''));
    await page.goto(root + token);
    await page.getByText('No workflow yet').waitFor();
    writeFileSync(join(cwd, 'flow.yaml'), 'name: seen\njobs: [{name: one, command: "true"}]\n');
    await torc(['-s', '--db', join(cwd, 'own.db'), 'run', 'flow.yaml'], { cwd });
    await page.getByRole('link', { name: 'seen' }).click();
    await page.getByText('The job completed.').waitFor();
    expect(faults).toEqual([]);
  });
});
