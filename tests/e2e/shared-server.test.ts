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

  it('a server for several people is reached by clients that trust its certificate and have a login, and by no others', async () => {
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

  it('a server for several people runs the workflow of a user, whose jobs get what they need to call it as that user; others do not see it, administrators do', async () => {
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

  it('a server for several people shows a workflow to the user that it is shared with, beside his own and with its owner, and to no third user', async () => {
    const shared = await call('ada', 'share', '1', 'bob');
    expect([shared.code, shared.stdout, shared.stderr]).toEqual([0, 'Shared workflow 1 with user bob\n', '']);
    expect((await call('ada', 'share', '1', 'bob')).stderr).toBe('Error: workflow 1 is already shared with user bob\n');
    expect((await call('ada', 'share', '1', 'bobb')).stderr).toContain(
      "This server has no user 'bobb', and no access group of yours has this name",
    );
    expect((await call('ada', 'share', '1', 'ada')).stderr).toContain("Workflow 1 belongs to 'ada'");

    const table = (await call('bob', 'workflows', 'list')).stdout;
    expect(table).toMatch(/^No workflows found for user: bob\n\nShared with bob:\n/);
    expect(table).toMatch(/│ +1 │ one +│ ada +│ finished +│ +1\/1 │/);
    expect((await call('bob', 'status', '1')).stdout).toContain('Workflow ID: 1\n');
    const json = async (...words: string[]) =>
      JSON.parse((await call('bob', '-f', 'json', ...words)).stdout) as unknown;
    expect(await json('workflows', 'list')).toEqual({ items: [] });
    expect(await json('workflows', 'list', '--shared')).toMatchObject({ items: [{ id: 1, user: 'ada' }] });
    expect((await call('bob', 'share', '1', 'root')).stderr).toContain("User 'bob' is not the owner of workflow 1");
    expect((await call('bob', 'share', '1')).stdout).toMatch(/│ user │ bob +│/);

    expect(await call('ada', 'share', '1', 'bob', '--remove')).toMatchObject({
      code: 0,
      stdout: 'Workflow 1 is no longer shared with user bob\n',
    });
    expect((await call('bob', 'status', '1')).stderr).toContain("User 'bob' does not have access to workflow 1");
    expect((await call('bob', 'workflows', 'list')).stdout).toBe('No workflows found for user: bob\n');
    expect((await call('ada', 'share', '1', 'bob', '--remove')).stderr).toContain(
      'workflow 1 is not shared with bob; it is shared with no one',
    );
  });

  it('a server for several people shows a workflow to the members of a group that it is shared with by name', async () => {
    await call('root', 'access-groups', 'create', 'lab');
    await call('root', 'access-groups', 'add-user', 'lab', 'bob');
    // Only members and administrators know a group by its name.
    expect((await call('ada', 'share', '1', 'lab')).code).toBe(1);
    await call('root', 'access-groups', 'add-user', 'lab', 'ada');
    expect((await call('ada', 'share', '1', 'lab')).stdout).toBe('Shared workflow 1 with group lab\n');
    expect((await call('ada', 'share', '1', 'lab')).stderr).toBe(
      'Error: workflow 1 is already shared with group lab\n',
    );
    expect((await call('bob', 'workflows', 'list')).stdout).toContain('Shared with bob:');
    expect((await call('ada', 'share', '1')).stdout).toMatch(/│ group │ lab +│/);
    expect((await call('ada', 'share', '1', 'user:lab')).stderr).toContain("This server has no user 'lab'");
    expect((await call('ada', 'share', '1', 'group:lab', '--remove')).code).toBe(0);
    expect((await call('bob', 'jobs', 'list', '1')).code).toBe(1);
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
