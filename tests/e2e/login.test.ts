import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { hashSync } from 'bcryptjs';
import { startServer, temporaryFolder, torc } from '../support/programs.ts';

/** A service that takes anybody and remembers as whom they came. */
async function listener() {
  const logins = new Set<string>();
  const server = createServer(({ headers }, response) => {
    logins.add(Buffer.from((headers.authorization ?? '').replace('Basic ', ''), 'base64').toString());
    response.end(JSON.stringify({ status: 'Server is running', version: '0.1.0', api_version: '0.35.0' }));
  });
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done));
  onTestFinished(() => void server.close());
  return { logins, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/torc-service/v1` };
}

describe('a password', () => {
  it('a password is asked for where that is requested, and wins over the environment', async () => {
    const { logins, url } = await listener();
    const environment = { TORC_API_URL: url, TORC_PASSWORD: 'other', TORC_USERNAME: 'ada' };
    const around = { cwd: temporaryFolder(), environment, input: 'typed word\n' };
    const { code, stdout } = await torc(['--prompt-password', 'ping', '--skip-version-check'], around);
    expect([code, stdout]).toEqual([0, `Server is running (${url})\n`]);
    expect([...logins]).toEqual(['ada:typed word']);
    await torc(['ping'], around);
    expect([...logins]).toEqual(['ada:typed word', 'ada:other']);
  });
});

describe('a login in the URL', () => {
  it('a login in the URL is used, jobs get it as variables, and nothing that is printed or given to a job shows its password', async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'users'), `ann:${hashSync('secret word', 4)}\n`);
    const { url } = await startServer(cwd, { more: ['--auth-file', 'users', '--require-auth'] });
    const at = url.replace('://', '://ann:secret%20word@');
    writeFileSync(
      join(cwd, 'w.yaml'),
      'name: w\njobs:\n  - {name: a, command: "echo $TORC_API_URL $TORC_USERNAME $TORC_PASSWORD; curl -sf -u \\"$TORC_USERNAME:$TORC_PASSWORD\\" $TORC_API_URL/ping"}\n  - {name: b, command: exit 3}\n',
    );
    const around = { cwd, environment: { TORC_USERNAME: 'other', TORC_PASSWORD: undefined } };
    const run = await torc(['--url', at, 'run', 'w.yaml', '-o', 'out'], around);
    const { stdout: results } = await torc(['--url', at, '-f', 'json', 'results', 'list', '1'], around);
    const { items } = JSON.parse(results) as { items: { job_name: string; return_code: number }[] };
    expect(new Map(items.map((each) => [each.job_name, each.return_code]))).toEqual(
      new Map([
        ['a', 0],
        ['b', 3],
      ]),
    );
    const output = readFileSync(join(cwd, 'out/job_stdio/job_wf1_j1_r1_a1.o'), 'utf8');
    expect(output).toMatch(new RegExp(`^${url} ann secret word\n\\{`));
    const refused = await torc(['--url', at.replace('secret', 'wrong'), 'ping'], around);
    const away = await torc(['--url', 'http://ann:secret%20word@127.0.0.1:9/torc-service/v1', 'ping'], around);
    expect(refused.stderr).toContain(`the server at ${url} refused the login of user "ann"`);
    expect(away.stderr).toContain('no reply from http://127.0.0.1:9/torc-service/v1: ');
    const shown = await torc(['--url', at, 'page', '1'], around);
    for (const { stdout, stderr } of [run, refused, away, shown]) expect(stdout + stderr).not.toMatch(/secret|word@/);
    expect(run.stderr).toContain('ann:***@');
  });

  it('a percent sign that encodes nothing is a character of the password', async () => {
    const { logins, url } = await listener();
    await torc(['--url', url.replace('://', '://ann:50%@'), 'ping', '--skip-version-check'], {
      cwd: temporaryFolder(),
    });
    expect([...logins]).toEqual(['ann:50%']);
  });
});

describe('certificates to trust', () => {
  it('certificates to trust that cannot be read, or are none, are named; plain HTTP goes on without them', async () => {
    const { url } = await listener();
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'text'), 'no certificate');
    const ping = (path: string) => torc(['--tls-ca-cert', path, '--url', url, '--skip-version-check', 'ping'], { cwd });
    expect(await ping('absent')).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^warning: the certificates in absent cannot be read: ENOENT/),
    });
    expect((await ping('text')).stderr).toContain('warning: text is not a PEM file');
  });
});
