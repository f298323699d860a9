import { execFile } from 'node:child_process';
import { cpSync, symlinkSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { temporaryFolder } from './programs.ts';

const root = resolve(import.meta.dirname, '../..');
const call = promisify(execFile);

/** What a build needs, and what goes into the package. */
const NEEDED = [
  ...'package.json tsconfig.json tsconfig.base.json README.md LICENSE CHANGELOG.md'.split(' '),
  ...'bin migrations scripts src api docs examples'.split(' '),
];

export interface Packed {
  readonly tarball: string;
  /** Paths inside of the package. */
  readonly paths: readonly string[];
}

/** The package, as `npm pack` makes it. Built in a copy: the checkout's own dist may be old, or in use. */
export async function pack(): Promise<Packed> {
  const copy = temporaryFolder();
  for (const entry of NEEDED) cpSync(join(root, entry), join(copy, entry), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  const path = [join(root, 'node_modules/.bin'), process.env['PATH']].join(delimiter);
  const options = { cwd: copy, env: { ...process.env, PATH: path } };
  const { stdout } = await call('npm', ['pack', '--json', '--silent'], options);
  const [{ filename, files }] = JSON.parse(stdout) as [{ filename: string; files: { path: string }[] }];
  return { tarball: join(copy, filename), paths: files.map((file) => file.path) };
}
