import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { temporaryFolder, until } from './programs.ts';

const root = resolve(import.meta.dirname, '../..');
const call = promisify(execFile);

/** Packages of earlier runs and of this one, each in a folder named after the contents that it was made of. */
const store = join(root, '.build/package');

/** What a build needs, and what goes into the package. */
const NEEDED = [
  ...'package.json tsconfig.json tsconfig.base.json README.md LICENSE CHANGELOG.md'.split(' '),
  ...'bin migrations scripts src api docs examples python'.split(' '),
];

/** A build takes seconds; two cores may be busy with other tests. */
const PATIENCE_MS = 300_000;

export interface Packed {
  readonly tarball: string;
  /** Paths inside of the package. */
  readonly paths: readonly string[];
}

/**
 * The package, as `npm pack` makes it: made once for all test files that need it, which run in processes of their own.
 *
 * A lock of a database decides which of them makes it, because the kernel releases it when a process is killed. The folder has its
 * name only when it is complete.
 */
export async function pack(): Promise<Packed> {
  const folder = join(store, contentsKey());
  mkdirSync(store, { recursive: true });
  const release = await locked(join(store, 'lock.db'));
  try {
    if (!existsSync(folder)) {
      const made = mkdtempSync(join(store, 'made-'));
      await make(made);
      renameSync(made, folder);
      removeOld();
    }
  } finally {
    release();
  }
  const { filename, files } = JSON.parse(readFileSync(join(folder, 'packed.json'), 'utf8')) as Reported;
  return { tarball: join(folder, filename), paths: files.map((file) => file.path) };
}

interface Reported {
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}

/** Waits for the lock; what it returns releases it. */
async function locked(path: string): Promise<() => void> {
  const database = new DatabaseSync(path, { timeout: 0 });
  const isLocked = () => {
    try {
      database.exec('begin exclusive');
      return true;
    } catch (error) {
      if ((error as { errcode?: number }).errcode !== SQLITE_BUSY) throw error;
      return false;
    }
  };
  await until(isLocked, (isOurs) => isOurs, 'the package that another test file makes', PATIENCE_MS);
  return () => database.close();
}

const SQLITE_BUSY = 5;

/** Built in a copy: the checkout's own dist may be old, or in use. */
async function make(folder: string): Promise<void> {
  const copy = temporaryFolder();
  for (const entry of NEEDED) cpSync(join(root, entry), join(copy, entry), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  const path = [join(root, 'node_modules/.bin'), process.env['PATH']].join(delimiter);
  const options = { cwd: copy, env: { ...process.env, PATH: path } };
  const { stdout } = await call('npm', ['pack', '--json', '--silent', `--pack-destination=${folder}`], options);
  const [reported] = JSON.parse(stdout) as [Reported];
  writeFileSync(join(folder, 'packed.json'), JSON.stringify(reported));
}

/** A digest of everything of which the package is made; libraries are bundled, so the versions of packages count. */
function contentsKey(): string {
  const digest = createHash('sha256');
  const add = (path: string): void => {
    if (statSync(join(root, path)).isDirectory())
      return readdirSync(join(root, path))
        .sort()
        .forEach((name) => add(join(path, name)));
    const contents = readFileSync(join(root, path));
    digest.update(`${path}\0${contents.length}\0`).update(contents);
  };
  [...NEEDED, 'package-lock.json'].forEach(add);
  return digest.digest('hex').slice(0, 16);
}

const DAY_MS = 86_400_000;

/** Keeps the packages of this checkout from piling up; one of the last day may be in use. */
function removeOld(): void {
  for (const name of readdirSync(store)) {
    const path = join(store, name);
    if (name !== 'lock.db' && statSync(path).mtimeMs < Date.now() - DAY_MS) rmSync(path, { recursive: true });
  }
}
