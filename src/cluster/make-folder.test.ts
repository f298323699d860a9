import { existsSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../tests/support/programs.ts';
import { makeFolder } from './make-folder.ts';

const codeOf = (path: string) => {
  try {
    makeFolder(path);
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code;
  }
};

it('a folder is made with all that are missing above it, with their mode, and one that exists is left as it is', () => {
  const folder = temporaryFolder();
  makeFolder(join(folder, 'a/b/c'), 0o700);
  expect([join(folder, 'a'), join(folder, 'a/b/c')].map((path) => statSync(path).mode & 0o777)).toEqual([0o700, 0o700]);
  makeFolder(join(folder, 'a/b/c'));
  expect(statSync(join(folder, 'a/b/c')).mode & 0o777).toBe(0o700);
  symlinkSync(join(folder, 'a'), join(folder, 'link'));
  makeFolder(join(folder, 'link'));
  makeFolder(join(folder, 'link/new'));
  expect(existsSync(join(folder, 'a/new'))).toBe(true);
  makeFolder('/');
  makeFolder('.');
});

it('a file in the path is an error, and nothing is made', () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'file'), '');
  expect(codeOf(join(folder, 'file'))).toBe('EEXIST');
  expect(codeOf(join(folder, 'file/a/b'))).toBe('ENOTDIR');
  symlinkSync(join(folder, 'nowhere'), join(folder, 'dangling'));
  expect(codeOf(join(folder, 'dangling'))).toBe('EEXIST');
});

it('a file system that has no new folders is an error at once', () => {
  expect(codeOf('/proc/none/a/b')).toBe('ENOENT');
  expect(codeOf('/proc/none')).toBe('ENOENT');
});
