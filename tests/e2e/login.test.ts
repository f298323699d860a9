import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder, torc } from '../support/programs.ts';

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
