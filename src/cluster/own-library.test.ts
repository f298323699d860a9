import { chownSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../tests/support/programs.ts';
import { requireOwn } from './own-library.ts';

const STRANGER = 65_534;

/** A package in a folder, with the folder of its programs. */
function packageIn(folder: string) {
  mkdirSync(join(folder, 'bin'), { recursive: true });
  writeFileSync(join(folder, 'bin/runtime.sh'), '');
  const programs = join(folder, 'dist/cli');
  mkdirSync(programs, { recursive: true });
  return { programs, look: () => requireOwn('@some/library', programs) };
}

const library = (modules: string) => {
  const path = join(modules, '@some/library');
  mkdirSync(path, { recursive: true });
  return path;
};

it('a library is loaded from the node_modules of the package, or from the one in which it stands', () => {
  const folder = temporaryFolder();
  const checkout = packageIn(join(folder, 'torc'));
  checkout.look();
  library(join(folder, 'torc/node_modules'));
  expect(checkout.look).not.toThrow();
  const installed = packageIn(join(folder, 'b/node_modules/torc'));
  library(join(folder, 'b/node_modules'));
  expect(installed.look).not.toThrow();
});

it('a library in a folder above, as /tmp, is not loaded, although Node would', () => {
  const folder = temporaryFolder();
  const theirs = library(join(folder, 'node_modules'));
  const { look, programs } = packageIn(join(folder, 'mine/torc'));
  expect(look).toThrow(`${theirs} is not used: it is not installed beside torc`);
  // The package has its own: Node takes that one.
  library(join(dirname(dirname(programs)), 'node_modules'));
  expect(look).not.toThrow();
});

it.skipIf(process.getuid?.() !== 0)(
  'a library of another user than the owner of the package, or root, is not loaded',
  () => {
    const folder = temporaryFolder();
    const { look } = packageIn(join(folder, 'torc'));
    const path = library(join(folder, 'torc/node_modules'));
    chownSync(path, STRANGER, STRANGER);
    expect(look).toThrow(`belongs to user ${STRANGER}`);
    chownSync(join(folder, 'torc'), STRANGER, STRANGER);
    expect(look).not.toThrow();
  },
);
