import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { start, startServer, temporaryFolder, torc, until } from '../support/programs.ts';

let folder: string;
let environment: Record<string, string>;

beforeEach(() => {
  folder = temporaryFolder();
  environment = {};
});

const begin = (...words: string[]) => start('torc-server', words, { cwd: folder, environment });
const call = (...words: string[]) => begin(...words).ended;
const inFolder = (name: string) => join(folder, name);
const write = (name: string, text: string) => writeFileSync(inFolder(name), text);

/** A good line of a file of users: the password is "secret word". */
const ADA = 'ada:$2b$04$abcdefghijklmnopqrstuuMO7TvMNHtYMzuBqyPZ.Z5ZnjLQrLNhW';

const isRunning = (pid: number) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

describe('a server that cannot be what it is asked to be', () => {
  it.each([
    [['--require-auth'], '--require-auth needs to know who may log in'],
    [['--enforce-access-control'], '--enforce-access-control needs to know who may log in'],
    [['--auth-file', 'absent'], 'the file of users absent is not there; `torc-htpasswd add -f absent USER` makes it'],
    [['--auth-file', 'broken'], 'the file of users broken:2: expected "user:hash"'],
    [['--auth-file', 'md5'], "the file of users md5:1: the hash of 'ada' is not a bcrypt hash"],
    [['--auth-file', 'empty'], 'the file of users empty has no user in it'],
    [['--https'], '--https needs a certificate and its key; --tls-cert (TORC_TLS_CERT) is missing'],
    [['--https', '--tls-cert', 'broken', '--tls-key', 'broken'], 'broken is not a certificate as a PEM file'],
    [
      ['--https', '--tls-cert', 'absent', '--tls-key', 'absent'],
      '--tls-cert (TORC_TLS_CERT): absent cannot be read: ENOENT',
    ],
    [['--database', 'text'], 'the database text is not a database of SQLite'],
    [
      ['--database', 'broken/torc.db'],
      'the database broken/torc.db cannot be created there: a part of its path is a file',
    ],
    [['--database', 'foreign.db'], 'the database foreign.db contains tables of another program'],
    [['--host', '192.0.2.1'], '192.0.2.1 is not an address of this machine'],
    [['--log-dir', 'broken/logs'], '--log-dir: no log can be written to broken/logs'],
    [['--daemon'], '--daemon needs --log-dir'],
  ])(
    'a server that cannot be what it is asked to be says why, and ends with 1 before it listens: torc-server run %j',
    async (words, why) => {
      write('broken', `${ADA}\nno colon here\n`);
      write('md5', 'ada:$apr1$abcdefgh$abcdefghijklmnopqrstuv\n');
      write('empty', '# none yet\n');
      new DatabaseSync(inFolder('foreign.db')).exec('create table workflow (id integer)');
      write(
        'text',
        'this is a text, and a long one, so that it could be a header of a database if it were one\n'.repeat(9),
      );
      const { code, stdout, stderr } = await call('run', '--port', '0', ...words);
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toContain(`Error: ${why}`);
    },
  );

  it('a server that cannot be what it is asked to be says which program has its port', async () => {
    const other = createServer();
    await new Promise<void>((done) => void other.listen(0, '127.0.0.1', done));
    onTestFinished(() => void other.close());
    const { port } = other.address() as AddressInfo;
    const { code, stderr } = await call('run', '--port', String(port));
    expect(code).toBe(1);
    expect(stderr).toContain(`port ${port} of localhost is in use by process ${process.pid}`);
  });

  it.each([
    ['TORC_MAX_REQUEST_BODY_MB', '0', 'expected 1 or more, found 0'],
    ['TORC_API_EVENT_BODY_MAX_BYTES', 'many', 'expected a whole number, found "many"'],
    ['TORC_SERVER_SNAPSHOT_KEEP', '-1', 'expected 1 or more, found -1'],
    ['TORC_SERVER__PORT', 'abc', 'server.port: expected a whole number from 0 to 65535, found "abc"'],
  ])('a server with a wrong setting names the variable that is wrong: %s=%s', async (variable, value, why) => {
    environment[variable] = value;
    const { code, stderr } = await call('run', '--port', '0');
    expect(code).toBe(1);
    expect(stderr).toContain(`${variable}: ${why}`);
  });
});

