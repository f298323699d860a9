import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../../tests/support/programs.ts';
import { readUserText } from './read-user-text.ts';

it('a file is read as text, an empty one too, and also under the name that a shell gives to what is open', () => {
  const path = join(temporaryFolder(), 'file');
  writeFileSync(path, 'größe\n');
  expect(readUserText(path)).toBe('größe\n');
  writeFileSync(path, '');
  expect(readUserText(path)).toBe('');
  writeFileSync(path, 'x'.repeat(3_000_000));
  const fd = openSync(path, 'r');
  expect(readUserText(`/dev/fd/${fd}`)).toHaveLength(3_000_000);
  closeSync(fd);
});

it.each([
  ['/dev/zero', 'it is a device, not a regular file'],
  ['/dev/urandom', 'it is a device, not a regular file'],
])('%s has no end and is not read', (path, words) => expect(() => readUserText(path)).toThrow(words));

it('a named pipe is not read and not waited for, a folder is named as such, and what is not there is an error of the system', () => {
  const folder = temporaryFolder();
  const path = join(folder, 'pipe');
  execFileSync('mkfifo', [path]);
  expect(() => readUserText(path)).toThrow('it is a pipe, not a regular file');
  mkdirSync(join(folder, 'inner'));
  expect(() => readUserText(join(folder, 'inner'))).toThrow(expect.objectContaining({ code: 'EISDIR' }));
  expect(() => readUserText(join(folder, 'nothing'))).toThrow(expect.objectContaining({ code: 'ENOENT' }));
});

it.each([
  [
    'name: x\njobs: ä, caf\xe9\n',
    'line 2, column 13: the byte 0xe9 is not UTF-8; if the text is Latin-1, iconv -f LATIN1',
  ],
  ['\x80', 'line 1, column 1: the byte 0x80 is not UTF-8'],
  ['a\nb\xc3', 'line 2, column 2: the byte 0xc3 is not UTF-8'],
  ['\xff\xfen\0a\0', 'it is UTF-16, and UTF-8 is read: iconv -f UTF-16'],
])('a text that is not UTF-8 is refused with the place of its first wrong byte: %j', (text, words) => {
  const path = join(temporaryFolder(), 'file');
  writeFileSync(path, Buffer.from(text.replace('ä', '\xc3\xa4'), 'latin1'));
  expect(() => readUserText(path)).toThrow(words);
});

it('every text of UTF-8 is read as it is, also one with the character that stands for wrong bytes', () => {
  const path = join(temporaryFolder(), 'file');
  writeFileSync(path, '\ufeffname: ä €  \ufffd 😀');
  expect(readUserText(path)).toBe('\ufeffname: ä €  \ufffd 😀');
});

it('a text of more than 256 MiB is refused before it is read', () => {
  const path = join(temporaryFolder(), 'large');
  writeFileSync(path, '');
  truncateSync(path, 256 * 2 ** 20 + 1);
  expect(() => readUserText(path)).toThrow('more than 256 MiB');
});
