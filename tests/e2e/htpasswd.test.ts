import { spawn } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { programFolder } from '../support/packed.ts';
import { start, temporaryFolder } from '../support/programs.ts';

let folder: string;
let file: string;

beforeEach(() => {
  folder = temporaryFolder();
  file = join(folder, 'users');
});

interface Around {
  readonly input?: string;
  readonly environment?: Record<string, string>;
}

const call = (words: readonly string[], around: Around = {}) =>
  start('torc-htpasswd', words, { cwd: folder, ...around }).ended;

const GOOD = 'zebra cloud lemon';
/** The lowest cost: a test wants no protection. */
const quick = ['-p', GOOD, '--cost', '4'];
const read = () => readFileSync(file, 'utf8');

describe('torc-htpasswd add', () => {
  it('torc-htpasswd add makes a file that only its owner reads, and adds to it', async () => {
    expect(await call(['add', '--file', 'users', '--password', GOOD, '--cost', '4', 'ada'])).toEqual({
      code: 0,
      signal: null,
      stdout: "Added user 'ada' to users\n",
      stderr: '',
    });
    expect(read()).toMatch(/^ada:\$2b\$04\$[./\w]{53}\n$/);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    await call(['add', '-f', 'users', 'bob', ...quick]);
    expect(
      read()
        .split('\n')
        .map((line) => line.split(':')[0]),
    ).toEqual(['ada', 'bob', '']);
  });

  it('torc-htpasswd add keeps comments and order, and changes the password of a user in its place', async () => {
    await call(['add', '-f', 'users', 'ada', ...quick]);
    writeFileSync(file, `# people\n${read()}\n# the end\n`);
    const before = read().split('\n');
    expect((await call(['add', '-f', 'users', 'ada', '-p', 'piano river stone', '-c', '5'])).stdout).toBe(
      "Changed the password of 'ada' in users\n",
    );
    expect(read().split('\n')).toEqual(before.with(1, expect.stringMatching(/^ada:\$2b\$05\$/)));
    expect((await call(['verify', '-f', 'users', 'ada', '-p', GOOD])).code).toBe(1);
    expect((await call(['verify', '-f', 'users', 'ada', '-p', 'piano river stone'])).code).toBe(0);
  });

  it('torc-htpasswd add writes through a link, and lets a group read what it could read before, and no other user', async () => {
    await call(['add', '-f', 'users', 'ada', ...quick]);
    chmodSync(file, 0o644);
    symlinkSync('users', join(folder, 'link'));
    await call(['add', '-f', 'link', 'bob', ...quick]);
    expect(read()).toContain('bob:');
    expect(statSync(file).mode & 0o777).toBe(0o640);
  });

  it.each([
    ['seven77', 'Password is too short (7 characters). Minimum length is 8.'],
    ['password', 'Password is too weak (score 0/4, minimum required: 3/4).'],
    ['ada-lovelace', 'Password is too weak (score '],
    ['x'.repeat(73), 'Password is too long'],
  ])('torc-htpasswd add refuses a password that would be guessed, and writes nothing: %s', async (password, why) => {
    const { code, stdout, stderr } = await call(['add', '-f', 'users', 'ada-lovelace', '-p', password, '-c', '4']);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(why);
    expect(existsSync(file)).toBe(false);
  });

  it.each(['Tr0ub4dor&3', 'correct horse battery staple', 'ada-lovelace zebra cloud'])(
    'takes one that would not: %s',
    async (password) => {
      expect((await call(['add', '-f', 'users', 'ada-lovelace', '-p', password, '-c', '4'])).code).toBe(0);
    },
  );

  it.each(['3', '0', '32'])('torc-htpasswd add refuses the cost %s', async (cost) => {
    const { code, stderr } = await call(['add', '-f', 'users', 'ada', '-p', GOOD, '-c', cost]);
    expect([code, stderr]).toEqual([1, `Error: cost must be between 4 and 31, found ${cost}\n`]);
  });

  it.each(['a:b', '#a', ' a', ''])(
    'torc-htpasswd add refuses a name that the file could not hold: %j',
    async (name) => {
      const { code, stderr } = await call(['add', '-f', 'users', ...quick, '--', name]);
      expect(code).toBe(1);
      expect(stderr).toContain('is not a valid user name');
    },
  );

  it('torc-htpasswd add touches no file that a server would refuse, or that another one is just changing', async () => {
    writeFileSync(file, 'no colon\n');
    expect(await call(['add', '-f', 'users', 'ada', ...quick])).toMatchObject({
      code: 1,
      stderr: 'Error: users:1: expected "user:hash"\n',
    });
    writeFileSync(file, '');
    writeFileSync(`${file}.new`, '');
    const { code, stderr } = await call(['add', '-f', 'users', 'ada', ...quick]);
    expect([code, read()]).toEqual([1, '']);
    expect(stderr).toContain(`is being changed by another torc-htpasswd`);
    expect(existsSync(`${file}.new`)).toBe(true);
  });
});

