import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeAll, describe, expect, it } from 'vitest';
import { type RunningServer, startServer, temporaryFolder, torc, until } from '../support/programs.ts';
import { fill, noSmallDisk, smallDisk } from '../support/small-disk.ts';
import { type Hosts, hostsAreMissing, startHosts, torcThere } from './hosts.ts';

it('the tests with hosts run where an ssh server is installed, and say what is missing elsewhere', ({ skip }) => {
  if (hostsAreMissing !== undefined) skip(`no hosts that ssh reaches: ${hostsAreMissing}`);
});

let hosts: Hosts;
let server: RunningServer;
let folder: string;

const line = (host: string, options = '', workDir = folder) =>
  `${host} --torc ${torcThere} --work-dir ${workDir} ${options}`.trim();

async function created(text: string): Promise<{ id: number; out: string }> {
  const file = join(folder, 'flow.yaml');
  writeFileSync(file, text);
  const made = await command(['create', file, '-f', 'json']);
  const id = (JSON.parse(made.stdout) as { workflow_id?: number; id?: number }).workflow_id ?? 0;
  await command(['workflows', 'init', String(id), '--no-prompts']);
  return { id, out: `out${id}` };
}

const command = (args: readonly string[], environment: Readonly<Record<string, string | undefined>> = {}) =>
  torc(['--url', server.url, ...args], { cwd: folder, environment: { ...hosts.environment, ...environment } });

interface Row {
  readonly host: string;
  readonly result?: string;
  readonly state?: string;
  readonly code?: string;
  readonly message?: string;
  readonly pid?: number;
  readonly path?: string;
  readonly bytes_before?: number;
  readonly num_cpus?: number;
}

/** Runs a command of `remote` and returns what it says of each host. */
async function remote(args: readonly string[], environment: Readonly<Record<string, string | undefined>> = {}) {
  const { code, stdout, stderr } = await command(['remote', ...args, '-f', 'json'], environment);
  const rows = stdout === '' ? [] : (JSON.parse(stdout) as { items: Row[] }).items;
  return { code, rows, stderr, of: (host: string) => rows.find((row) => row.host === host) };
}

const workersFile = (...lines: readonly string[]): string => {
  const path = join(folder, 'workers.txt');
  writeFileSync(path, `${lines.join('\n')}\n`);
  return path;
};

const countsOf = async (id: number) => {
  const { items } = await server.client.listJobs({ query: { workflow_id: id, limit: 1000 } });
  const count = (status: string) => items.filter((job) => job.status === status).length;
  return {
    completed: count('completed'),
    running: count('running'),
    ready: count('ready'),
    terminated: count('terminated'),
  };
};

const sleepers = (name: string, count: number, seconds: number) =>
  `name: ${name}\njobs: [{name: "j{i}", command: "sleep ${seconds}", parameters: {i: "1:${count}"}}]\n`;

