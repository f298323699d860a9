/**
 * Makes a release: `npm run release -- VERSION --key FILE`, or tries it: `npm run release -- --dry-run`, with a key for once and the
 * next version.
 *
 * All happens in a clone of what is committed: versions, changelog and generated files, one commit, the artefacts. They are built twice,
 * in two folders, and must be the same; their sizes are bounded; and the archive of this machine is installed and runs the example of the
 * README, where mmdebstrap is installed on a Debian without Node, by a user who is not root. Then the commit and its tag come here,
 * unless it was a dry run.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { newSigningKey } from './artefacts/sign.ts';
import { VERSION } from '../src/core/contract/version.ts';

const root = resolve(import.meta.dirname, '..');
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    'dry-run': { type: 'boolean', default: false },
    key: { type: 'string' },
    platform: { type: 'string', multiple: true, default: [] },
    out: { type: 'string' },
  },
});
const isTrial = values['dry-run'];
const version = positionals[0] ?? (isTrial ? VERSION.replace(/\d+$/, (last) => String(Number(last) + 1)) : '');
if (!/^\d+\.\d+\.\d+$/.test(version) || (!isTrial && values.key === undefined))
  throw new Error('npm run release -- VERSION --key FILE, or npm run release -- [VERSION] --dry-run');

/** Bytes that a download may have. */
const MOST_BYTES = { 'tar.xz': 42e6, 'tar.gz': 60e6, whl: 60e6 } as const;

/** What a user runs first, where the folder of examples is. */
const EXAMPLE = 'torc -s run examples/diamond.yaml && cat torc_output/diamond/result.txt && torc --version';

const folder = mkdtempSync(join(tmpdir(), 'torc-release-'));
const began = Date.now();
const say = (text: string): void => {
  process.stdout.write(`${((Date.now() - began) / 1000).toFixed(0).padStart(4)} s  ${text}\n`);
};

