import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { hashSync } from 'bcryptjs';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { VERSION } from '../../src/core/contract/version.ts';
import { oldNode } from '../support/old-node.ts';
import { type Packed, pack } from '../support/packed.ts';
import { temporaryFolder } from '../support/programs.ts';
import { basic } from '../support/service.ts';

const root = resolve(import.meta.dirname, '../..');
const call = promisify(execFile);

const VERSION_LINE = new RegExp(
  `^torc ${VERSION} \\(commit (?:[0-9a-f]{12}|unknown), Node \\d+\\.\\d+\\.\\d+, SQLite 3\\.[\\d.]+\\)\n$`,
);

let packed: Packed;
/** The package, unpacked where nothing of this checkout can be found. */
let installed: string;

beforeAll(async () => {
  packed = pack();
  installed = temporaryFolder();
  await call('tar', ['-xzf', packed.tarball, '-C', installed]);
});

interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `torc` of an unpacked package under a runtime, with nothing in the environment that leads elsewhere. */
async function torc(folder: string, args: readonly string[], runtime = process.execPath): Promise<Ran> {
  const env = { PATH: '/usr/bin:/bin', HOME: folder, USER: 'tester' };
  return new Promise((done) => {
    execFile(runtime, [join(folder, 'package/bin/torc.mjs'), ...args], { cwd: folder, env }, (error, stdout, stderr) =>
      done({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
  });
}

describe('the package', () => {
  it('the package contains the programs, the docs, the examples, the schemas and the licences, but no sources and no tests', () => {
    const { paths } = packed;
    expect(paths).toEqual(
      expect.arrayContaining([
        'LICENSE',
        'bin/torc.mjs',
        'dist/cli/main.cjs',
        'dist/library/torc.js',
        'dist/THIRD_PARTY_LICENSES.txt',
        'docs/tutorials/first-workflow.md',
        'examples/diamond.yaml',
        'api/workflow.schema.json',
        'api/openapi.json',
        'python/pyproject.toml',
        'python/torc_flow/workflow.py',
      ]),
    );
    const expected = /^(api|bin|dist|docs|examples|python)\/|^(README|CHANGELOG)\.md$|^LICENSE$|^package\.json$/;
    expect(paths.filter((path) => !expected.test(path))).toEqual([]);
  });

  it('the package depends on no other package but a Node that may be missing: everything else is bundled', () => {
    const manifest = JSON.parse(readFileSync(join(installed, 'package/package.json'), 'utf8')) as object;
    expect(manifest).not.toHaveProperty('dependencies');
    expect(Object.keys((manifest as { optionalDependencies: object }).optionalDependencies).join()).toMatch(
      /^(?:node-[a-z0-9-]+,?)+$/,
    );
    const licences = readFileSync(join(installed, 'package/dist/THIRD_PARTY_LICENSES.txt'), 'utf8');
    for (const bundled of ['hono', 'zod', 'commander', 'js-yaml', '@zxcvbn-ts/core']) {
      expect(licences).toMatch(new RegExp(`^${bundled} \\d+\\.`, 'm'));
    }
  });

  it('the package says where its schema of workflow files is, which is the one that it prints', async () => {
    const { stdout } = await torc(installed, ['workflows', 'schema', '--path']);
    const printed = await torc(installed, ['workflows', 'schema']);
    expect(JSON.parse(readFileSync(stdout.trim(), 'utf8'))).toEqual(JSON.parse(printed.stdout));
  });

  it('the package says its version without any other package', async () => {
    expect(existsSync(join(installed, 'node_modules'))).toBe(false);
    expect(await torc(installed, ['--version'])).toEqual({
      code: 0,
      stdout: expect.stringMatching(VERSION_LINE) as string,
      stderr: '',
    });
  });

  it('the package runs a workflow without any other package, with a server of its own', async () => {
    writeFileSync(
      join(installed, 'two.yaml'),
      'name: two\njobs:\n  - {name: make, command: echo made > made.txt}\n  - {name: use, command: cat made.txt, depends_on: [make]}\n',
    );
    const { code, stderr } = await torc(installed, ['-s', 'run', 'two.yaml']);
    expect(stderr).toContain('2 jobs completed');
    expect(code).toBe(0);
    expect(readFileSync(join(installed, 'torc_output/job_stdio/job_wf1_j2_r1_a1.o'), 'utf8')).toBe('made\n');
    const reported = await torc(installed, ['-s', '-f', 'json', 'jobs', 'list', '1']);
    const { items } = JSON.parse(reported.stdout) as { items: { name: string; status: string }[] };
    expect(items.map(({ name, status }) => [name, status])).toEqual([
      ['make', 'completed'],
      ['use', 'completed'],
    ]);
  });

  it('the package brings what its server starts beside itself: a thread for passwords, a process for SQL', async () => {
    writeFileSync(join(installed, 'users'), `ann:${hashSync('secret', 4)}\n`);
    const words = 'run --port 0 --database auth.db --auth-file users --require-auth'.split(' ');
    const server = spawn(process.execPath, [join(installed, 'package/bin/torc-server.mjs'), ...words], {
      cwd: installed,
      env: { PATH: '/usr/bin:/bin', HOME: installed },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void server.kill('SIGKILL'));
    const [reported] = (await once(server.stdout, 'data')) as [Buffer];
    const url = `http://localhost:${/TORC_SERVER_PORT=(\d+)/.exec(String(reported))?.[1]}/torc-service/v1/admin/sql`;
    const ask = (password: string) =>
      fetch(url, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Authorization: basic('ann', password) },
        body: JSON.stringify({ sql: 'select 1 as one' }),
      });
    expect((await ask('wrong')).status).toBe(401);
    expect(await (await ask('secret')).json()).toMatchObject({ items: [{ one: 1 }] });
  });

  it('the package is a library too, whose declarations need no other package', async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'node_modules'));
    symlinkSync(join(installed, 'package'), join(folder, 'node_modules', 'torc'));
    const program = `
      import { TorcClient, Unreachable, type NewJob } from 'torc';
      const torc = new TorcClient({ url: 'http://127.0.0.1:9/torc-service/v1' });
      const job: NewJob = { workflow_id: 1, name: 'a', command: 'true' };
      await torc.createJob({ body: job }).catch((error: unknown) => {
        console.log(error instanceof Unreachable);
      });
      torc.close();
    `;
    writeFileSync(join(folder, 'main.mts'), program);
    const strict = ['--strict', '--noEmit', '--module', 'nodenext', '--target', 'esnext', '--types', ''];
    const compile = (text: string) => {
      writeFileSync(join(folder, 'main.mts'), text);
      return call(join(root, 'node_modules/.bin/tsc'), [...strict, 'main.mts'], { cwd: folder });
    };
    await expect(compile(program.replace("name: 'a'", "nam: 'a'"))).rejects.toThrow();
    const withConsole = `declare const console: { log(value: unknown): void };${program}`;
    expect((await compile(withConsole)).stdout).toBe('');
    expect((await call(process.execPath, ['main.mts'], { cwd: folder })).stdout).toBe('true\n');
  });
});

