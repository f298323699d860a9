import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type RunningServer, startServer, temporaryFolder, torc } from '../support/programs.ts';
import { type Hosts, hostsAreMissing, startHosts, torcThere } from './hosts.ts';

it('the tests with login shells run where an ssh server is installed, and say what is missing elsewhere', ({
  skip,
}) => {
  if (hostsAreMissing !== undefined) skip(`no hosts that ssh reaches: ${hostsAreMissing}`);
});

let hosts: Hosts;
let server: RunningServer;
let folder: string;
let id: string;

const PASSWORD = 'open-sesame-1234';
/** Shells of root read this name in a request as a command. */
const NAME = 'x$(touch /tmp/torc-was-run)';

const quoted = (text: string) => `"${text.replaceAll(/["\\$]/g, String.raw`\$&`)}"`;
const line = (host: string, workDir = folder, out = `out${id}`) =>
  `${host} --torc ${quoted(torcThere)} --work-dir ${quoted(workDir)} --output-dir ${quoted(out)} --num-cpus 1`;

const command = (args: readonly string[], environment: Readonly<Record<string, string>> = {}) =>
  torc(['--url', server.url, ...args], {
    cwd: folder,
    environment: { ...hosts.environment, TORC_PASSWORD: PASSWORD, ...environment },
  });

/** What `torc remote` says of each host, and all that it prints. */
async function remote(args: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  const { code, stdout, stderr } = await command(['remote', ...args, '-f', 'json'], environment);
  const { items } = JSON.parse(stdout === '' ? '{"items": []}' : stdout) as { items: Record<string, unknown>[] };
  return { code, items, first: items[0] ?? {}, all: stdout + stderr };
}

const file = (...lines: readonly string[]): string => {
  const path = join(folder, 'workers.txt');
  writeFileSync(path, `${lines.join('\n')}\n`);
  return path;
};

/** Files of a home folder, until the test is over. */
function homeOf(user: string, files: Readonly<Record<string, string>>): void {
  const home = hosts.users[user] as string;
  for (const name of readdirSync(home)) rmSync(join(home, name), { recursive: true });
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(home, name, '..'), { recursive: true });
    writeFileSync(join(home, name), text);
    chmodSync(join(home, name), 0o755);
  }
}

const START_FILES = ['.bashrc', '.zshenv', '.cshrc', '.tcshrc', '.config/fish/config.fish', '.mkshrc'];
const printing = (text: string) => Object.fromEntries(START_FILES.map((name) => [name, text]));

