import { execFileSync } from 'node:child_process';
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
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { TestProject } from 'vitest/node';

const root = resolve(import.meta.dirname, '../..');

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
  /** The unpacked package; libraries that it does not bundle are those of the checkout. */
  readonly folder: string;
}

/** The folder of the programs as an installed package has them: what users run, and half of the start from the sources. */
export const programFolder = (): string => join(pack().folder, 'bin');

let packed: Packed | undefined;

/**
 * The package, as `npm pack` makes it: made once for all test files that need it, which run in processes of their own.
 *
 * A lock of a database decides which of them makes it, because the kernel releases it when a process is killed. The folder has its
 * name only when it is complete.
 */
export function pack(): Packed {
  return (packed ??= found(join(store, process.env[KEY] ?? contentsKey())));
}

/** Where all files of a run find its key; computing it in each took 50 ms. */
const KEY = 'TORC_TEST_PACKAGE';

/** Vitest calls this before the first file of each project, and what it passes on when it watches and a file changed. */
export default function setUp(project: Pick<TestProject, 'onTestsRerun'>): void {
  process.env[KEY] ??= contentsKey();
  project.onTestsRerun(() => void (process.env[KEY] = contentsKey()));
}

function found(folder: string): Packed {
  mkdirSync(store, { recursive: true });
  const lock = new DatabaseSync(join(store, 'lock.db'), { timeout: PATIENCE_MS });
  try {
    lock.exec('begin exclusive');
    if (!existsSync(folder)) {
      const made = mkdtempSync(join(store, 'made-'));
      make(made);
      renameSync(made, folder);
      removeOld();
    }
  } finally {
    lock.close();
  }
  const { filename, files } = JSON.parse(readFileSync(join(folder, 'packed.json'), 'utf8')) as Reported;
  return {
    tarball: join(folder, filename),
    paths: files.map((file) => file.path),
    folder: join(folder, 'package'),
  };
}

interface Reported {
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}

/** Built in a copy: the checkout's own dist may be old, or in use. */
function make(folder: string): void {
  const copy = mkdtempSync(join(tmpdir(), 'torc-package-'));
  try {
    for (const entry of NEEDED) cpSync(join(root, entry), join(copy, entry), { recursive: true });
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
    const path = [join(root, 'node_modules/.bin'), process.env['PATH']].join(delimiter);
    const options = { cwd: copy, env: { ...process.env, PATH: path }, encoding: 'utf8' } as const;
    const words = ['pack', '--json', '--silent', `--pack-destination=${folder}`];
    const [reported] = JSON.parse(execFileSync('npm', words, options)) as [Reported];
    execFileSync('tar', ['-xzf', join(folder, reported.filename), '-C', folder]);
    // A package takes Node and libraries from its own node_modules, and not from those of folders above.
    symlinkSync(join(root, 'node_modules'), join(folder, 'package/node_modules'));
    writeFileSync(join(folder, 'packed.json'), JSON.stringify(reported));
  } finally {
    rmSync(copy, { recursive: true });
  }
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
