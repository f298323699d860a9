import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeEach, expect, it } from 'vitest';
import { pack } from '../support/packed.ts';
import { temporaryFolder } from '../support/programs.ts';

/** The compiled code that a package brings (docs/adr/0024), as counts: what a start compiles, and what Node's loader loads. */

const call = promisify(execFile);
const preload = join(import.meta.dirname, 'print-scripts.ts');

interface Loaded {
  /** Scripts whose code V8 took. */
  readonly taken: number;
  readonly refused: readonly string[];
  /** Files that the loader of Node has loaded. */
  readonly files: readonly string[];
}

let installed: string;
let temporary: string;

beforeEach(async () => {
  const { tarball } = pack();
  installed = temporaryFolder();
  temporary = temporaryFolder();
  await call('tar', ['-xzf', tarball, '-C', installed]);
});

const program = (name: string) => join(installed, 'package/bin', `${name}.mjs`);
const codeFile = () => {
  const folder = join(installed, 'package/dist/cli');
  return join(folder, readdirSync(folder).find((name) => name.startsWith('code-')) ?? '');
};

/** What each process of a command has loaded when it ends, by its first argument. */
async function loadedBy(args: readonly string[]): Promise<ReadonlyMap<string, Loaded>> {
  const reports = temporaryFolder();
  const env = {
    PATH: '/usr/bin:/bin',
    HOME: installed,
    TMPDIR: temporary,
    NODE_OPTIONS: `--import=${preload}`,
    PRINTED_SCRIPTS: reports,
  };
  await call(process.execPath, [program('torc'), ...args], { cwd: installed, env });
  return new Map(
    readdirSync(reports).map((name) => {
      const { argument, ...loaded } = JSON.parse(readFileSync(join(reports, name), 'utf8')) as Loaded & {
        argument: string;
      };
      return [argument, loaded];
    }),
  );
}

const privateFolder = () => join(temporary, `torc-compiled-${process.getuid?.()}`);

it('a runner and its server load code that came with the package, and keep none on the disk of the machine', async () => {
  writeFileSync(join(installed, 'one.yaml'), 'name: one\njobs: [{name: a, command: "true"}]\n');
  const loaded = await loadedBy(['-s', 'run', 'one.yaml']);
  expect([...loaded.keys()].sort()).toEqual(['-s', 'run']);
  for (const { taken, refused, files } of loaded.values()) {
    expect(taken).toBeGreaterThan(50);
    // A runner prefers a small heap once it works, and V8 refuses code that was made without: a few are loaded after the last job.
    expect(refused.length).toBeLessThan(6);
    // The program itself, and how it finds its runtime and its code.
    expect(files.length).toBeLessThanOrEqual(4);
  }
  expect(existsSync(privateFolder())).toBe(false);
});

it('with a file of code that was cut off, a start compiles the programs, and keeps that code', async () => {
  truncateSync(codeFile(), 100_000);
  const [cut] = (await loadedBy(['run', '--help'])).values();
  expect(cut?.taken).toBe(0);
  expect(existsSync(privateFolder())).toBe(true);
});

it('NODE_DISABLE_COMPILE_CACHE does without any compiled code', async () => {
  const env = { PATH: '/usr/bin:/bin', TMPDIR: temporary, NODE_DISABLE_COMPILE_CACHE: '1' };
  const { stdout } = await call(process.execPath, [program('torc'), 'run', '--help'], { env });
  expect(stdout).toContain('Usage: torc run');
  expect(readdirSync(temporary).flatMap((name) => readdirSync(join(temporary, name)))).toEqual([]);
});

it('a question of an installed torc is printed alone, without a warning of Node about its loader', async () => {
  writeFileSync(join(installed, 'one.yaml'), 'name: one\njobs: [{name: a, command: "true"}]\n');
  const env = { PATH: '/usr/bin:/bin', HOME: installed, TMPDIR: temporary, USER: 'tester' };
  const torc = (...args: string[]) => {
    const asked = call(process.execPath, [program('torc'), '-s', ...args], { cwd: installed, env });
    asked.child.stdin?.end('n\n');
    return asked.catch((error: { stderr: string }) => error);
  };
  await torc('create', 'one.yaml');
  const { stderr } = await torc('delete', '1');
  expect(stderr).toContain('[y/N]');
  expect(stderr).not.toMatch(/warning/i);
});
