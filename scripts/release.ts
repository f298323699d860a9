/**
 * Makes a release: `npm run release -- VERSION --key FILE`, or tries it: `npm run release -- --dry-run`, with a key for once and the
 * next version.
 *
 * All happens in a clone of what is committed: versions, changelog and generated files, one commit, the artefacts. They are built twice,
 * in two folders, and must be the same; their sizes are bounded; and those of this machine are installed and run the example of the
 * README, where mmdebstrap is installed on a Debian without Node, by a user who is not root. Then the commit and its tag come here,
 * unless it was a dry run.
 */
import { execFileSync, spawn } from 'node:child_process';
import {
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
import { refuseOldRuntimes } from './artefacts/age.ts';
import { tryArtefacts } from './artefacts/try.ts';
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
const MOST_BYTES = { 'tar.xz': 42e6, 'tar.gz': 60e6, whl: 60e6, deb: 60e6, rpm: 60e6, tgz: 12e6 } as const;

const folder = mkdtempSync(join(tmpdir(), 'torc-release-'));
const began = Date.now();
const say = (text: string): void => {
  process.stdout.write(`${((Date.now() - began) / 1000).toFixed(0).padStart(4)} s  ${text}\n`);
};

try {
  const key = values.key === undefined ? join(folder, 'key') : resolve(values.key);
  if (values.key === undefined) writeFileSync(key, newSigningKey().secretKey, { mode: 0o600 });
  const out = resolve(root, values.out ?? '.build/release');

  const age = refuseOldRuntimes(Date.now());
  // It is awaited after the trials.
  age.catch(() => {});
  const clone = cloneOf(root, 'first');
  setVersion(clone);
  say(`version ${version}, changelog and generated files are committed in a clone`);
  const platforms = values.platform.flatMap((platform) => ['--platform', platform]);
  const speed = isTrial ? ['--trial'] : [];
  artefacts(clone, ['--out', out, '--key', key, ...platforms, ...speed]);
  checkSizes(out);
  if (!isTrial && !readdirSync(out).some((name) => name.endsWith('.rpm'))) throw new Error('a release needs rpmbuild');
  say('artefacts are made, signed, and not too large');

  const again = join(folder, 'again');
  const [one = `${process.platform}-${process.arch}`] = values.platform;
  // Beside the trials: those wait for disks and for programs of one thread.
  const second = started(cloneOf(clone, 'second folder'), [
    '--out',
    again,
    '--key',
    key,
    '--format',
    'tar.gz',
    '--format',
    'whl',
    '--format',
    'deb',
    '--format',
    'rpm',
    '--format',
    'npm',
    '--platform',
    one,
    ...speed,
  ]);
  try {
    tryArtefacts({ out, root, folder, say });
    await second.ended;
    say(await age);
  } finally {
    second.kill();
  }
  refuseDifferent(out, again);
  say('a second build in another folder is the same');

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
  change('CITATION.cff', /^(version: ).*/m, `$1${version}`);
  const node = (...words: string[]) =>
    execFileSync(process.execPath, words, { cwd: clone, stdio: ['ignore', 'ignore', 'inherit'] });
  if (!isTrial || readdirSync(join(clone, 'changes')).length > 1) node('scripts/changes.ts', version);
  node('scripts/gen.ts');
  // What this version leaves on disk is opened by all later ones.
  if (!isTrial) node('scripts/keep-release.ts');
  execFileSync('git', ['add', 'tests/release/kept'], { cwd: clone });
  const author = ['-c', 'user.name=torc', '-c', 'user.email=torc@localhost'];
  const words = [...(isTrial ? author : []), 'commit', '--quiet', '--all', '--message', `release: ${version}`];
  execFileSync('git', words, { cwd: clone, stdio: 'inherit' });
}

function artefacts(clone: string, words: readonly string[]): void {
  execFileSync(process.execPath, ['scripts/artefacts.ts', ...words], { cwd: clone, stdio: 'inherit' });
}

/** The same beside what happens here. `ended` rejects where it fails. */
function started(clone: string, words: readonly string[]) {
  const child = spawn(process.execPath, ['scripts/artefacts.ts', ...words], { cwd: clone, stdio: 'inherit' });
  const ended = new Promise<void>((done, fail) => {
    child.on('error', fail);
    child.on('close', (code) => (code === 0 ? done() : fail(new Error(`the second build ended with ${code}`))));
  });
  // It is awaited after the trials.
  ended.catch(() => {});
  return { ended, kill: () => child.kill('SIGKILL') };
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
