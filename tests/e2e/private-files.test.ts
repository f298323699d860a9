import { existsSync, globSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { programFolder } from '../support/packed.ts';
import { start, startServer, temporaryFolder, torc, until } from '../support/programs.ts';

/** Permissions of what torc and its jobs leave behind, under the umask that most machines have. */

let before: number;
beforeAll(() => {
  before = process.umask(0o022);
});
afterAll(() => void process.umask(before));

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

/** The permissions of all below a folder, but for what jobs made. */
function modes(folder: string): Map<string, string> {
  const paths = globSync('**/*', { cwd: folder }).filter((path) => !path.includes('of-the-job'));
  return new Map(paths.map((path) => [path, modeOf(join(folder, path))]));
}

const spec = (folder: string) => ({
  name: 'w',
  jobs: [{ name: 'a', command: `echo text; umask > of-the-job; touch of-the-job-2; mkdir of-the-job-3` }],
  actions: [
    {
      trigger_type: 'on_workflow_start',
      action_type: 'run_commands',
      commands: [`touch ${join(folder, 'of-the-job-of-an-action')}`],
    },
  ],
  resource_monitor: { enabled: true, granularity: 'time_series', sample_interval_seconds: 1 },
});

async function run(environment: Record<string, string>) {
  const folder = temporaryFolder();
  const own = join(folder, 'own');
  mkdirSync(own);
  writeFileSync(join(own, 'w.json'), JSON.stringify(spec(own)));
  const { code, stderr } = await torc(['-s', 'run', 'w.json'], { cwd: own, environment });
  expect([code, stderr]).toEqual([0, expect.any(String)]);
  return own;
}

it.each(['posix_spawn', 'child_process'])(
  'what a run leaves behind is private to the user, and files of jobs are as the user wants them (%s)',
  async (launcher) => {
    const own = await run({ TORC_LAUNCHER: launcher });
    const found = modes(join(own, 'torc_output'));
    expect([...found.keys()].some((path) => path.startsWith('job_stdio/'))).toBe(true);
    expect([...found.keys()]).toContain('torc.db');
    for (const [path, mode] of found) {
      const isFolder = statSync(join(own, 'torc_output', path)).isDirectory();
      expect([path, mode]).toEqual([path, isFolder ? '700' : '600']);
    }
    expect(modeOf(join(own, 'torc_output'))).toBe('700');
    expect(readFileSync(join(own, 'of-the-job'), 'utf8').trim()).toBe('0022');
    expect([modeOf(join(own, 'of-the-job-2')), modeOf(join(own, 'of-the-job-3'))]).toEqual(['644', '755']);
    expect(modeOf(join(own, 'of-the-job-of-an-action'))).toBe('644');
  },
);

it('a site that shares output folders by group says so', async () => {
  const own = await run({ TORC_UMASK: '027' });
  for (const [path, mode] of modes(join(own, 'torc_output'))) {
    const isFolder = statSync(join(own, 'torc_output', path)).isDirectory();
    expect([path, mode]).toEqual([path, isFolder ? '750' : '640']);
  }
});

it('the database of a server, its copies, its exports and its log are private, and may be read by a group that is named', async () => {
  const folder = temporaryFolder();
  for (const [mask, mode] of [
    [undefined, '600'],
    ['027', '640'],
  ] as const) {
    const name = mask ?? 'private';
    const more = [...(mask === undefined ? [] : ['--umask', mask]), '--log-dir', `logs-${name}`];
    const { client, program } = await startServer(folder, { database: `${name}.db`, more });
    await client.createWorkflow({ body: { name: 'w', user: 'u' } });
    program.child.kill('SIGUSR1');
    const copy = join(folder, 'torc-server-snapshot.db');
    await until(() => existsSync(copy), Boolean, 'the copy');
    expect(modeOf(copy)).toBe('600');
    for (const each of [`${name}.db`, `${name}.db-wal`, `${name}.db-owner`, `logs-${name}/torc-server.log`])
      expect([each, modeOf(join(folder, each))]).toEqual([each, mode]);
  }
  const words = ['export', '-d', 'private.db', '-o', 'exported.db'];
  expect((await start('torc-server', words, { cwd: folder }).ended).code).toBe(0);
  expect(modeOf(join(folder, 'exported.db'))).toBe('600');
});

it('a file that a person names follows the umask, and an export does not write through a link that another user prepared', async () => {
  const folder = temporaryFolder();
  const { url, client } = await startServer(folder);
  await client.createWorkflow({ body: { name: 'w', user: 'u' } });
  writeFileSync(join(folder, 'precious'), 'precious');
  symlinkSync(join(folder, 'precious'), join(folder, 'w.json.part'));
  const { code } = await torc(['--url', url, 'workflows', 'export', '1', '-o', 'w.json'], { cwd: folder });
  expect([code, modeOf(join(folder, 'w.json'))]).toEqual([0, '644']);
  expect(readFileSync(join(folder, 'precious'), 'utf8')).toBe('precious');
});

it('a command whose output finds no room ends with another code than 0, and one whose reader leaves does not', () => {
  const codeOf = (line: string) =>
    spawnSync('bash', ['-c', line], { env: { ...process.env, PATH: `${programFolder()}:${process.env['PATH']}` } })
      .status;
  for (const command of ['workflows schema', "exec --dry-run -c 'echo {i}' --param i=1:3", '--help'])
    expect([command, codeOf(`torc ${command} > /dev/full`)]).toEqual([command, 1]);
  expect(codeOf('set -o pipefail; torc workflows schema | head -n 1')).toBe(0);
});

it('exec makes a private output folder too', async () => {
  const folder = temporaryFolder();
  expect((await torc(['-s', 'exec', '-c', 'true', '-o', 'out/deep'], { cwd: folder })).code).toBe(0);
  expect([modeOf(join(folder, 'out')), modeOf(join(folder, 'out/deep'))]).toEqual(['700', '700']);
});

it('a mask that is none is refused', async () => {
  const { code, stderr } = await start('torc-server', ['run', '--umask', '9'], { cwd: temporaryFolder() }).ended;
  expect([code, stderr]).toEqual([2, expect.stringContaining('--umask: expected an octal mask')]);
});
