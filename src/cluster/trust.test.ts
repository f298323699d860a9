import { chmodSync, chownSync, lchownSync, mkdirSync, openSync, symlinkSync, writeFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../tests/support/programs.ts';
import { isOpenToAll, OPEN_FLAGS, whyNotTrusted } from './trust.ts';

const strict = { groupMayWrite: false };
const isRoot = process.getuid?.() === 0;
/** A user id without rights: that of the user `nobody` on most systems. */
const STRANGER = 65_534;

const file = (mode = 0o600) => {
  const path = join(temporaryFolder(), 'file');
  writeFileSync(path, '');
  chmodSync(path, mode);
  return path;
};
const folder = (mode: number) => {
  const path = join(temporaryFolder(), 'folder');
  mkdirSync(path);
  chmodSync(path, mode);
  return path;
};

it('a file of ours is trusted, and so are a link of ours to it and a path at which nothing is', () => {
  const path = file();
  symlinkSync(path, `${path}-link`);
  for (const each of [path, `${path}-link`, `${path}-nothing`]) expect(whyNotTrusted(each, strict)).toBeUndefined();
});

it('a file that everybody may write is not trusted, and one that its group may write only where the umask lets it', () => {
  expect(whyNotTrusted(file(0o606), strict)).toContain('everybody may write');
  expect(whyNotTrusted(file(0o660), strict)).toContain('its group may write');
  expect(whyNotTrusted(file(0o660), { groupMayWrite: true })).toBeUndefined();
  expect(whyNotTrusted(file(0o644), strict)).toBeUndefined();
});

it('a folder is trusted unless everybody may replace its files', () => {
  expect(whyNotTrusted(folder(0o775), strict)).toBeUndefined();
  expect(whyNotTrusted(folder(0o777), strict)).toContain('everybody may write the folder');
  const shared = folder(0o1777);
  chmodSync(shared, 0o1777);
  expect([whyNotTrusted(shared, strict), isOpenToAll(shared), isOpenToAll(folder(0o777))]).toEqual([
    undefined,
    false,
    true,
  ]);
});

it('a fifo in the place of a file is not trusted', () => {
  const path = join(temporaryFolder(), 'fifo');
  execFileSync('mkfifo', [path]);
  expect(whyNotTrusted(path, strict)).toContain('is no regular file');
});

it('what another user owns is not trusted, be it a file or a link, unless that user is root', () => {
  expect(whyNotTrusted(file(), { ...strict, uid: (process.getuid?.() ?? 0) + 1 })).toEqual(
    isRoot ? undefined : expect.stringContaining(`belongs to user ${process.getuid?.()}`),
  );
  if (!isRoot) return;
  const path = file();
  symlinkSync(path, `${path}-link`);
  lchownSync(`${path}-link`, STRANGER, STRANGER);
  expect(whyNotTrusted(`${path}-link`, strict)).toBe(`the link ${path}-link belongs to user ${STRANGER}`);
  chownSync(path, STRANGER, STRANGER);
  expect(whyNotTrusted(path, strict)).toBe(`${path} belongs to user ${STRANGER}`);
});

it.each(['read', 'append', 'replace'] as const)('a link is not followed when a file of ours is opened to %s', (how) => {
  const path = file();
  symlinkSync(path, `${path}-link`);
  expect(() => openSync(`${path}-link`, OPEN_FLAGS[how])).toThrow(/ELOOP/);
});