describe('a server', () => {
  it('a server takes what its options do not say from the configuration', async () => {
    write('torc.toml', '[server]\nport = 0\ndatabase = "configured.db"\nlogging.json_logs = true\n');
    expect(await torc(['config', 'trust'], { cwd: folder })).toMatchObject({ code: 0 });
    const { port } = await startServer(folder, { database: 'own.db' });
    expect(port).toBeGreaterThan(0);
    expect(existsSync(inFolder('own.db'))).toBe(true);
    const program = begin();
    await program.says('"message":"Server ready"');
    program.child.kill('SIGTERM');
    const { code, stderr } = await program.ended;
    expect(code).toBe(0);
    expect(
      stderr
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { fields: object }).fields),
    ).toEqual([
      { message: 'Server ready', url: expect.stringContaining('http://localhost:'), database: 'configured.db' },
      { message: 'Server stopping', reason: 'SIGTERM' },
    ]);
  });

  it('a server for one command asks for no login, whatever is configured', async () => {
    write('torc.toml', '[server]\nrequire_auth = true\nhttps = true\n');
    expect(await torc(['-s', 'workflows', 'new', '-n', 'one'], { cwd: folder })).toMatchObject({ code: 0 });
    expect(await call('run', '--port', '0')).toMatchObject({
      code: 78,
      stderr: expect.stringContaining('config trust'),
    });
    expect(await torc(['config', 'trust'], { cwd: folder })).toMatchObject({ code: 0 });
    expect((await call('run', '--port', '0')).code).toBe(1);
  });

  it('a server takes the options of the original, and its other names of them', async () => {
    write('users', `# people\n${ADA}\n`);
    chmodSync(inFolder('users'), 0o600);
    const words =
      '-u localhost -p 0 -t 4 -d here.db -l warn -c 5 --auth-file users --require-auth --enforce-access-control';
    const program = begin(
      ...words.split(' '),
      ...'--credential-cache-ttl-secs 0 --admin-user ada --admin-user bob --disable-admin-sql'.split(' '),
      '--disable-admin-sql-writes',
    );
    await program.says('TORC_SERVER_PORT=');
    program.child.kill('SIGINT');
    expect(await program.ended).toMatchObject({ code: 0, stderr: '' });
  });

  it('a server warns of what others may read and of users whom it cannot let in, and of nothing else', async () => {
    write('users', `${ADA}\nbob:${ADA.slice(4).replace('$04$', '$24$')}\n`);
    const words = ['run', '--port', '0', '--auth-file', 'users'];
    const open = begin(...words);
    await open.says('Every user of this machine may read the file of users users: chmod o-r users');
    await open.says('1 user (bob) cannot log in, because a comparison of their hash would keep all logins waiting');
    open.child.kill('SIGTERM');
    await open.ended;
    chmodSync(inFolder('users'), 0o640);
    write('users', `${ADA}\n`);
    const quiet = begin(...words);
    await quiet.says('Server ready');
    quiet.child.kill('SIGTERM');
    expect((await quiet.ended).stderr).not.toContain('WARN');
  });

  it('a server whose log is a file says on standard error what an administrator has to know', async () => {
    const open = begin('run', '--host', '0.0.0.0', '--port', '0', '--log-dir', 'logs');
    await open.says('warning: Everybody who reaches this address may use the service');
    open.child.kill('SIGTERM');
    await open.ended;
    expect(readFileSync(inFolder('logs/torc-server.log'), 'utf8')).toContain('WARN Everybody who reaches');
  });

  it('a server warns where every caller may do everything, and only there', async () => {
    const open = begin('run', '--host', '0.0.0.0', '--port', '0');
    await open.says('WARN Everybody who reaches this address may use the service');
    open.child.kill('SIGTERM');
    await open.ended;
    const near = begin('run', '--port', '0');
    await near.says('Server ready');
    near.child.kill('SIGTERM');
    expect((await near.ended).stderr).not.toContain('WARN');
  });

  it('a server goes on when its output has no reader any more', async () => {
    const { program, client } = await startServer(folder);
    program.child.stdout?.destroy();
    program.child.stderr?.destroy();
    // As under nohup, when its terminal goes away.
    program.child.kill('SIGHUP');
    program.child.kill('SIGUSR1');
    await until(() => existsSync(inFolder('torc-server-snapshot.db')), Boolean, 'a copy of the database');
    expect(await client.ping()).toMatchObject({ status: 'Server is running' });
  });

  it('a server goes on when its database cannot be copied', async () => {
    environment['TORC_SERVER_SNAPSHOT_PATH'] = 'absent/copy.db';
    const program = begin('run', '--port', '0');
    await program.says('Server ready');
    program.child.kill('SIGUSR1');
    await program.says('ERROR The database could not be copied path=absent/copy.db');
    program.child.kill('SIGTERM');
    expect(await program.ended).toMatchObject({ code: 0, stdout: expect.not.stringContaining('TORC_SNAPSHOT_DONE') });
  });

  it('a server writes its log into a folder, and nothing beside', async () => {
    const program = begin('run', '--port', '0', '--log-dir', 'logs', '--database', ':memory:');
    await program.says('TORC_SERVER_PORT=');
    program.child.kill('SIGTERM');
    expect(await program.ended).toMatchObject({ code: 0, stderr: '' });
    const lines = readFileSync(inFolder('logs/torc-server.log'), 'utf8').trim().split('\n');
    expect(lines.map((line) => line.replace(/^\S+ /, '').replace(/ url=.*/, ''))).toEqual([
      'INFO Server ready',
      'INFO Server stopping reason=SIGTERM',
    ]);
  });
});

