import { execFile, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { BASE_PATH } from '../../src/core/contract/base-path.ts';
import { programFolder } from '../support/packed.ts';
import { startServer, temporaryFolder, torc } from '../support/programs.ts';

/** A user id without rights: that of the user `nobody` on most systems. */
const STRANGER = 65_534;
/** Only root can make files of another user. */
const isRoot = process.getuid?.() === 0;

/** A folder in which others may put files, as /tmp; the home of the user is beside it. */
let folder: string;
let home: string;
let environment: Record<string, string>;

beforeEach(() => {
  const all = temporaryFolder();
  folder = join(all, 'shared');
  home = join(all, 'home');
  mkdirSync(folder);
  chmodSync(folder, 0o1777);
  mkdirSync(home);
  environment = { HOME: home, XDG_CONFIG_HOME: '', XDG_STATE_HOME: '', TORC_PASSWORD: 'secret of the victim' };
});

const call = (words: string, more: Record<string, string> = {}) =>
  torc(words.split(' '), { cwd: folder, environment: { ...environment, ...more } });
const file = () => join(folder, 'torc.toml');

/** A server that keeps what it is sent, as a person who waits for passwords has it. */
async function listener() {
  const heard: string[] = [];
  const server = createServer((request, response) => {
    heard.push(`${request.url} ${request.headers.authorization ?? ''}`);
    response.writeHead(404).end('{}');
  });
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done));
  onTestFinished(() => void server.close());
  return { heard, url: `http://127.0.0.1:${(server.address() as { port: number }).port}${BASE_PATH}` };
}

const ofStranger = (path: string) => chownSync(path, STRANGER, STRANGER);
const flow = 'name: flow\njobs: [{name: only, command: "echo done > done"}]\n';

describe('the torc.toml of another user', () => {
  it.skipIf(!isRoot)('the torc.toml of another user gets no password: it is ignored with one line', async () => {
    const [theirs, own] = [await listener(), await listener()];
    mkdirSync(join(home, '.config/torc'), { recursive: true });
    writeFileSync(join(home, '.config/torc/config.toml'), `[client]\napi_url = "${own.url}"\n`);
    writeFileSync(file(), `[client]\nformat = "json"\napi_url = "${theirs.url}"\n[client.tls]\ninsecure = true\n`);
    ofStranger(file());
    const { stderr, stdout } = await call('--skip-version-check ping');
    expect(theirs.heard).toEqual([]);
    expect(own.heard).not.toEqual([]);
    expect(stderr.split('\n').filter((line) => line.includes('torc.toml'))).toEqual([
      `warning: torc.toml is ignored: ${file()} belongs to user ${STRANGER}; a file of yours that others cannot write counts`,
    ]);
    expect(stdout).not.toContain('{');
    // Nothing makes it count.
    expect((await call('--skip-version-check ping', { TORC_TRUST_CONFIG: '1' })).stderr).toContain(
      'torc.toml is ignored',
    );
    expect(await call('config trust')).toMatchObject({ code: 1, stderr: expect.stringContaining('is never trusted') });
    expect(theirs.heard).toEqual([]);
  });

  it.skipIf(!isRoot)('trust_owner in the torc.toml of another user makes root run no job of that user', async () => {
    writeFileSync(join(folder, 'flow.yaml'), flow);
    expect((await call('-s create flow.yaml')).code).toBe(0);
    for (const name of ['', ...readdirSync(join(folder, 'torc_output'))]) ofStranger(join(folder, 'torc_output', name));
    writeFileSync(file(), '[client]\ntrust_owner = true\n[server]\ntrust_owner = true\n');
    ofStranger(file());
    const { code, stderr } = await call('-s run 1');
    expect([code, stderr]).toEqual([1, expect.stringContaining('torc.toml is ignored')]);
    expect(existsSync(join(folder, 'done'))).toBe(false);
    // So it would have gone: the user says it, and not a file of another user.
    expect((await call('-s run 1', { TORC_TRUST_OWNER: 'true' })).code).toBe(0);
    expect(existsSync(join(folder, 'done'))).toBe(true);
  });
});

/** Starts torc as a user without rights; where the checkout lies in a private folder of the superuser, that user cannot. */
const TORC = resolve(import.meta.dirname, '../../bin/torc.mjs');
const asStranger = { uid: STRANGER, gid: STRANGER };
const isReachable =
  isRoot && spawnSync(process.execPath, [TORC, '--version'], { cwd: '/', ...asStranger }).status === 0;

