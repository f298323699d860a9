import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hashSync } from 'bcryptjs';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Program, start, temporaryFolder, torc } from '../support/programs.ts';

const hasOpenssl = (() => {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

/** One server over TLS with logins and access enforced, as docs/how-to/run-a-shared-server.md sets it up. */
describe.skipIf(!hasOpenssl)('a server for several people (needs openssl)', () => {
  let folder: string;
  let server: Program;
  let url: string;
  const line = (user: string, password: string) => `${user}:${hashSync(password, 4)}\n`;

  beforeAll(async () => {
    folder = temporaryFolder();
    const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
    const files = ['-keyout', 'server.key', '-out', 'server.pem'];
    execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...files, ...subject], {
      cwd: folder,
      stdio: 'ignore',
    });
    writeFileSync(join(folder, 'users'), ['ada', 'bob', 'root'].map((user) => line(user, `of ${user}`)).join(''));
    server = start(
      'torc-server',
      [
        ...'run --port 0 --https --tls-cert server.pem --tls-key server.key'.split(' '),
        ...'--auth-file users --require-auth --enforce-access-control --admin-user root --database torc.db'.split(' '),
      ],
      { cwd: folder },
    );
    let said = '';
    server.child.stdout?.on('data', (text: string) => (said += text));
    await server.says('TORC_SERVER_PORT=');
    url = `https://localhost:${/TORC_SERVER_PORT=(\d+)/.exec(said)?.[1]}/torc-service/v1`;
  });

  const as = (user: string, password = `of ${user}`) => ({
    cwd: folder,
    environment: {
      TORC_API_URL: url,
      TORC_TLS_CA_CERT: join(folder, 'server.pem'),
      TORC_USERNAME: user,
      TORC_PASSWORD: password,
    },
  });
  const call = (user: string, ...words: string[]) => torc(words, as(user));

  it('a server for several people is reached by who trusts its certificate and has a login, and by nobody else', async () => {
    expect((await call('ada', 'ping')).code).toBe(0);
    const wrong = await torc(['ping'], as('ada', 'something else'));
    expect([wrong.code, wrong.stderr]).toEqual([
      1,
      `Error: the server at ${url} refused the login of user "ada": the password is wrong, or the server has no such user\n` +
        'Correct TORC_USERNAME and TORC_PASSWORD (--password), or give --prompt-password; the administrator of the server sets passwords with torc-htpasswd.\n',
    ]);
    const { TORC_TLS_CA_CERT: _, ...trustless } = as('ada').environment;
    const untrusted = await torc(['ping'], { cwd: folder, environment: trustless });
    expect([untrusted.code, untrusted.stderr]).toEqual([1, expect.stringContaining('self-signed') as string]);
    const plain = await torc(['ping'], {
      cwd: folder,
      environment: { ...as('ada').environment, TORC_API_URL: url.replace('https', 'http') },
    });
    expect(plain.code).toBe(1);
  });

  it('a server for several people runs the workflow of a user, whose jobs are told how to speak to it as that user; others do not see it, administrators do', async () => {
    const job = `test "$TORC_USERNAME:$TORC_PASSWORD:$TORC_API_URL" = "ada:of ada:${url}"`;
    writeFileSync(join(folder, 'one.json'), JSON.stringify({ name: 'one', jobs: [{ name: 'say', command: job }] }));
    const ran = await call('ada', 'run', 'one.json');
    expect([ran.code, ran.stderr]).toEqual([0, expect.stringContaining('1 job completed') as string]);
    const listed = async (user: string) =>
      (JSON.parse((await call(user, '-f', 'json', 'workflows', 'list', '-a')).stdout) as { items: { user: string }[] })
        .items;
    expect((await listed('ada')).map((each) => each.user)).toEqual(['ada']);
    expect(await listed('bob')).toEqual([]);
    expect(await listed('root')).toHaveLength(1);
    const refused = await call('bob', 'jobs', 'list', '1');
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining("User 'bob' does not have access to workflow 1") as string,
    ]);
    expect((await call('bob', 'admin', 'sql', 'select 1')).stderr).toContain(
      "User 'bob' is not a system administrator",
    );
    expect(JSON.parse((await call('root', '-f', 'json', 'admin', 'sql', 'select user from workflow')).stdout)).toEqual({
      columns: ['user'],
      items: [{ user: 'ada' }],
      committed: false,
    });
  });

  it('a server for several people lets a user in as soon as its file was read again', async () => {
    expect((await call('eve', 'ping')).code).toBe(1);
    const words = ['add', '-f', 'users', 'eve', '--cost', '4', '--reload-auth', '--url', url];
    const { environment } = as('root');
    const added = start('torc-htpasswd', words, {
      cwd: folder,
      environment: { ...environment, TORC_PASSWORD: '' },
      input: 'of eve, whose password is long\n',
    });
    const { code, stderr } = await added.ended;
    expect([code, stderr]).toEqual([1, expect.stringContaining('refused the login of user "root"') as string]);
    expect((await call('bob', 'admin', 'reload-auth')).stderr).toContain("User 'bob' is not a system administrator");
    expect((await call('root', 'admin', 'reload-auth')).stdout).toContain('4');
    expect((await torc(['ping'], as('eve', 'of eve, whose password is long'))).code).toBe(0);
  });
});
