import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { temporaryFolder } from '../../tests/support/programs.ts';
import { lookAtMade, type MadeStamp, removeMade, setWritable, stampOf } from './made-file.ts';

let folder: string;
beforeEach(() => void (folder = temporaryFolder()));

/** A file or a folder as a job left it. */
async function made(name: string, write: (path: string) => void): Promise<[string, MadeStamp]> {
  const path = join(folder, name);
  write(path);
  return [path, (await stampOf(path)) as MadeStamp];
}
const tree = (path: string) => {
  mkdirSync(join(path, 'deep'), { recursive: true });
  writeFileSync(join(path, 'deep/a'), 'four');
  writeFileSync(join(path, 'b'), 'five5');
};

it('a file that is as its job left it is deleted, and its size is known', async () => {
  const [path, stamp] = await made('a', (at) => writeFileSync(at, 'four'));
  expect(await lookAtMade(path, stamp)).toBe('same');
  expect(await removeMade(path, stamp)).toEqual({ removal: 'deleted', removed_bytes: 4 });
  expect(existsSync(path)).toBe(false);
  expect(await removeMade(path, stamp)).toEqual({ removal: 'absent' });
  expect(await lookAtMade(path, stamp)).toBe('absent');
});

it('a file that was changed since is kept, with another size or with another time', async () => {
  const [path, stamp] = await made('a', (at) => writeFileSync(at, 'four'));
  utimesSync(path, stamp.st_mtime + 5, stamp.st_mtime + 5);
  expect(await removeMade(path, stamp)).toEqual({ removal: 'changed' });
  writeFileSync(path, 'longer');
  utimesSync(path, stamp.st_mtime, stamp.st_mtime);
  expect(await removeMade(path, stamp)).toEqual({ removal: 'changed' });
  expect(readFileSync(path, 'utf8')).toBe('longer');
});

it('of a link the link itself is deleted, and what it points to stays, also within a folder', async () => {
  const outside = join(folder, 'outside');
  tree(outside);
  const [link, stamp] = await made('link', (at) => symlinkSync(outside, at));
  expect(await removeMade(link, stamp)).toEqual({ removal: 'deleted', removed_bytes: 0 });
  const [inner, all] = await made('inner', (at) => {
    mkdirSync(at);
    symlinkSync(outside, join(at, 'link'));
  });
  expect(await removeMade(inner, all)).toEqual({ removal: 'deleted', removed_bytes: 0 });
  expect(readdirSync(outside, { recursive: true })).toHaveLength(3);
});

it('a folder is deleted with all that is in it, unless something in it was added or changed', async () => {
  const [path, stamp] = await made('tree', tree);
  expect(stamp.st_size).toBe(9);
  writeFileSync(join(path, 'deep/mine'), 'x');
  expect(await removeMade(path, stamp)).toEqual({ removal: 'changed' });
  const [other, whole] = await made('other', tree);
  expect(await removeMade(other, whole)).toEqual({ removal: 'deleted', removed_bytes: 9 });
  expect(existsSync(other)).toBe(false);
});

it('a folder of very many entries has no stamp, so that it is never deleted', async () => {
  const [path] = await made('many', (at) => mkdirSync(at));
  writeFileSync(join(path, '0'), '');
  // Links of one file are made fastest.
  for (let index = 1; index <= 20_000; index += 1) linkSync(join(path, '0'), join(path, `f${index}`));
  expect(await stampOf(path)).toBeUndefined();
});

it('what is made read-only and writable again is a file or all of a folder, never what a link points to', () => {
  const path = join(folder, 'tree');
  const outside = join(folder, 'outside');
  tree(path);
  writeFileSync(outside, '');
  symlinkSync(outside, join(path, 'link'));
  const modes = () => ['', 'deep', 'deep/a', 'b'].map((name) => (statSync(join(path, name)).mode & 0o222) === 0);
  setWritable(path, false);
  expect(modes()).toEqual([true, true, true, true]);
  expect(lstatSync(outside).mode & 0o200).toBe(0o200);
  setWritable(path, true);
  expect(modes()).toEqual([false, false, false, false]);
  setWritable(join(folder, 'nothing'), false);
});