describe('a user without rights', () => {
  it.skipIf(!isReachable)(
    'a user without rights ignores the torc.toml of a third user, and has to trust that of root',
    async () => {
      const theirs = await listener();
      chmodSync(join(folder, '..'), 0o755);
      ofStranger(home);
      const ping = async () => {
        const environmentOf = { ...process.env, ...environment, TORC_API_URL: '', USER: 'stranger' };
        const options = { cwd: folder, env: environmentOf, ...asStranger };
        return new Promise<{ code: number; stderr: string }>((done) => {
          execFile(process.execPath, [TORC, '--skip-version-check', 'ping'], options, (error, _, stderr) =>
            done({ code: Number(error?.code ?? 0), stderr }),
          );
        });
      };
      writeFileSync(file(), `[client]\napi_url = "${theirs.url}"\n`);
      // Another program may listen at the default address; it is not that of the file.
      chownSync(file(), STRANGER - 1, STRANGER - 1);
      expect((await ping()).stderr).toContain(`torc.toml is ignored: ${file()} belongs to user ${STRANGER - 1}`);
      chownSync(file(), 0, 0);
      expect(await ping()).toEqual({ code: 78, stderr: expect.stringContaining('torc.toml:2: client.api_url') });
      expect(theirs.heard).toEqual([]);
    },
  );
});

describe("a user's own torc.toml that came with a folder", () => {
  it("a user's own torc.toml sends nothing to its api_url until it is trusted, and ends the command with 78", async () => {
    const theirs = await listener();
    writeFileSync(file(), `[client]\nformat = "json"\napi_url = "${theirs.url}"\n`);
    const before = await call('--skip-version-check ping');
    expect([before.code, before.stdout]).toEqual([78, '']);
    expect(before.stderr).toContain('torc.toml:3: client.api_url counts only in a file that you trust');
    expect(before.stderr).toContain(`torc config trust ${file()}`);
    expect(before.stderr).toContain('TORC_TRUST_CONFIG=1');
    expect(theirs.heard).toEqual([]);

    expect((await call('config trust')).stdout).toBe(`Trusted ${file()}, with client.api_url (torc.toml:3)\n`);
    await call('--skip-version-check ping');
    expect(theirs.heard).toHaveLength(1);
    writeFileSync(file(), `${readFileSync(file(), 'utf8')}\n[client.tls]\ninsecure = true\n`);
    const changed = await call('--skip-version-check ping');
    expect([changed.code, changed.stderr]).toEqual([78, expect.stringContaining('changed since you trusted it')]);
    expect(theirs.heard).toHaveLength(1);
    await call('--skip-version-check ping', { TORC_TRUST_CONFIG: '1' });
    expect(theirs.heard).toHaveLength(2);
  });

  it("a user's own torc.toml does not hinder a command that uses none of its keys, or has its own values", async () => {
    const [theirs, own] = [await listener(), await listener()];
    writeFileSync(join(folder, 'flow.yaml'), flow);
    writeFileSync(file(), `[client]\napi_url = "${theirs.url}"\ntrust_owner = true\n[server]\nhttps = true\n`);
    expect((await call(`--skip-version-check --url ${own.url} ping`)).code).toBe(1);
    expect((await call('--skip-version-check ping', { TORC_API_URL: own.url })).code).toBe(1);
    expect([own.heard.length, theirs.heard.length]).toEqual([2, 0]);
    expect((await call('slurm generate --help')).code).toBe(0);
    expect((await call('hpc list')).code).toBe(0);
    // -s opens a database, for which trust_owner counts.
    const { code, stderr } = await call('-s run flow.yaml');
    expect([code, stderr]).toEqual([78, expect.stringContaining('torc.toml:3: client.trust_owner')]);
    expect(existsSync(join(folder, 'torc_output'))).toBe(false);
  });

  it("a user's own torc.toml writes no output elsewhere until it is trusted", async () => {
    writeFileSync(join(folder, 'flow.yaml'), flow);
    writeFileSync(file(), '[client.run]\noutput_dir = "elsewhere"\n');
    expect((await call('-s run flow.yaml')).code).toBe(78);
    expect(readdirSync(folder).toSorted()).toEqual(['flow.yaml', 'torc.toml']);
    expect((await call('config trust torc.toml')).code).toBe(0);
    expect((await call('-s run flow.yaml')).code).toBe(0);
    expect(existsSync(join(folder, 'elsewhere/job_stdio'))).toBe(true);
  });

  it('torc config init makes a file that goes on counting while its user edits it, and one that is cloned in its place does not', async () => {
    const theirs = await listener();
    expect((await call('config init --local')).code).toBe(0);
    const made = readFileSync(file(), 'utf8');
    writeFileSync(file(), made.replace('#api_url = ', `api_url = "${theirs.url}" #`));
    await call('--skip-version-check ping');
    expect(theirs.heard).toHaveLength(1);
    writeFileSync(file(), `[client]\napi_url = "${theirs.url}"\n`);
    expect((await call('--skip-version-check ping')).code).toBe(78);
    expect(theirs.heard).toHaveLength(1);
  });

  it('what is trusted is kept where no other user can write, and a record there that others may write counts for nothing', async () => {
    writeFileSync(file(), '[client.run]\noutput_dir = "elsewhere"\n');
    expect((await call('config trust')).code).toBe(0);
    const trusted = join(home, '.local/state/torc/trusted');
    const [name] = readdirSync(trusted) as [string];
    const record = join(trusted, name);
    expect([statSync(trusted).mode & 0o777, statSync(record).mode & 0o777]).toEqual([0o700, 0o600]);
    expect((await call('jobs explain --help')).code).toBe(0);
    chmodSync(record, 0o666);
    expect((await call('config validate')).code).toBe(1);
    chmodSync(record, 0o600);
    expect((await call('config validate')).code).toBe(0);
    chmodSync(trusted, 0o777);
    expect((await call('config validate')).code).toBe(1);
    expect(await call('config trust')).toMatchObject({
      code: 78,
      stderr: expect.stringContaining('others may write in it. Set HOME or XDG_STATE_HOME'),
    });
  });

  it('torc config shows each value with its place, and what waits for trust; as JSON, which programs read, it refuses', async () => {
    writeFileSync(file(), '[client.run]\npoll_interval = 2\noutput_dir = "elsewhere"\n');
    const { code, stdout } = await call('config show');
    expect([code, stdout]).toEqual([0, expect.stringContaining('poll_interval = 2  # torc.toml:2\n')]);
    expect(stdout).toContain(`output_dir = "elsewhere"  # torc.toml:3, not used: torc config trust ${file()}\n`);
    expect(await call('config show -f json')).toMatchObject({ code: 78, stdout: '' });
    expect(await call('config validate')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`torc.toml:3: client.run.output_dir: not trusted: torc config trust ${file()}`),
    });
    const json = async (words: string) => JSON.parse((await call(`-f json config ${words}`)).stdout) as unknown;
    expect(await json('validate')).toMatchObject({ valid: false, errors: [expect.stringContaining('not trusted')] });
    expect(await json('paths')).toMatchObject({ items: [{}, {}, { role: 'local', path: file(), state: 'read' }] });
    await call('config trust');
    expect(await json('validate')).toMatchObject({ valid: true, errors: [] });
    expect((await call('config show')).stdout).toContain('output_dir = "elsewhere"  # torc.toml:3\n');
    expect((await call('config show -f json')).code).toBe(0);
  });
});

