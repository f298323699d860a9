import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder, torc } from '../../../../tests/support/programs.ts';

/** A folder whose path has so many bytes, in letters of three bytes. */
function folderOf(bytes: number): string {
  let folder = temporaryFolder();
  while (Buffer.byteLength(folder) + 152 < bytes) folder = join(folder, '語'.repeat(50));
  folder = join(folder, 'x'.repeat(bytes - Buffer.byteLength(folder) - 1));
  mkdirSync(folder, { recursive: true });
  return folder;
}

it('a working folder of 480 bytes gets a sentence with the limit and with --db, and the command works with it', async () => {
  const cwd = folderOf(480);
  const found = await torc(['-s', 'workflows', 'new', '-n', 'one'], { cwd });
  expect(found.code).toBe(1);
  expect(found.stderr).toContain('the path of the database has 500 bytes, and SQLite takes at most 498: /');
  expect(found.stderr).toContain('torc -s --db FILE');
  const db = join(temporaryFolder(), 'short.db');
  expect((await torc(['-s', '--db', db, 'workflows', 'new', '-n', 'one'], { cwd })).code).toBe(0);
});

it('a database whose path has 498 bytes is opened, and one with 499 is refused', async () => {
  const cwd = folderOf(498 - '/torc.db'.length);
  expect((await torc(['-s', '--db', 'torc.db', 'workflows', 'new', '-n', 'one'], { cwd })).code).toBe(0);
  const longer = await torc(['-s', '--db', 'torc1.db', 'workflows', 'new', '-n', 'one'], { cwd });
  expect(longer.stderr).toContain('the path of the database has 499 bytes');
});