try {
  const key = values.key === undefined ? join(folder, 'key') : resolve(values.key);
  if (values.key === undefined) writeFileSync(key, newSigningKey().secretKey, { mode: 0o600 });
  const out = resolve(root, values.out ?? '.build/release');

  const clone = cloneOf(root, 'first');
  setVersion(clone);
  say(`version ${version}, changelog and generated files are committed in a clone`);
  const platforms = values.platform.flatMap((platform) => ['--platform', platform]);
  const speed = isTrial ? ['--trial'] : [];
  artefacts(clone, ['--out', out, '--key', key, ...platforms, ...speed]);
  checkSizes(out);
  say('artefacts are made, signed, and not too large');

  const again = join(folder, 'again');
  const [one = `${process.platform}-${process.arch}`] = values.platform;
  artefacts(cloneOf(clone, 'second folder'), [
    '--out',
    again,
    '--key',
    key,
    '--format',
    'tar.gz',
    '--format',
    'whl',
    '--platform',
    one,
    ...speed,
  ]);
  refuseDifferent(out, again);
  say('a second build in another folder is the same');

  install(out);
  installWheel(out);
  if (!isTrial) {
    const git = (...words: string[]) => execFileSync('git', words, { cwd: root, stdio: 'inherit' });
    git('pull', '--ff-only', clone, 'HEAD');
    git('tag', `v${version}`);
    say(`commit and tag v${version} are here`);
  }
  for (const name of readdirSync(out).sort())
    say(`${(statSync(join(out, name)).size / 1e6).toFixed(2).padStart(6)} MB  ${join(out, name)}`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** A clone with the libraries of this checkout; the runtimes that were fetched are taken along. */
function cloneOf(source: string, name: string): string {
  const clone = join(folder, name);
  execFileSync('git', ['clone', '--quiet', source, clone]);
  symlinkSync(join(root, 'node_modules'), join(clone, 'node_modules'));
  mkdirSync(join(clone, '.build'));
  mkdirSync(join(root, '.build/runtimes'), { recursive: true });
  symlinkSync(join(root, '.build/runtimes'), join(clone, '.build/runtimes'));
  return clone;
}

function setVersion(clone: string): void {
  const change = (name: string, from: RegExp, to: string) => {
    const path = join(clone, name);
    const text = readFileSync(path, 'utf8');
    if (!from.test(text)) throw new Error(`${name} has no version where one is expected`);
    writeFileSync(path, text.replace(from, to));
  };
  change('package.json', /^(  "version": ")[^"]+/m, `$1${version}`);
  change('package-lock.json', /^(  "version": ")[^"]+/m, `$1${version}`);
  change('package-lock.json', /^(      "version": ")[^"]+/m, `$1${version}`);
  change('src/core/contract/version.ts', /(VERSION = ')[^']+/, `$1${version}`);
  change('python/pyproject.toml', /^(version = ")[^"]+/m, `$1${version}`);
  const node = (...words: string[]) =>
    execFileSync(process.execPath, words, { cwd: clone, stdio: ['ignore', 'ignore', 'inherit'] });
  if (!isTrial || readdirSync(join(clone, 'changes')).length > 1) node('scripts/changes.ts', version);
  node('scripts/gen.ts');
  const author = ['-c', 'user.name=torc', '-c', 'user.email=torc@localhost'];
  const words = [...(isTrial ? author : []), 'commit', '--quiet', '--all', '--message', `release: ${version}`];
  execFileSync('git', words, { cwd: clone, stdio: 'inherit' });
}

function artefacts(clone: string, words: readonly string[]): void {
  execFileSync(process.execPath, ['scripts/artefacts.ts', ...words], { cwd: clone, stdio: 'inherit' });
}

function checkSizes(out: string): void {
  for (const [format, most] of Object.entries(MOST_BYTES))
    for (const name of readdirSync(out).filter((each) => each.endsWith(format))) {
      const { size } = statSync(join(out, name));
      if (size > most) throw new Error(`${name} has ${size} bytes, and may have ${most}`);
    }
}

function refuseDifferent(out: string, again: string): void {
  const sums = readFileSync(join(out, 'SHA256SUMS'), 'utf8').split('\n');
  const other = readFileSync(join(again, 'SHA256SUMS'), 'utf8').split('\n');
  const different = other.filter((line) => !sums.includes(line));
  if (different.length > 0) throw new Error(`a second build has other bytes:\n${different.join('\n')}`);
}

/** Installs the archive of this machine, and runs the example of the README. */
function install(out: string): void {
  const script = (release: string) =>
    `cd "$HOME" && sh "${release}/install.sh" --prefix "$HOME/a place" && PATH="$HOME/a place/bin:$PATH" && ${EXAMPLE}`;
  if (!isThere('mmdebstrap') || process.getuid?.() !== 0) {
    const home = join(folder, 'home');
    cpSync(join(root, 'examples'), join(home, 'examples'), { recursive: true });
    run('env', ['-i', `HOME=${home}`, 'PATH=/usr/bin:/bin', '/bin/sh', '-c', script(out)]);
    say('the archive is installed in an empty home, and runs the example');
    return;
  }
  const system = join(folder, 'root');
  execFileSync('env', ['mmdebstrap', '--quiet', '--variant=essential', '--include=libstdc++6', 'bookworm', system], {
    stdio: 'inherit',
  });
  cpSync(out, join(system, 'release'), { recursive: true });
  cpSync(join(root, 'examples'), join(system, 'home/ada/examples'), { recursive: true });
  execFileSync('chown', ['-R', '1000:1000', join(system, 'home/ada')]);
  execFileSync('env', ['mount', '-t', 'proc', 'proc', join(system, 'proc')]);
  try {
    const words = [
      '--userspec=1000:1000',
      system,
      '/usr/bin/env',
      '-i',
      'HOME=/home/ada',
      'USER=ada',
      'PATH=/usr/bin:/bin',
    ];
    run('chroot', [...words, '/bin/sh', '-c', `! command -v node && ${script('/release')}`]);
  } finally {
    execFileSync('env', ['umount', '--lazy', join(system, 'proc')]);
  }
  say('the archive is installed on a Debian without Node by a user who is not root, and runs the example');
}

/** Installs the wheel of this machine in a new environment of Python without a network, and lets what PyPI asks for look at it. */
function installWheel(out: string): void {
  const wheels = readdirSync(out).filter((name) => name.endsWith('.whl'));
  const machine = process.arch === 'arm64' ? /(?:aarch64|macosx.*arm64)\.whl$/ : /x86_64\.whl$/;
  const wheel = wheels.find((name) => machine.test(name));
  const venv = join(folder, 'venv');
  if (wheel === undefined || spawnSync('python3', ['-m', 'venv', venv]).status !== 0)
    return say(
      `skipped: the wheel, because ${wheel === undefined ? 'none is for this machine' : 'python3 has no venv'}`,
    );
  run(join(venv, 'bin/pip'), ['install', '--quiet', '--no-index', '--disable-pip-version-check', join(out, wheel)]);
  const home = join(folder, 'home of pip');
  cpSync(join(root, 'examples'), join(home, 'examples'), { recursive: true });
  const script = `cd "$HOME" && ${EXAMPLE} && python -c 'import torc_flow; print(torc_flow.map(str, range(3)))'`;
  run('env', ['-i', `HOME=${home}`, `PATH=${venv}/bin:/usr/bin:/bin`, '/bin/sh', '-c', script]);
  say('the wheel is installed in an environment of Python, and runs the example and a function');
  const tools = join(root, '.build/python/bin');
  if (!existsSync(join(tools, 'twine')) || !existsSync(join(tools, 'auditwheel')))
    return say('skipped: twine and auditwheel, which are not in .build/python');
  run(join(tools, 'twine'), ['check', '--strict', ...wheels.map((name) => join(out, name))]);
  const found = execFileSync(join(tools, 'auditwheel'), ['show', join(out, wheel)], { encoding: 'utf8' });
  const [, tag = 'no tag'] = /platform\s+tag:\s+"(\S+)"/.exec(found) ?? [];
  if (!wheel.includes(tag)) throw new Error(`auditwheel gives ${wheel} ${tag}:\n${found}`);
  say(`twine accepts the wheels, and auditwheel gives ${tag}`);
}

function run(program: string, words: readonly string[]): void {
  execFileSync(program, words, { stdio: ['ignore', 'inherit', 'inherit'], timeout: 120_000 });
}

function isThere(program: string): boolean {
  try {
    execFileSync('sh', ['-c', `command -v ${program}`], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