describe('a password', () => {
  it('a password is the first line of standard input where it is not an argument', async () => {
    expect((await call(['add', '-f', 'users', 'ada', '-c', '4'], { input: `${GOOD}\nmore\n` })).code).toBe(0);
    expect((await call(['verify', '-f', 'users', 'ada'], { input: GOOD })).code).toBe(0);
    const { code, stderr } = await call(['add', '-f', 'users', 'bob', '-c', '4'], { input: '' });
    expect(code).toBe(1);
    expect(stderr).toContain('no password');
  });

  // A program of util-linux that makes a terminal.
  it.skipIf(!existsSync('/usr/bin/script'))('is typed twice on a terminal, which does not show it', async () => {
    const program = join(programFolder(), 'torc-htpasswd.mjs');
    const typed = (first: string, second: string) =>
      new Promise<string>((done) => {
        const words = ['-qec', `${process.execPath} ${program} add -f ${file} ada -c 4`, '/dev/null'];
        const child = spawn('/usr/bin/script', words, { stdio: ['pipe', 'pipe', 'ignore'] });
        const answers = new Map([
          ['Password: ', first],
          ['Again: ', second],
        ]);
        let shown = '';
        child.stdout.setEncoding('utf8').on('data', (text: string) => {
          shown += text;
          for (const [question, answer] of answers) {
            if (!shown.includes(question)) continue;
            answers.delete(question);
            child.stdin.write(`${answer}\r`);
          }
        });
        child.once('close', () => done(shown));
      });
    expect(await typed(`${GOOD}x\u007f`, GOOD)).toBe(
      "Password: \r\nAgain: \r\nAdded user 'ada' to FILE\r\n".replace('FILE', file),
    );
    expect((await call(['verify', '-f', 'users', 'ada', '-p', GOOD])).code).toBe(0);
    expect(await typed(GOOD, 'something else')).toContain('the two passwords differ');
    expect(await typed('\u0003', '')).toContain('no password was given');
  });
});

describe('torc-htpasswd hash', () => {
  it('torc-htpasswd hash prints the line of a user and nothing else; what to do with it stands beside', async () => {
    const { code, stdout, stderr } = await call(['hash', ...quick, 'ada']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^ada:\$2b\$04\$[./\w]{53}\n$/);
    expect(stderr).toMatch(/^Hashing password for user 'ada'\nSend the line above/);
  });

  it.each([
    [{ TORC_USERNAME: 'torc', USER: 'unix', USERNAME: 'windows' }, 'torc'],
    [{ TORC_USERNAME: '', USER: 'unix', USERNAME: 'windows' }, 'unix'],
    [{ TORC_USERNAME: '', USER: '', USERNAME: 'windows' }, 'windows'],
  ])('torc-htpasswd hash takes the user from %j', async (environment, user) => {
    expect((await call(['hash', ...quick], { environment })).stdout).toMatch(new RegExp(`^${user}:`));
  });

  it('torc-htpasswd hash refuses to run without a user name', async () => {
    const environment = { TORC_USERNAME: '', USER: '', USERNAME: '' };
    const { code, stdout, stderr } = await call(['hash', ...quick], { environment });
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain('could not read from $TORC_USERNAME, $USER, or $USERNAME');
  });
});

describe('torc-htpasswd', () => {
  it('torc-htpasswd lists users, verifies passwords and removes users', async () => {
    for (const user of ['ada', 'bob']) await call(['add', '-f', 'users', user, ...quick]);
    expect((await call(['list', '-f', 'users'])).stdout).toBe('ada\nbob\n');
    expect((await call(['verify', '-f', 'users', 'ada', '-p', GOOD])).code).toBe(0);
    expect(await call(['verify', '-f', 'users', 'ada', '-p', 'wrong'])).toMatchObject({
      code: 1,
      stderr: "Error: the password of 'ada' is wrong\n",
    });
    expect((await call(['verify', '-f', 'users', 'eve', '-p', GOOD])).stderr).toContain(
      "there is no user 'eve' in users",
    );
    expect((await call(['remove', '-f', 'users', 'ada'])).stdout).toBe("Removed user 'ada' from users\n");
    expect((await call(['list', '-f', 'users'])).stdout).toBe('bob\n');
    expect((await call(['remove', '-f', 'users', 'ada'])).code).toBe(1);
    expect((await call(['remove', '-f', 'absent', 'ada'])).stderr).toContain('there is no file absent');
    expect((await call(['list'])).code).toBe(2);
  });

  it('torc-htpasswd has a server read the file again, as the person who asks; a server that does not is named', async () => {
    const heard: { method: string | undefined; url: string | undefined; headers: IncomingHttpHeaders }[] = [];
    let status = 200;
    const server = createServer(({ method, url, headers }, response) => {
      heard.push({ method, url, headers });
      response.writeHead(status).end(JSON.stringify({ message: 'done', user_count: 1 }));
    });
    await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done));
    onTestFinished(() => void server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/torc-service/v1`;

    const added = await call(
      ['add', '-f', 'users', 'ada', ...quick, '--reload-auth', '--url', url, '--server-password', 'mine'],
      { environment: { TORC_USERNAME: 'root' } },
    );
    expect([added.code, added.stderr]).toEqual([0, `The server at ${url} knows 1 user(s) now.\n`]);
    const login = Buffer.from('root:mine').toString('base64');
    expect(heard).toEqual([
      {
        method: 'POST',
        url: '/torc-service/v1/admin/reload-auth',
        headers: expect.objectContaining({ authorization: `Basic ${login}` }),
      },
    ]);

    status = 403;
    const removed = await call(['remove', '-f', 'users', 'ada', '--reload-auth', '--url', url]);
    expect(removed.code).toBe(1);
    expect(removed.stderr).toContain(
      `the file was changed, but the server at ${url} did not read it again: the reply was 403`,
    );
    expect(read()).toBe('');
  });
});
