import { execFile, execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../tests/support/programs.ts';
import { writeTextFile, writeWhole } from './whole-file.ts';

const isRoot = process.getuid?.() === 0;
const modeOf = (path: string) => statSync(path).mode & 0o7777;

describe('a file that a command writes', () => {
  it('a file that a command writes has the permissions of the umask, and is complete or not there', async () => {
    const folder = temporaryFolder();
    const path = join(folder, 'new');
    await expect(
      writeWhole(path, async (write) => {
        await write('half');
        throw new Error('stopped');
      }),
    ).rejects.toThrow('stopped');
    expect(readdirSync(folder)).toEqual([]);
    await writeTextFile(path, 'text\n');
    expect([readFileSync(path, 'utf8'), modeOf(path)]).toEqual(['text\n', 0o666 & ~process.umask()]);
  });

  it('a file that a command writes keeps the permissions and the owner of the one before, which stays until it is complete', async () => {
    const path = join(temporaryFolder(), 'old');
    writeFileSync(path, 'old');
    if (isRoot) chownSync(path, 4711, 4712);
    chmodSync(path, 0o640);
    await writeWhole(path, async (write) => {
      await write('new');
      expect(readFileSync(path, 'utf8')).toBe('old');
    });
    const { uid, gid } = statSync(path);
    expect([readFileSync(path, 'utf8'), modeOf(path)]).toEqual(['new\n', 0o640]);
    if (isRoot) expect([uid, gid]).toEqual([4711, 4712]);
  });

  it.each(['there', 'missing'])(
    'a file that a command writes is behind a link of its user, which stays: %s',
    async (name) => {
      const folder = temporaryFolder();
      mkdirSync(join(folder, 'inner'));
      const target = join(folder, 'inner', name);
      if (name === 'there') writeFileSync(target, 'old');
      symlinkSync(`inner/${name}`, join(folder, 'link'));
      await writeTextFile(join(folder, 'link'), 'new');
      expect(readFileSync(target, 'utf8')).toBe('new\n');
      expect(lstatSync(join(folder, 'link')).isSymbolicLink()).toBe(true);
      expect(readdirSync(join(folder, 'inner'))).toEqual([name]);
    },
  );

  it.skipIf(!isRoot)('a file that a command writes is not behind the link of another user', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'target'), 'old');
    symlinkSync('target', join(folder, 'link'));
    lchownSync(join(folder, 'link'), 4711, 4711);
    await expect(writeTextFile(join(folder, 'link'), 'new')).rejects.toThrow('it is a link of user 4711');
    expect(readFileSync(join(folder, 'target'), 'utf8')).toBe('old');
  });

  it('a file that a command writes may be a device or a pipe, which stays what it is', async () => {
    const folder = temporaryFolder();
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const read = new Promise<string>((done) => void execFile('cat', [pipe], (_, stdout) => done(stdout)));
    await writeTextFile(pipe, 'through');
    expect(await read).toBe('through\n');
    expect(lstatSync(pipe).isFIFO()).toBe(true);
    if (!isRoot) return;
    execFileSync('mknod', [join(folder, 'null'), 'c', '1', '3']);
    await writeTextFile(join(folder, 'null'), 'gone');
    expect(lstatSync(join(folder, 'null')).isCharacterDevice()).toBe(true);
    expect(readdirSync(folder).toSorted()).toEqual(['null', 'pipe']);
  });

  it('a file that a command writes on a full disk is an error that names it', async () => {
    await expect(writeTextFile('/dev/full', 'text')).rejects.toThrow(
      expect.objectContaining({
        code: 'FILE_UNWRITABLE',
        message: expect.stringMatching(/^cannot write \/dev\/full: ENOSPC/),
      }),
    );
  });

  it.each([
    ['a folder', '.', 'EISDIR'],
    ['a file in a folder that is missing', 'no/file', 'ENOENT'],
  ])('a file that a command writes is never %s', async (_, name, code) => {
    const folder = temporaryFolder();
    await expect(writeTextFile(join(folder, name), 'text')).rejects.toThrow(code);
    expect(readdirSync(folder)).toEqual([]);
  });
});
