import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Client } from '../client/client.ts';
import { openText } from './read-text.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'torc-text-'));
  path = join(folder, 'file');
});
afterEach(() => rmSync(folder, { recursive: true }));

const opened = () => openText({} as Client, { from: 'file', path }, folder);

it('a file is read again when it has grown, and only then', async () => {
  writeFileSync(path, 'one\ntwo\n');
  const text = await opened();
  expect(text.lines).toEqual(['one', 'two']);
  expect(await text.next()).toBeUndefined();
  appendFileSync(path, 'three');
  expect(await text.next()).toEqual(['one', 'two', 'three']);
});

it('of a bar of progress, which is written over itself, the last state is shown', async () => {
  writeFileSync(path, 'start\r\n 10 %\r 50 %\r100 %\ndone\n');
  expect((await opened()).lines).toEqual(['start', '100 %', 'done']);
});

it('of a file above 1 MiB the end is shown, and how much is left out', async () => {
  writeFileSync(path, `${'first line\n'.repeat(200_000)}last line\n`);
  const { lines } = await opened();
  expect([lines[0], lines.at(-1)]).toEqual(['… the first 1.1 MiB are left out', 'last line']);
  expect(lines[1]).toBe('first line');
});

it('a binary file is shown as bytes, and an empty one as empty', async () => {
  writeFileSync(path, Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 1]));
  expect((await opened()).lines).toEqual([
    'binary, 6 B',
    '00000000  7f 45 4c 46 00 01                                .ELF..',
  ]);
  writeFileSync(path, '');
  expect((await opened()).lines).toEqual(['(empty)']);
});

it('a file that is not here, a folder and a pipe are refused with a sentence, and nothing waits for a writer', async () => {
  await expect(opened()).rejects.toThrow(/file is not on this host, /);
  path = folder;
  await expect(opened()).rejects.toThrow(`${folder} is not a file`);
  path = join(folder, 'pipe');
  execFileSync('mkfifo', [path]);
  await expect(opened()).rejects.toThrow(`${path} is not a file`);
});