describe('a server in the background', () => {
  const words = ['run', '--daemon', '--log-dir', 'logs', '--pid-file', 'server.pid', '--port', '0'];

  it('a server in the background answers when its command returns, keeps its number in a file, and takes that along', async () => {
    const { code, stdout, stderr } = await call(...words);
    const pid = Number(readFileSync(inFolder('server.pid'), 'utf8'));
    onTestFinished(() => void (isRunning(pid) && process.kill(pid, 'SIGKILL')));
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^TORC_SERVER_PORT=\d+\n$/)]);
    expect(stderr).toContain(`torc-server runs as process ${pid} on http://localhost:`);
    const url = /http:\S+\/v1/.exec(stderr)?.[0] as string;
    expect(await torc(['--url', url, 'ping'], { cwd: folder })).toMatchObject({ code: 0 });

    const second = await call(...words, '--database', 'other.db');
    expect([second.code, second.stdout]).toEqual([1, '']);
    expect(second.stderr).toContain(`torc-server is already running as process ${pid}, according to server.pid`);

    process.kill(pid, 'SIGTERM');
    await until(
      () => isRunning(pid),
      (is) => !is,
      'the end of the server',
    );
    expect(existsSync(inFolder('server.pid'))).toBe(false);
    expect(readFileSync(inFolder('logs/torc-server.log'), 'utf8')).toContain('Server stopping reason=SIGTERM');
  });

  it('a server in the background that cannot start says why, and leaves no number behind', async () => {
    write('text', 'x'.repeat(5000));
    const { code, stdout, stderr } = await call(...words, '--database', 'text');
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^Error: the database text is not a database of SQLite/);
    expect(existsSync(inFolder('server.pid'))).toBe(false);
  });

  it('a server in the background takes the file of one that is gone', async () => {
    write('server.pid', `${process.pid}\n`);
    expect((await call(...words)).code).toBe(0);
    const pid = Number(readFileSync(inFolder('server.pid'), 'utf8'));
    process.kill(pid, 'SIGTERM');
    await until(
      () => isRunning(pid),
      (is) => !is,
      'the end of the server',
    );
    expect(pid).not.toBe(process.pid);
  });
});

