import { existsSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../../tests/support/programs.ts';
import { createOutputFolders, OutputFolderError } from './output-folders.ts';

const create = (...paths: string[]) =>
  createOutputFolders({ output_files: paths.map((path, index) => ({ id: index + 1, path })) });

it('all missing folders above a declared output file are created, but not the file', () => {
  const folder = temporaryFolder();
  create(join(folder, 'a/b/c/model'), join(folder, 'a/b/other'), join(folder, 'd/model'));
  expect(new Set(readdirSync(folder, { recursive: true, encoding: 'utf8' }))).toEqual(
    new Set(['a', 'a/b', 'a/b/c', 'd']),
  );
});

it('an output that is a folder itself is left to the job', () => {
  const folder = temporaryFolder();
  create(join(folder, 'out/parts/'));
  expect(readdirSync(folder, { recursive: true })).toEqual(['out']);
});

it('folders that exist stay as they are', () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'kept'), { mode: 0o700 });
  symlinkSync(join(folder, 'kept'), join(folder, 'link'));
  create(join(folder, 'kept/model'), join(folder, 'link/model'));
  expect(statSync(join(folder, 'kept')).mode & 0o777).toBe(0o700);
  expect(new Set(readdirSync(folder))).toEqual(new Set(['kept', 'link']));
});

it('jobs without declared files, and files in the working directory, need no folder', () => {
  expect(() => createOutputFolders({})).not.toThrow();
  expect(() => createOutputFolders({ output_files: null })).not.toThrow();
  expect(() => create('model', './model', '/model')).not.toThrow();
});

it.each([
  ['a file stands in the place of the folder', 'file/model', 'there is a file of this name, not a folder'],
  ['a file stands in the path', 'file/deep/model', 'a part of its path is a file, not a folder'],
  ['a name is too long', `${'x'.repeat(300)}/model`, 'a part of its path is too long'],
  ['the path has a NUL', 'a\0b/model', 'null bytes'],
])('the error says the folder, the file and the reason when %s', (_, path, reason) => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'file'), 'precious');
  const created = () => create(join(folder, path));
  expect(created).toThrow(OutputFolderError);
  expect(created).toThrow(`of the output file ${join(folder, path)} cannot be created: `);
  expect(created).toThrow(reason);
  expect(existsSync(join(folder, 'file'))).toBe(true);
});
