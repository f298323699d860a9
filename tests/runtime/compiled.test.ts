import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { VERSION } from '../../src/core/contract/version.ts';
import { temporaryFolder } from '../support/programs.ts';
import { fill, noSmallDisk, smallDisk } from '../support/small-disk.ts';

/** Compiled code that a start keeps for the next one (docs/adr/0024). */

const torc = resolve(import.meta.dirname, '../../bin/torc');
const own = `torc-compiled-${process.getuid?.()}`;

/** `torc --version` with its temporary files in this folder; `taken` says how many files it had compiled already. */
async function start(folder: string) {
  const { NODE_COMPILE_CACHE: _, ...others } = process.env;
  const env = { ...others, TMPDIR: folder, NODE_DEBUG_NATIVE: 'COMPILE_CACHE' };
  return new Promise<{ stdout: string; taken: number }>((done, fail) => {
    execFile(torc, ['--version'], { env }, (error, stdout, stderr) => {
      if (error !== null) return fail(error);
      // Where Node prints its notes is its own affair.
      const notes = `${stdout}\n${stderr}`;
      done({
        stdout: stdout.replaceAll(/^\[compile cache\].*\n/gm, ''),
        taken: notes.split('was accepted').length - 1,
      });
    });
  });
}

const files = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));

it('the first start keeps what it compiled where only this user may look, and the second takes it from there', async () => {
  const folder = temporaryFolder();
  expect(await start(folder)).toEqual({ stdout: expect.stringContaining(`torc ${VERSION} `) as string, taken: 0 });
  expect(statSync(join(folder, own)).mode & 0o777).toBe(0o700);
  const second = await start(folder);
  expect(second.stdout).toContain(`torc ${VERSION} `);
  expect(second.taken).toBeGreaterThan(0);
});

it('a folder that others may write is left alone, and so is a link', async () => {
  const open = temporaryFolder();
  mkdirSync(join(open, own));
  const linked = temporaryFolder();
  const target = join(linked, 'target');
  mkdirSync(target, { mode: 0o700 });
  symlinkSync(target, join(linked, own));
  for (const folder of [open, linked])
    expect(await start(folder)).toEqual({ stdout: expect.stringContaining(`torc ${VERSION} `) as string, taken: 0 });
  expect([...files(open), ...files(linked)]).toEqual([]);
});

it('damaged files change nothing that a person sees', async () => {
  const folder = temporaryFolder();
  await start(folder);
  for (const path of files(folder)) writeFileSync(path, 'x'.repeat(statSync(path).size));
  expect(await start(folder)).toEqual({ stdout: expect.stringContaining(`torc ${VERSION} `) as string, taken: 0 });
});

it.skipIf(noSmallDisk)('a full disk changes nothing that a person sees', async () => {
  const disk = smallDisk();
  mkdirSync(join(disk, own), { mode: 0o700 });
  fill(disk);
  expect(await start(disk)).toEqual({ stdout: expect.stringContaining(`torc ${VERSION} `) as string, taken: 0 });
});