describe('a service of systemd', () => {
  /** A stand-in for systemctl that writes down what it is asked. */
  const withSystemd = (answer = '') => {
    mkdirSync(inFolder('bin'), { recursive: true });
    write('bin/systemctl', `#!/bin/sh\necho "$@" >> '${inFolder('asked')}'\nprintf '%s\\n' '${answer}'\n`);
    chmodSync(inFolder('bin/systemctl'), 0o755);
    environment = { HOME: folder, XDG_CONFIG_HOME: '', PATH: `${inFolder('bin')}:/usr/bin:/bin` };
  };
  const unit = () => inFolder('.config/systemd/user/torc-server.service');
  const asked = () => readFileSync(inFolder('asked'), 'utf8').trim().split('\n');

  it('a service of systemd runs what the options of its installation say, in any folder', async () => {
    withSystemd();
    const words =
      'service install --user --port 9999 --auth-file users --require-auth --admin-user ada --admin-user bob --sonar-store sonar.db';
    const { code, stdout } = await call(...words.split(' '));
    expect([code, stdout]).toEqual([0, `Installed ${unit()}\n`]);
    const started = /^ExecStart=(.*)$/m.exec(readFileSync(unit(), 'utf8'))?.[1] as string;
    expect(started.split('torc-server.mjs ')[1]).toBe(
      `run --port 9999 --database ${inFolder('.torc/torc.db')} --log-dir ${inFolder('.torc/logs')} --auth-file ${inFolder('users')} --require-auth --admin-user ada --admin-user bob --sonar-store ${inFolder('sonar.db')}`,
    );
    expect(readdirSync(inFolder('.torc'))).toEqual(['logs']);
    expect(asked()).toEqual(['--user daemon-reload', '--user enable torc-server.service']);
  });

  it('a service of systemd is started, stopped, asked and removed by systemd', async () => {
    withSystemd('ActiveState=active\nSubState=running\nMainPID=42\nActiveEnterTimestamp=Mon 2026-03-02 12:00:00 UTC');
    await call('service', 'install', '--user');
    expect((await call('service', 'start', '--user')).stdout).toBe('Started torc-server\n');
    expect(await call('service', 'status', '--user')).toMatchObject({
      code: 0,
      stdout: 'torc-server: active (running), process 42, since Mon 2026-03-02 12:00:00 UTC\n',
    });
    expect((await call('service', 'stop', '--user')).code).toBe(0);
    expect((await call('service', 'uninstall', '--user')).stdout).toBe(`Removed ${unit()}\n`);
    expect(existsSync(unit())).toBe(false);
    expect(asked().slice(2)).toEqual([
      '--user start torc-server.service',
      '--user show torc-server.service --property=ActiveState,SubState,MainPID,ActiveEnterTimestamp',
      '--user stop torc-server.service',
      '--user disable --now torc-server.service',
      '--user daemon-reload',
    ]);
  });

  it('a service of systemd that does not run makes status end with 1', async () => {
    withSystemd('ActiveState=failed\nSubState=failed\nMainPID=0\nActiveEnterTimestamp=');
    await call('service', 'install', '--user');
    expect(await call('service', 'status', '--user')).toMatchObject({
      code: 1,
      stdout: 'torc-server: failed (failed)\n',
    });
  });

  it('a service of systemd that is not installed, and the message says how to install it', async () => {
    withSystemd();
    const { code, stderr } = await call('service', 'start', '--user');
    expect(code).toBe(1);
    expect(stderr).toContain('install the service with `torc-server service install --user`');
  });

  it('a service of systemd cannot be without systemd; what was written stays, with what to do', async () => {
    withSystemd();
    environment['PATH'] = inFolder('missing');
    const { code, stderr } = await call('service', 'install', '--user');
    expect(code).toBe(1);
    expect(stderr).toContain(`systemctl is not on PATH, and services are its business. ${unit()} is there`);
    expect(existsSync(unit())).toBe(true);
  });
});

