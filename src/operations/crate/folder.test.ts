import { createHash } from 'node:crypto';
import { mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../../tests/support/programs.ts';
import { folderFacts } from './folder.ts';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** `b.txt` and `a/one.txt`, `a/é.txt`, each with its own time. */
function folder(): string {
  const path = temporaryFolder();
  mkdirSync(join(path, 'a'));
  for (const [name, text, seconds] of [
    ['b.txt', 'bb', 1_700_000_000.25],
    ['a/one.txt', '1', 1_600_000_000],
    ['a/é.txt', '', 1_500_000_000],
  ] as const) {
    writeFileSync(join(path, name), text);
    utimesSync(join(path, name), seconds, seconds);
  }
  return path;
}

it('a folder is described by the number, the size and the newest time of all its files', async () => {
  expect(await folderFacts(folder(), 'none', 1)).toEqual({
    fileCount: 3,
    sizeBytes: 3,
    modifiedMs: 1_700_000_000_250,
    sha256: undefined,
  });
});

it('the hash of its manifest covers names, sizes and times; another time gives another hash', async () => {
  const path = folder();
  const lines = ['a/one.txt|1|1600000000.000000', 'a/é.txt|0|1500000000.000000', 'b.txt|2|1700000000.250000'];
  const before = await folderFacts(path, 'manifest', 1);
  expect(before.sha256).toBe(sha256(lines.join('\n')));
  utimesSync(join(path, 'b.txt'), 1, 1);
  expect((await folderFacts(path, 'manifest', 1)).sha256).not.toBe(before.sha256);
});

it('the hash of its content covers the contents of its files, regardless of their times and of the number read at once', async () => {
  const path = folder();
  const lines = [`a/one.txt:${sha256('1')}\n`, `a/é.txt:${sha256('')}\n`, `b.txt:${sha256('bb')}\n`];
  for (const together of [1, 2, 64])
    expect((await folderFacts(path, 'content', together)).sha256).toBe(sha256(lines.join('')));
  utimesSync(join(path, 'b.txt'), 1, 1);
  expect((await folderFacts(path, 'content', 3)).sha256).toBe(sha256(lines.join('')));
  writeFileSync(join(path, 'b.txt'), 'bc');
  expect((await folderFacts(path, 'content', 3)).sha256).not.toBe(sha256(lines.join('')));
});

it('an empty folder has no files', async () => {
  const path = temporaryFolder();
  expect(await folderFacts(path, 'content', 4)).toEqual({
    fileCount: 0,
    sizeBytes: 0,
    modifiedMs: undefined,
    sha256: sha256(''),
  });
});

it('a link to a file counts as the file, and a link to a folder or to nothing is skipped', async () => {
  const path = temporaryFolder();
  writeFileSync(join(path, 'a'), 'aaaa');
  symlinkSync('a', join(path, 'link'));
  symlinkSync('.', join(path, 'loop'));
  symlinkSync('nothing', join(path, 'broken'));
  symlinkSync('circle', join(path, 'circle'));
  expect(await folderFacts(path, 'none', 1)).toMatchObject({ fileCount: 2, sizeBytes: 8 });
});
