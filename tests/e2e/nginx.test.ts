import { existsSync, writeFileSync } from 'node:fs';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { whenOver } from '../support/over.ts';
import { startServer, temporaryFolder, torc, until } from '../support/programs.ts';

/** A server behind a real nginx, set up as sites do. Passed over where nginx is missing. */

const NGINX = ['/usr/sbin/nginx', '/usr/bin/nginx'].find(existsSync);

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  return port;
}

/** The address of an nginx whose server section has these lines. */
async function nginxWith(lines: string): Promise<string> {
  const cwd = temporaryFolder();
  const port = await freePort();
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${cwd}/${name};`);
  writeFileSync(
    join(cwd, 'nginx.conf'),
    `daemon off; pid ${cwd}/pid; error_log stderr; worker_processes 1; events {}
http { access_log off; ${paths.join(' ')}
  server { listen 127.0.0.1:${port}; ${lines} } }`,
  );
  const nginx = spawn(NGINX as string, ['-p', cwd, '-c', join(cwd, 'nginx.conf')], { stdio: 'ignore' });
  const ended = new Promise((done) => nginx.once('exit', done));
  whenOver(async () => {
    nginx.kill('SIGTERM');
    await ended;
  });
  const root = `http://127.0.0.1:${port}`;
  await until(
    () =>
      fetch(root, { redirect: 'manual' }).then(
        () => true,
        () => false,
      ),
    (isThere) => isThere,
    'nginx',
  );
  return root;
}

const FLOW =
  'name: w\njobs:\n  - {name: "a_{i}", command: "echo {i}", parameters: {i: "1:20"}}\n  - {name: last, command: "true", depends_on_regexes: ["^a_"]}\n';

describe.skipIf(NGINX === undefined)('a server behind nginx (needs nginx)', () => {
  it('a whole run goes through nginx below a prefix, as the page about browsers sets it up', async () => {
    const cwd = temporaryFolder();
    const { port } = await startServer(cwd);
    const root = await nginxWith(
      `location /torc/ { proxy_pass http://127.0.0.1:${port}/; proxy_set_header Host 127.0.0.1:${port}; }`,
    );
    writeFileSync(join(cwd, 'w.yaml'), FLOW);
    const { code, stderr } = await torc(['--url', `${root}/torc/torc-service/v1`, 'run', 'w.yaml', '-o', 'out'], {
      cwd,
    });
    expect([code, stderr]).toEqual([0, expect.stringContaining('21 jobs completed')]);
  });

  it.each([
    [
      'a body above its limit',
      'client_max_body_size 1k;',
      'replied 413 Payload Too Large: a page ("413 Request Entity Too Large")',
      'client_max_body_size',
    ],
    [
      'an address that it refuses',
      'deny all;',
      'replied 403 Forbidden: a page ("403 Forbidden")',
      'A rule of the proxy',
    ],
  ])('%s is one line, with what to do', async (_, lines, words, remedy) => {
    const cwd = temporaryFolder();
    const { port } = await startServer(cwd);
    const root = await nginxWith(`${lines} location / { proxy_pass http://127.0.0.1:${port}; }`);
    writeFileSync(join(cwd, 'w.yaml'), FLOW);
    const { code, stderr } = await torc(['--url', `${root}/torc-service/v1`, 'create', 'w.yaml'], { cwd });
    expect(code).toBe(1);
    expect(stderr).toContain(`a program in front of the server ${words}`);
    expect(stderr).toContain(remedy);
    expect(stderr).not.toMatch(/<html|u000d/);
  });

  it('a server that is away behind nginx, and one that moved to https, are said as that', async () => {
    const cwd = temporaryFolder();
    const away = await nginxWith(`location / { proxy_pass http://127.0.0.1:${await freePort()}; }`);
    const ping = (root: string) => torc(['--url', `${root}/torc-service/v1`, 'ping', '--skip-version-check'], { cwd });
    expect((await ping(away)).stderr).toContain('replied 502 Bad Gateway: a page ("502 Bad Gateway")');
    const moved = await nginxWith('location / { return 301 https://torc.site.example$request_uri; }');
    expect((await ping(moved)).stderr).toContain('found a redirect to https://torc.site.example/torc-service/v1/ping');
  });

  it('a login page that nginx sends instead of asking the server is said as that, with what to do', async () => {
    const cwd = temporaryFolder();
    const root = await nginxWith(
      "default_type text/html; location / { return 200 '<html><title>Site login</title></html>'; }",
    );
    const { code, stderr } = await torc(['--url', `${root}/torc-service/v1`, 'workflows', 'list'], { cwd });
    expect([code, stderr]).toEqual([1, expect.stringContaining('found a page ("Site login")')]);
  });
});