describe.skipIf(hostsAreMissing !== undefined)('torc remote', () => {
  beforeAll(async () => {
    folder = temporaryFolder();
    hosts = startHosts(2, { withUsers: true });
    server = await startServer(folder);
  });
  beforeEach(async () => {
    const flow = join(folder, 'flow.yaml');
    writeFileSync(flow, `name: '${NAME}'\njobs: [{name: a, command: "sleep 600"}]\n`);
    const made = await command(['create', flow, '-f', 'json']);
    id = String((JSON.parse(made.stdout) as { workflow_id: number }).workflow_id);
    await command(['workflows', 'init', id, '--no-prompts']);
  });

  it.for(['bash', 'dash', 'zsh', 'tcsh', 'csh', 'fish', 'mksh'])(
    'a runner starts, stops, and its logs arrive whole for a user of %s whose start file prints, in a folder with characters that shells read',
    async (shell, { skip }) => {
      const user = `as-${shell}`;
      if (!(user in hosts.users)) skip(`not installed, or no mounts here: ${shell}`);
      homeOf(user, printing('printf "Welcome to the cluster"\n'));
      const workDir = join(folder, `it's ! a "b" \\ dir$ ${shell}`);
      mkdirSync(workDir);
      const started = await remote(['run', file(line(`${user}@worker1`, workDir, '~/my out!')), id]);
      expect(started.items).toEqual([expect.objectContaining({ result: 'started' })]);
      expect(existsSync(join(hosts.users[user] as string, 'my out!'))).toBe(true);
      expect((await remote(['stop', id, '--force'])).first).toMatchObject({ state: 'stopped' });
      const collected = await remote(['collect-logs', id, '-l', `logs-${shell}`]);
      expect([collected.code, collected.first]).toEqual([0, expect.objectContaining({ result: 'collected' })]);
      const deleted = await remote(['delete-logs', id]);
      expect([deleted.code, deleted.first]).toEqual([0, expect.objectContaining({ result: 'deleted' })]);
    },
  );

  it.for(['bash', 'zsh', 'tcsh'])(
    'a user whose %s starts another program gets a line that says so, and that program gets no byte of the request',
    async (shell, { skip }) => {
      const user = `as-${shell}`;
      if (!(user in hosts.users)) skip(`not installed, or no mounts here: ${shell}`);
      const seen = join(folder, `seen-${shell}`);
      const own = join(folder, `own-${shell}`);
      writeFileSync(own, `#!/bin/sh\ntee -a ${seen} | dash\n`, { mode: 0o755 });
      homeOf(user, printing(`exec ${own}\n`));
      rmSync('/tmp/torc-was-run', { force: true });
      const started = await remote(['run', file(line(`${user}@worker1`)), id]);
      expect([started.code, started.first]).toEqual([
        1,
        expect.objectContaining({
          code: 'LOGIN_SHELL',
          message: expect.stringContaining(
            `the login shell of ${user}@worker1 runs something else: see its ~/.bashrc`,
          ) as string,
        }),
      ]);
      expect([readFileSync(seen, 'utf8'), existsSync('/tmp/torc-was-run')]).toEqual(['', false]);
      expect(started.all).not.toContain(PASSWORD);
      for (const task of [['status'], ['stop'], ['recover'], ['collect-logs'], ['delete-logs']])
        expect((await remote([...task, id])).all).not.toContain(PASSWORD);
      expect(readFileSync(seen, 'utf8')).toBe('');
    },
  );

  it('jobs start in the home folder, or in a folder below it, also where start files go to another one', async ({
    skip,
  }) => {
    if (!('as-bash' in hosts.users)) skip('no mounts here');
    const home = hosts.users['as-bash'] as string;
    homeOf('as-bash', { '.bashrc': 'cd /tmp; export CDPATH=/\n', 'usr/here': '' });
    const started = await remote(['run', file(`as-bash@worker1 --torc ${torcThere} --work-dir usr --num-cpus 1`), id]);
    expect(started.first).toMatchObject({
      result: 'started',
      log: expect.stringContaining(`${home}/usr/torc_output`) as string,
    });
    await remote(['stop', id, '--force']);
    await command(['remote', 'remove-worker', 'as-bash@worker1', id]);
    const again = await remote(['run', file(`as-bash@worker1 --torc ${torcThere} --num-cpus 1`), id]);
    expect(again.first).toMatchObject({
      result: 'started',
      log: expect.stringContaining(`${home}/torc_output`) as string,
    });
    await remote(['stop', id, '--force']);
  });

  it('an account without a shell, and one that may only run one command, are named with what they print', async ({
    skip,
  }) => {
    if (!('as-dash' in hosts.users)) skip('no mounts here');
    hosts.configure('worker2', 'ForceCommand echo "This account is for backups."');
    const found = await remote(['run', file(line('as-dash@worker2')), id]);
    expect(found.first).toMatchObject({
      code: 'LOGIN_SHELL',
      message: expect.stringContaining(
        'its forced command (authorized_keys, ForceCommand). It printed "This account',
      ) as string,
    });
    // One that runs what it is asked to run is no obstacle.
    hosts.configure('worker2', 'ForceCommand eval "$SSH_ORIGINAL_COMMAND"');
    const through = await remote(['run', file(line('worker2')), id]);
    expect(through.items).toEqual([expect.objectContaining({ result: 'started' })]);
    await remote(['stop', id, '--force']);
    hosts.configure('worker2', '');
  });

  it('the banner of a host is in no message, and each reason is the one of the host', async () => {
    const banner = join(folder, 'banner');
    writeFileSync(banner, 'You are accessing a government system.\n');
    hosts.configure('worker2', `Banner ${banner}`);
    const reasons = [];
    for (const options of [`--torc /no/torc --work-dir ${folder}`, `--torc ${torcThere} --work-dir /no/folder`])
      reasons.push(await remote(['run', file(`worker2 ${options}`), id]));
    expect(reasons.map(({ all }) => all.includes('government'))).toEqual([false, false]);
    expect(reasons.map(({ first }) => first['code'])).toEqual(['NO_TORC', 'FOLDER']);
    hosts.configure('worker2', '');
  });

  it('commands, forwards and local commands of ssh_config are for other calls than those of torc', async () => {
    const port = Number(new URL(server.url).port);
    const client = hosts.client(
      [
        'Host *',
        '  RemoteCommand tmux',
        '  RequestTTY force',
        '  PermitLocalCommand yes',
        '  LocalCommand echo local words',
        // Taken already: that ends a call with ExitOnForwardFailure.
        `  LocalForward 127.0.0.1:${port} 127.0.0.1:1`,
        '  ExitOnForwardFailure yes',
        '  ForwardX11 yes',
      ].join('\n'),
    );
    const started = await remote(['run', file(line('worker1')), id], client);
    expect(started.items).toEqual([expect.objectContaining({ result: 'started' })]);
    expect(started.all).not.toContain('local words');
    await remote(['stop', id, '--force'], client);
  });

  it('hosts that refuse logins above one at a time are all reached, and one that refuses all is named with its limit', async () => {
    const numbers = [2, 3, 4, 5, 6, 7];
    const addresses = numbers.map((number) => `ListenAddress 127.0.0.${number}`);
    hosts.configure('worker2', ['MaxStartups 1:100:1', ...addresses].join('\n'));
    const names = numbers.map((number) => `worker2-${number}`);
    const port = hosts.portOf('worker2');
    const client = hosts.client(
      numbers
        .map((number) => `Host worker2-${number}\n HostName 127.0.0.${number}\n Port ${port}\n HostKeyAlias worker2`)
        .join('\n'),
    );
    const added = await command(['remote', 'add-workers', id, ...names], client);
    expect([added.code, added.stderr]).toEqual([0, '']);
    expect((await remote(['status', id], client)).items.map(({ state }) => state)).toEqual(names.map(() => 'none'));

    // A connection that says nothing holds the only place.
    const holds = connect(port, '127.0.0.1');
    await once(holds, 'data');
    const full = await remote(['run', file(line('worker2')), id]);
    expect(full.first).toMatchObject({ code: 'TOO_MANY_LOGINS' });
    for (const words of ['(6 times)', 'MaxStartups', '--max-parallel-ssh 2']) expect(full.all).toContain(words);
    holds.destroy();
    hosts.configure('worker2', '');
  });

  it('two ports of one address are two hosts, with two archives and two lines', async () => {
    const own = ['worker1', 'worker2'].map((name) => `gate:${hosts.portOf(name)}`);
    const client = hosts.client(
      `Host gate\n HostName 127.0.0.1\n HostKeyAlias worker1\n User root\n IdentityFile ${hosts.identity}\n UserKnownHostsFile /dev/null`,
    );
    const lines = own.map((host, index) => line(host, folder, `out${id}-${index}`));
    const started = await remote(['run', file(...lines), id], client);
    expect(started.items.map(({ result }) => result)).toEqual(['started', 'started']);
    await remote(['stop', id, '--force'], client);
    const collected = await remote(['collect-logs', id, '-l', 'ports'], client);
    expect(collected.items.map(({ path }) => path)).toEqual(
      own.map((host) => `ports/torc_logs_${id}_${host.replace(':', '_')}.tar.gz`),
    );
    const both = await command(['remote', 'remove-worker', 'gate', id], client);
    expect([both.code, both.stderr]).toEqual([1, expect.stringContaining(`gate names 2 workers of workflow ${id}`)]);
    expect((await command(['remote', 'remove-worker', own[0] as string, id], client)).code).toBe(0);
    expect((await remote(['list-workers', id])).items).toEqual([{ worker: lines[1], workflow_id: Number(id) }]);
  });
});