describe.skipIf(hostsAreMissing !== undefined)('torc remote', () => {
  beforeAll(async () => {
    folder = temporaryFolder();
    hosts = startHosts(3);
    server = await startServer(folder);
  });

  it('a timeout holds on another host: a job that hangs is ended at it, and one that ends before is left alone', async () => {
    const { id, out } = await created(
      'name: hangs\nexecution_config: {sigterm_lead_seconds: 2}\njobs: [{name: hangs, command: "sleep 600", timeout: PT2S}, {name: quick, command: "true", timeout: PT2M}]\n',
    );
    await remote(['run', workersFile(line('worker1', '--num-cpus 2')), String(id), '-o', out]);
    await until(
      () => countsOf(id),
      ({ completed, terminated }) => completed + terminated === 2,
      'both jobs to end',
    );
    const { items } = await server.client.listResults({ query: { workflow_id: id, sort_by: 'job_id' } });
    expect(items.map((each) => [each.status, each.return_code, each.cause_code ?? undefined])).toEqual([
      ['terminated', 143, 'time'],
      ['completed', 0, undefined],
    ]);
  });

  it('300 jobs on three hosts of different size complete once each, although one host crashes on the way', async () => {
    const record = join(folder, 'record');
    mkdirSync(record);
    const { id, out } = await created(
      `name: crash\njobs: [{name: "j{i}", command: "echo x >>${record}/{i}.$TORC_ATTEMPT_ID; sleep 0.3", parameters: {i: "1:300"}}]\n`,
    );
    const file = workersFile(
      line('worker1', '--num-cpus 1'),
      line('worker2', '--num-cpus 8'),
      line('worker3', '--num-cpus 3'),
    );
    const started = await remote(['run', file, String(id), '-o', out]);
    expect([started.code, started.rows.map(({ result }) => result)]).toEqual([0, ['started', 'started', 'started']]);

    await until(
      () => countsOf(id),
      ({ completed }) => completed >= 40,
      'forty jobs to complete',
    );
    hosts.worker('crash', 'worker2');
    expect((await remote(['status', String(id), '-o', out])).of('worker2')).toMatchObject({
      state: 'silent',
      code: 'UNREACHABLE',
    });
    const silent = await command(['remote', 'recover', String(id), '-o', out]);
    expect([silent.code, silent.stdout]).toEqual([1, 'Recovered 0 runners\n']);
    expect(silent.stderr).toContain('worker2: its jobs stay as they are: ');
    hosts.worker('start', 'worker2');
    expect((await remote(['status', String(id), '-o', out])).of('worker2')).toMatchObject({ state: 'gone' });
    const recovered = await command(['remote', 'recover', String(id), '-o', out]);
    expect([recovered.code, recovered.stdout]).toEqual([0, 'Recovered 1 runner\n']);
    expect(recovered.stderr).toMatch(
      /worker2: A runner of this workflow is lost; its jobs were recovered \(.*run again: \d+;/,
    );
    // The second finds nothing to do.
    expect((await command(['remote', 'recover', String(id), '-o', out])).stdout).toBe('Recovered 0 runners\n');

    await until(
      () => countsOf(id),
      ({ completed }) => completed === 300,
      'all jobs to complete',
      120_000,
    );
    const starts = readdirSync(record);
    expect(starts.every((name) => readFileSync(join(record, name), 'utf8') === 'x\n')).toBe(true);
    // Some jobs of the crashed host ran a second time, and no other job did.
    const again = starts.filter((name) => name.endsWith('.2'));
    expect(again.length).toBeGreaterThan(0);
    // Eight ran. The next job starts before the end of the last one is recorded, so one that ended in the moment of the crash may run again.
    expect(again.length).toBeLessThanOrEqual(2 * 8);
    expect(starts.length).toBe(300 + again.length);
    const ended = await until(
      () => remote(['status', String(id), '-o', out]),
      ({ rows }) => rows.every(({ state }) => state !== 'running'),
      'the runners to end',
    );
    expect(ended.rows.map(({ state }) => state)).toEqual(['ended', 'gone', 'ended']);
  }, 240_000);

  it('a second run starts nothing twice, and a stop ends runners and jobs before it returns', async () => {
    const { id, out } = await created(sleepers('stop', 4, 600));
    const file = workersFile(line('worker1', '--num-cpus 2'), line('worker2', '--num-cpus 2'));
    const first = await remote(['run', file, String(id), '-o', out]);
    const [one, two] = await Promise.all([
      remote(['run', String(id), '-o', out]),
      remote(['run', String(id), '-o', out]),
    ]);
    for (const again of [one, two]) {
      expect([again.code, again.rows.map(({ result }) => result)]).toEqual([0, ['running', 'running']]);
      expect(again.rows.map(({ pid }) => pid)).toEqual(first.rows.map(({ pid }) => pid));
    }
    await until(
      () => countsOf(id),
      ({ running }) => running === 4,
      'all jobs to run',
    );
    const stopped = await remote(['stop', String(id), '-o', out]);
    expect(stopped.rows.map(({ state }) => state)).toEqual(['stopped', 'stopped']);
    expect(await countsOf(id)).toMatchObject({ terminated: 4 });
    expect((await remote(['status', String(id), '-o', out])).rows.map(({ state }) => state)).toEqual([
      'ended',
      'ended',
    ]);
    const { nodes } = { nodes: await server.client.listComputeNodes({ query: { workflow_id: id, is_active: true } }) };
    expect(nodes.items).toEqual([]);
    // Nothing is left to stop.
    expect((await remote(['stop', String(id), '-o', out])).rows.map(({ state }) => state)).toEqual(['ended', 'ended']);
  });

  it('jobs do not read ~/.bashrc, as bash does for every program of an ssh session', async () => {
    const { id, out } = await created('name: bare\njobs: [{name: a, command: "echo [$SSH_CLIENT$FROM_BASHRC]"}]\n');
    writeFileSync(join(hosts.home, '.bashrc'), 'FROM_BASHRC=read\n');
    const started = await remote(['run', workersFile(line('worker1', '--num-cpus 1')), String(id), '-o', out]);
    expect(started.rows).toEqual([expect.objectContaining({ result: 'started' })]);
    await until(
      () => countsOf(id),
      ({ completed }) => completed === 1,
      'the job to complete',
    );
    const stdio = join(folder, out, 'job_stdio');
    const printed = readdirSync(stdio).filter((name) => name.endsWith('.o'));
    expect(printed.map((name) => readFileSync(join(stdio, name), 'utf8'))).toEqual(['[]\n']);
    // The script of the session reads it.
    expect(
      execFileSync('ssh', ['worker1', 'echo $FROM_BASHRC'], {
        encoding: 'utf8',
        env: { ...process.env, ...hosts.environment },
      }),
    ).toBe('read\n');
    rmSync(join(hosts.home, '.bashrc'));
  });

  it('torc remote of many starts at the same time one starts a runner', async () => {
    const { id, out } = await created(sleepers('race', 1, 600));
    const file = workersFile(line('worker3', '--num-cpus 1'));
    const all = await Promise.all(Array.from({ length: 4 }, () => remote(['run', file, String(id), '-o', out])));
    const results = all.flatMap(({ rows }) => rows.map(({ result, message }) => String(message ?? result)));
    expect(results.toSorted()).toEqual(['running', 'running', 'running', 'started']);
    const { items } = await server.client.listComputeNodes({ query: { workflow_id: id } });
    expect(items).toHaveLength(1);
    await remote(['stop', String(id), '-o', out, '--force']);
  });

  it('a forced stop kills runner and jobs, and the jobs are ready again', async () => {
    const { id, out } = await created(sleepers('force', 2, 4321));
    await remote(['run', workersFile(line('worker1', '--num-cpus 2')), String(id), '-o', out]);
    await until(
      () => countsOf(id),
      ({ running }) => running === 2,
      'both jobs to run',
    );
    const stopped = await remote(['stop', String(id), '-o', out, '--force']);
    expect(stopped.rows).toEqual([expect.objectContaining({ state: 'stopped', killed: true })]);
    expect(await countsOf(id)).toMatchObject({ ready: 2, running: 0 });
    expect(execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' })).not.toContain('sleep 4321');
  });

  it('a recovery is refused while a runner of a host may live, and goes on where the host proves that it does not', async () => {
    const { id, out } = await created(sleepers('alive', 2, 4567));
    await remote(['run', workersFile(line('worker1', '--num-cpus 2')), String(id), '-o', out]);
    await until(
      () => countsOf(id),
      ({ running }) => running === 2,
      'both jobs to run',
    );
    const recover = () => command(['recover', String(id), '-o', out, '--no-prompts']);
    const refused = { code: 1, stderr: expect.stringContaining('cannot be recovered: 1 of its runners are active') };
    expect(await recover()).toMatchObject(refused);
    hosts.worker('crash', 'worker1');
    expect(await recover()).toMatchObject(refused);
    expect(await countsOf(id)).toMatchObject({ running: 2, ready: 0 });
    hosts.worker('start', 'worker1');
    const { code, stderr } = await recover();
    expect([code, stderr]).toEqual([0, expect.stringContaining('A runner of this workflow is lost')]);
    expect(await countsOf(id)).toMatchObject({ running: 0, ready: 2 });
  });

  it('each host with which something is wrong has a line that says what to do, and the others start', async () => {
    const { id, out } = await created(sleepers('bad', 1, 600));
    const old = join(folder, 'old-torc');
    writeFileSync(old, '#!/bin/sh\n[ "$1" = --version ] && echo "torc 0.0.1" && exit\nexit 2\n', { mode: 0o755 });
    const apart = join(folder, 'apart-torc');
    // A host on which the address of the server leads nowhere: it has a network of its own.
    writeFileSync(apart, `#!/bin/sh\nexec unshare -n ${torcThere} "$@"\n`, { mode: 0o755 });
    const bad = join(folder, 'bad-key');
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', bad]);
    const file = workersFile(
      line('worker1', '--num-cpus 1'),
      'nosuchhost.invalid',
      '127.0.0.1:1',
      `eve@worker2 --work-dir ${folder}`,
      `worker3 --torc ${old} --work-dir ${folder}`,
    );
    const found = await remote(['run', file, String(id), '-o', out]);
    expect(found.code).toBe(1);
    const said = Object.fromEntries(
      found.rows.map(({ host, result, code, message }) => [host, [result ?? '', code ?? '', message ?? '']]),
    );
    expect(said['worker1']?.[0]).toBe('started');
    expect(said['nosuchhost.invalid']).toEqual(['failed', 'UNREACHABLE', expect.stringContaining('check the name')]);
    expect(said['127.0.0.1']).toEqual(['failed', 'UNREACHABLE', expect.stringContaining('is the host up')]);
    expect(said['worker2']).toEqual(['failed', 'UNREACHABLE', expect.stringContaining('try: ssh eve@worker2 true')]);
    expect(said['worker3']).toEqual(['failed', 'VERSION', expect.stringContaining('Version mismatch: local=')]);
    expect(found.stderr).toContain('Started 1/5 workers');

    const unable = join(folder, 'unable-torc');
    writeFileSync(unable, '#!/bin/sh\necho "torc needs Node 24.15 or newer" >&2\nexit 78\n', { mode: 0o755 });
    const unfit = await remote([
      'run',
      workersFile(`worker2 --torc ${unable} --work-dir ${folder}`),
      String(id),
      '-o',
      out,
    ]);
    expect(unfit.of('worker2')).toMatchObject({
      code: 'NO_ANSWER',
      message: expect.stringContaining('torc needs Node'),
    });

    const missing = `worker2 --torc /no/torc --work-dir ${folder}`;
    const noFolder = `worker3 --torc ${torcThere} --work-dir /no/folder`;
    const second = await remote(['run', workersFile(missing, noFolder), String(id), '-o', out]);
    expect(second.of('worker2')).toMatchObject({ code: 'NO_TORC', message: expect.stringContaining('--torc PATH') });
    expect(second.of('worker3')).toMatchObject({
      code: 'FOLDER',
      message: expect.stringContaining('cannot work in /no/folder'),
    });

    const lonely = await remote([
      'run',
      workersFile(`worker2 --torc ${apart} --work-dir ${folder}`),
      String(id),
      '-o',
      out,
    ]);
    expect(lonely.of('worker2')).toMatchObject({
      code: 'SERVER_UNREACHABLE',
      message: expect.stringContaining('--host 0.0.0.0'),
    });
    await remote(['stop', String(id), '-o', out]);
  });

  it.skipIf(noSmallDisk)('a full disk on a host is named, and nothing is started there', async () => {
    const { id } = await created(sleepers('full', 1, 600));
    const disk = smallDisk();
    fill(disk);
    const found = await remote(['run', workersFile(line('worker1', '--num-cpus 1', disk)), String(id)]);
    expect([found.code, found.of('worker1')]).toEqual([1, expect.objectContaining({ result: 'failed' })]);
    expect(found.of('worker1')?.message).toMatch(/no space left on device/i);
    expect((await server.client.listComputeNodes({ query: { workflow_id: id } })).items).toEqual([]);
  });

  it('a connection that is cut in the middle of a start leaves one runner, which the next run finds', async () => {
    const { id, out } = await created(sleepers('cut', 1, 600));
    const file = workersFile(line('worker1', '--num-cpus 1'));
    // ssh has sent everything, and dies before the answer comes.
    const cut = hosts.before('"$REAL_SSH" "$@" | grep --line-buffered -av ^TORC_REMOTE=; kill -KILL $$');
    const first = await remote(['run', file, String(id), '-o', out], cut);
    expect([first.code, first.of('worker1')?.result]).toEqual([1, 'failed']);
    const second = await remote(['run', String(id), '-o', out]);
    expect([second.code, second.of('worker1')?.result]).toEqual([0, 'running']);
    await remote(['stop', String(id), '-o', out, '--force']);
  });

  it('a script that shows what torc reads gets no password into a message', async () => {
    const { id, out } = await created(sleepers('shown', 1, 600));
    const script = join(folder, 'loud-torc');
    // It says that it is ready as torc does, and runs what it reads.
    writeFileSync(
      script,
      `#!/bin/bash\n[ "$1" = --version ] && exec ${torcThere} --version\nexec 1>&3\necho TORC_REMOTE_READY=$(echo $3 | rev)\nexec dash -v 2>&1\n`,
      { mode: 0o755 },
    );
    const file = workersFile(`worker1 --torc ${script} --work-dir ${folder} --num-cpus 1`);
    const args = ['--url', server.url, 'remote', 'run', file, String(id), '-o', out];
    const environment = { ...hosts.environment, TORC_PASSWORD: 'open-sesame-1234' };
    const found = await torc([...args, '-f', 'json'], { cwd: folder, environment });
    expect([found.code, found.stdout]).toEqual([1, expect.stringContaining('NO_ANSWER')]);
    const table = await torc(args, { cwd: folder, environment });
    expect(found.stdout + found.stderr + table.stdout + table.stderr).not.toMatch(/sesame|workflow_id":1,/);
  });

  it('no password stands in an argument or in a file on the host', async () => {
    const { id, out } = await created(sleepers('secret', 1, 600));
    const spy = join(folder, 'spy-torc');
    writeFileSync(spy, `#!/bin/sh\nps -eo args >>${join(folder, 'seen')}\nexec ${torcThere} "$@"\n`, { mode: 0o755 });
    const file = workersFile(`worker1 --torc ${spy} --work-dir ${folder} --num-cpus 1`);
    const secret = { TORC_PASSWORD: 'open-sesame-1234' };
    expect((await remote(['run', file, String(id), '-o', out], secret)).code).toBe(0);
    const seen = readFileSync(join(folder, 'seen'), 'utf8');
    expect(seen).toContain('remote-agent start');
    expect(seen).not.toContain('open-sesame');
    const own = readdirSync(join(folder, out)).filter((name) => name.startsWith('torc_worker_'));
    expect(own.length).toBeGreaterThan(1);
    for (const name of own) expect(readFileSync(join(folder, out, name), 'utf8')).not.toContain('open-sesame');
    // The folder that the start made lets no other user see the names in it.
    expect((statSync(join(folder, out)).mode & 0o777).toString(8)).toBe('700');
    await remote(['stop', String(id), '-o', out, '--force'], secret);
  });

  it('a script that starts torc on a host, and waits for it, holds no start up', async () => {
    const { id, out } = await created(sleepers('script', 1, 600));
    const script = join(folder, 'module-torc');
    writeFileSync(script, `#!/bin/sh\n${torcThere} "$@"\n`, { mode: 0o755 });
    const file = workersFile(`worker1 --torc ${script} --work-dir ${folder} --num-cpus 1`);
    const begunAt = performance.now();
    expect((await remote(['run', file, String(id), '-o', out])).of('worker1')).toMatchObject({ result: 'started' });
    // The limit of a start is 120 s.
    expect(performance.now() - begunAt).toBeLessThan(110_000);
    await remote(['stop', String(id), '-o', out, '--force']);
  });

  it('logs are fetched without overwriting, an interrupted transfer goes on, and deleted only when no runner is left', async () => {
    const { id, out } = await created(sleepers('logs', 1, 600));
    await remote(['run', workersFile(line('worker1', '--num-cpus 1')), String(id), '-o', out]);
    await until(
      () => countsOf(id),
      ({ running }) => running === 1,
      'the job to run',
    );
    const where = ['--remote-output-dir', out, '-l', 'logs'];
    const alive = await remote(['delete-logs', String(id), '--remote-output-dir', out]);
    expect([alive.code, alive.of('worker1')]).toEqual([1, expect.objectContaining({ code: 'RUNNER_ALIVE' })]);
    await remote(['stop', String(id), '-o', out]);

    const cut = hosts.before(
      'case "$*" in *"tail -c"*) "$REAL_SSH" "$@" | dd bs=1 count=200 status=none;; *) exec "$REAL_SSH" "$@";; esac',
    );
    const first = await remote(['collect-logs', String(id), ...where], cut);
    expect([first.code, first.of('worker1')]).toEqual([1, expect.objectContaining({ code: 'CUT' })]);
    expect(existsSync(join(folder, `logs/torc_logs_${id}_worker1.tar.gz`))).toBe(false);
    const part = statSync(join(folder, `logs/torc_logs_${id}_worker1.tar.gz.part`)).size;
    expect(part).toBeGreaterThan(0);
    const second = await remote(['collect-logs', String(id), ...where]);
    expect(second.of('worker1')).toMatchObject({
      result: 'collected',
      bytes_before: part,
      path: `logs/torc_logs_${id}_worker1.tar.gz`,
    });
    const third = await remote(['collect-logs', String(id), ...where, '--delete']);
    expect(third.of('worker1')).toMatchObject({ result: 'collected', path: `logs/torc_logs_${id}_worker1-2.tar.gz` });
    const names = execFileSync('tar', ['-tzf', join(folder, `logs/torc_logs_${id}_worker1.tar.gz`)], {
      encoding: 'utf8',
    });
    expect(names).toContain(`job_runner_worker1_wf${id}_r1.log`);
    expect(names).toContain(`job_stdio/job_wf${id}_`);
    const left = await remote(['delete-logs', String(id), '--remote-output-dir', out]);
    expect(left.of('worker1')?.result).toBe('nothing');
  });

  it('hosts are stored, listed and removed, and those that ssh does not reach are not stored', async () => {
    const { id } = await created(sleepers('workers', 1, 1));
    const add = (...args: string[]) => command(['remote', 'add-workers', String(id), ...args]);
    expect((await add('worker1', 'worker2')).stdout).toBe(`Added 2 workers to workflow ${id}: worker1, worker2\n`);
    expect((await add('worker1')).stdout).toBe(`All workers already exist for workflow ${id}\n`);
    const none = await add('nosuchhost.invalid');
    expect([none.code, none.stderr]).toEqual([1, expect.stringContaining('No workers passed SSH connectivity check')]);
    expect((await add('worker2', '@x')).stderr).toContain("command line:2: Empty username before '@'");
    expect((await command(['remote', 'remove-worker', 'worker2', String(id)])).code).toBe(0);
    const listed = await remote(['list-workers', String(id)]);
    expect(listed.rows).toEqual([{ worker: 'worker1', workflow_id: id }]);
    expect((await command(['remote', 'remove-worker', 'worker2', String(id)])).code).toBe(1);
  });

  it('a stored host whose line this torc does not read is named with the command that removes it', async () => {
    const { id } = await created(sleepers('older', 1, 1));
    const text = 'worker1 --work-dir /scratch/$USER';
    const db = new DatabaseSync(join(folder, 'server.db'));
    db.prepare('insert into remote_worker (workflow_id, worker) values (?, ?)').run(id, text);
    db.close();
    const refused = await command(['remote', 'status', String(id)]);
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining(`remove it: torc remote remove-worker '${text}' ${id}`),
    ]);
    expect((await command(['remote', 'remove-worker', text, String(id)])).code).toBe(0);
    expect((await remote(['list-workers', String(id)])).rows).toEqual([]);
  });
});

describe('the files and servers that torc remote refuses', () => {
  it('a worker file with wrong lines is refused with the place of each, and an empty one by name', async () => {
    const place = temporaryFolder();
    const run = async (text: string) => {
      writeFileSync(join(place, 'w.txt'), text);
      return torc(['--url', 'http://127.0.0.1:1/torc-service/v1', 'remote', 'run', 'w.txt', '1'], { cwd: place });
    };
    const wrong = await run('h1:2222\na@h1:2222\nh2:99999\n');
    expect(wrong.code).toBe(1);
    expect(wrong.stderr).toContain("w.txt:2: Duplicate host 'h1:2222'");
    expect(wrong.stderr).toContain("w.txt:3: Invalid port '99999'");
    expect((await run('# none yet\n')).stderr).toContain("Worker file 'w.txt' contains no valid entries");
  });

  it('a standalone server is refused, because it serves this machine only', async () => {
    const place = temporaryFolder();
    const { code, stderr } = await torc(['-s', 'remote', 'run', '1'], { cwd: place });
    expect([code, stderr]).toEqual([1, expect.stringContaining('torc-server run --host 0.0.0.0')]);
  });
});