describe('an old Node', async () => {
  const old = await oldNode();

  it('an old Node says which version is needed, and how to get it', async ({ skip }) => {
    if (old === undefined) return skip('no Node older than 24.15 is on PATH');
    const { code, stdout, stderr } = await torc(installed, ['-s', 'run', 'two.yaml'], old.path);
    expect([code, stdout]).toEqual([78, '']);
    expect(stderr).toContain(
      `torc needs Node 24.15 or newer, and found none that starts; too old: ${old.path} (v${old.version})`,
    );
    expect(stderr).toContain('Install a current Node');
  });

  it('an old Node starts the newer one that was installed as a package beside torc', async ({ skip }) => {
    if (old === undefined) return skip('no Node older than 24.15 is on PATH');
    const brought = [`node-${process.platform}-${process.arch}`, `node-bin-${process.platform}-${process.arch}`].find(
      (name) => existsSync(join(root, 'node_modules', name)),
    );
    if (brought === undefined) return skip('no package brings a Node for this platform');
    const folder = temporaryFolder();
    // As npm installs both, and the programs are called through a link.
    cpSync(join(installed, 'package'), join(folder, 'node_modules/torc'), { recursive: true });
    symlinkSync('node_modules/torc', join(folder, 'package'));
    symlinkSync(join(root, 'node_modules', brought), join(folder, 'node_modules', brought));
    expect(await torc(folder, ['--version'], old.path)).toEqual({
      code: 0,
      stdout: expect.stringMatching(VERSION_LINE) as string,
      stderr: '',
    });
    expect((await torc(folder, ['--nonsense'], old.path)).code).toBe(2);
  });
});