describe('an export', () => {
  /** Three workflows of two users; the second is shared with a group. */
  async function filled() {
    const server = await startServer(folder, { database: 'all.db' });
    const { client } = server;
    for (const [name, user] of [
      ['first', 'ada'],
      ['second', 'ada'],
      ['third', 'bob'],
    ] as const) {
      const { id } = await client.createWorkflow({ body: { name, user } });
      await client.createJob({ body: { workflow_id: id, name: `${name} job`, command: 'true' } });
    }
    const { id: group } = await client.createAccessGroup({ body: { name: 'team' } });
    await client.createAccessGroup({ body: { name: 'others' } });
    await client.addGroupMember({
      params: { id: group },
      body: { user_name: 'eve', group_id: 1, role: 'member' },
    });
    await client.addWorkflowToGroup({ params: { id: 2, group_id: group } });
    return { ...server, group: group };
  }

  const rows = (path: string, sql: string) => {
    const db = new DatabaseSync(inFolder(path), { readOnly: true });
    try {
      return db
        .prepare(sql)
        .all()
        .map((row) => Object.values(row));
    } finally {
      db.close();
    }
  };
  const names = (path: string) => rows(path, 'select name from workflow order by id').flat();

  it('an export is a database of its own with what was asked for and nothing of the others, while the server goes on', async () => {
    const { client } = await filled();
    const { code, stdout } = await call('export', '3', '-o', 'out.db', '-d', 'all.db');
    expect([code, stdout]).toEqual([0, 'Exported 1 workflow(s) with 1 job(s) to out.db\n']);
    expect(names('out.db')).toEqual(['third']);
    expect(rows('out.db', 'select workflow_id, name from job')).toEqual([[3, 'third job']]);
    expect(rows('out.db', 'select count(*) from change_log where workflow_id <> 3')).toEqual([[0]]);
    expect(rows('out.db', 'select name from access_group')).toEqual([['admin']]);
    expect(readFileSync(inFolder('out.db')).includes('second job')).toBe(false);
    expect(readdirSync(folder).filter((name) => name.startsWith('out.db'))).toEqual(['out.db']);
    expect((await client.listWorkflows({})).items).toHaveLength(3);
    const listed = await torc(['-s', '--db', 'out.db', '-f', 'json', 'workflows', 'list', '-a'], { cwd: folder });
    expect(JSON.parse(listed.stdout)).toEqual({ items: [expect.objectContaining({ id: 3, name: 'third' })] });
  });

  it('an export takes what any of its words names; all where none is named', async () => {
    const { group } = await filled();
    const exported = async (...words: string[]) => {
      const { code } = await call('export', '-o', 'out.db', '-d', 'all.db', '--overwrite', ...words);
      return code === 0 ? names('out.db') : code;
    };
    expect(await exported('--user', 'ada')).toEqual(['first', 'second']);
    for (const which of [String(group), 'team']) expect(await exported('--access-group', which)).toEqual(['second']);
    expect(await exported('3', '--access-group', String(group))).toEqual(['second', 'third']);
    expect(await exported()).toEqual(['first', 'second', 'third']);
    expect(await exported('--user', 'unknown')).toBe(1);
    expect(await exported('--access-group', 'others')).toBe(1);
    expect(names('out.db')).toEqual(['first', 'second', 'third']);
  });

  it('an export keeps the groups of its workflows where they are asked for, and no others', async () => {
    await filled();
    await call('export', '2', '-o', 'out.db', '-d', 'all.db', '--preserve-access-groups', '--no-vacuum');
    expect(rows('out.db', 'select name from access_group order by id')).toEqual([['admin'], ['team']]);
    expect(rows('out.db', 'select user_name from user_group_membership')).toEqual([['eve']]);
    expect(rows('out.db', 'select workflow_id from workflow_access_group')).toEqual([[2]]);
  });

  it('an export is refused over a file that is there, over its own source, and from what is no database of ours', async () => {
    await filled();
    write('out.db', 'precious');
    const refusal = async (...words: string[]) => {
      const { code, stderr } = await call('export', ...words);
      return [code, stderr.split('\n')[0]];
    };
    expect(await refusal('-o', 'out.db', '-d', 'all.db')).toEqual([1, 'Error: out.db already exists']);
    expect(readFileSync(inFolder('out.db'), 'utf8')).toBe('precious');
    expect(await refusal('-o', 'all.db', '-d', 'all.db', '--overwrite')).toEqual([
      1,
      'Error: all.db is the database itself',
    ]);
    expect(await refusal('-o', 'new.db', '-d', 'absent.db')).toEqual([1, 'Error: there is no database absent.db']);
    new DatabaseSync(inFolder('foreign.db')).exec('create table workflow (id integer)');
    expect(await refusal('-o', 'new.db', '-d', 'foreign.db')).toEqual([
      1,
      'Error: foreign.db is not a database of this torc-server',
    ]);
    expect((await call('export', '1', '-d', 'all.db')).code).toBe(2);
    expect(existsSync(inFolder('new.db'))).toBe(false);
  });
});