describe('an allocation', () => {
  it('an allocation that was submitted from a folder with a trusted torc.toml runs as it said, also where the file has changed and nothing is trusted', async () => {
    const server = await startServer(folder);
    const sbatch = join(home, 'sbatch');
    writeFileSync(sbatch, '#!/bin/sh\necho "Submitted batch job 42"\n', { mode: 0o755 });
    writeFileSync(join(folder, 'flow.yaml'), flow);
    writeFileSync(file(), `[client]\napi_url = "${server.url}"\n[client.run]\numask = "027"\n`);
    expect((await call('config trust')).code).toBe(0);
    expect((await call('create flow.yaml')).code).toBe(0);
    expect((await call('workflows init 1')).code).toBe(0);
    expect((await call('slurm create 1 -n nodes -a proj')).code).toBe(0);
    const words = 'slurm schedule-nodes 1 -o out --keep-submission-scripts';
    expect(await call(words, { TORC_FAKE_SBATCH: sbatch })).toMatchObject({ code: 0 });
    const script = readdirSync(join(folder, 'out')).find((name) => name.endsWith('.sh')) as string;

    // As after a git pull: the node would talk to another server, or refuse.
    writeFileSync(file(), '[client]\napi_url = "http://127.0.0.1:1/torc-service/v1"\n[client.run]\numask = "000"\n');
    const endsAt = String(Math.floor(Date.now() / 1000) + 3600);
    const ofSlurm = { SLURM_JOB_ID: '42', SLURM_NODEID: '0', SLURM_TASK_PID: '77', SLURM_JOB_NUM_NODES: '1' };
    const env = {
      ...process.env,
      ...environment,
      ...ofSlurm,
      SLURM_CPUS_ON_NODE: '2',
      SLURM_MEM_PER_NODE: '1024',
      SLURM_JOB_END_TIME: endsAt,
      HOME: join(home, 'of-a-node'),
      USER: 'tester',
      PATH: `${programFolder()}:${process.env['PATH']}`,
    };
    const ran = await promisify(execFile)('bash', [join(folder, 'out', script)], { cwd: folder, env });
    expect(ran.stderr).toContain('1 completed');
    expect(existsSync(join(folder, 'done'))).toBe(true);
    expect(statSync(join(folder, 'out/job_stdio')).mode & 0o777).toBe(0o750);
  });
});

describe('completion', () => {
  it('completion in a folder whose torc.toml is not trusted asks no server, and prints nothing about it', async () => {
    const theirs = await listener();
    writeFileSync(file(), `[client]\napi_url = "${theirs.url}"\n`);
    const words = 'complete -- jobs list ';
    expect(await torc(words.split(' '), { cwd: folder, environment })).toMatchObject({ stderr: '' });
    expect(theirs.heard).toEqual([]);
    expect((await call('config trust')).code).toBe(0);
    await torc(words.split(' '), { cwd: folder, environment });
    expect(theirs.heard).not.toEqual([]);
  });
});
