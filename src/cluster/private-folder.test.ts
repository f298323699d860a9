import { chmodSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, relative } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { temporaryFolder } from '../../tests/support/programs.ts';
import { privateFolder } from './private-folder.ts';

afterEach(() => void vi.unstubAllEnvs());

/** The folder that is made where TMPDIR is this, and in which one. */
function madeIn(TMPDIR: string, mostBytes?: number) {
  vi.stubEnv('TMPDIR', TMPDIR);
  const folder = privateFolder('torc-private-', mostBytes);
  const mode = statSync(folder).mode & 0o777;
  rmSync(folder, { recursive: true });
  return { in: dirname(folder), mode };
}

it('a folder for temporary files is below TMPDIR, and of its user alone', () => {
  const own = temporaryFolder();
  expect(madeIn(own)).toEqual({ in: own, mode: 0o700 });
  const shared = join(own, 'shared');
  mkdirSync(shared);
  chmodSync(shared, 0o1777);
  expect(madeIn(shared).in).toBe(shared);
});

it('a folder for temporary files is below /tmp where everybody may replace the folders in TMPDIR, or its path is too long', () => {
  const open = temporaryFolder();
  chmodSync(open, 0o777);
  expect(madeIn(open).in).toBe('/tmp');
  expect(madeIn(temporaryFolder(), 5).in).toBe('/tmp');
});

it('a relative TMPDIR stays the folder that it names when the program changes its own', () => {
  const own = temporaryFolder();
  const { in: found } = madeIn(relative(process.cwd(), own));
  expect([isAbsolute(found), found]).toEqual([true, own]);
});
