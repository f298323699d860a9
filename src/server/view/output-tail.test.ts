import { linkSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { execFileSync } from 'node:child_process';
import { readOwnFile } from './own-file.ts';
import { readTail } from './output-tail.ts';

let folder: string;
let output: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'torc-tail-')));
  output = join(folder, 'output');
  mkdirSync(join(output, 'job_stdio'), { recursive: true });
  writeFileSync(join(folder, 'secret'), 'a secret');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const file = (name = 'job.o') => join(output, 'job_stdio', name);
const tail = (name = 'job.o', lines = 3, of = output) => readTail(of, 'job_stdio', name, lines);

describe('the end of a file', () => {
  it('the end of a file has the last lines, and says whether there are more', async () => {
    writeFileSync(file(), 'one\ntwo\nthree\nfour\n');
    expect(await tail()).toEqual({ lines: ['two', 'three', 'four'], sizeBytes: 19, hasMore: true });
    expect(await tail('job.o', 4)).toMatchObject({ lines: ['one', 'two', 'three', 'four'], hasMore: false });
  });

  it('the end of an empty file is empty, and a line without an end counts', async () => {
    writeFileSync(file(), '');
    expect(await tail()).toEqual({ lines: [], sizeBytes: 0, hasMore: false });
    writeFileSync(file(), 'one\ntw');
    expect(await tail()).toMatchObject({ lines: ['one', 'tw'] });
  });

  it('the end of a large file begins with a whole line, and a long line is cut', async () => {
    writeFileSync(file(), `${'x'.repeat(99)}\n`.repeat(10_000) + 'y'.repeat(10_000));
    const found = await tail('job.o', 1000);
    expect('lines' in found && [...new Set(found.lines.map((line) => line.length))]).toEqual([99, 4000]);
    expect(found).toMatchObject({ hasMore: true, sizeBytes: 1_010_000 });
  });
});

describe('a file that is not read', () => {
  it('a file that does not exist is not read, and a folder is not', async () => {
    expect(await tail()).toEqual({ reason: 'it is not on the host of the server' });
    mkdirSync(file());
    expect(await tail()).toEqual({ reason: 'it is no regular file' });
  });

  it('a symbolic link to a file elsewhere is not read', async () => {
    symlinkSync(join(folder, 'secret'), file());
    expect(await tail()).toEqual({ reason: 'it is a link' });
  });

  it('another name of a file elsewhere is not read', async () => {
    linkSync(join(folder, 'secret'), file());
    expect(await tail()).toEqual({ reason: 'the file has several names' });
  });

  it('a file in a folder that is a link is not read', async () => {
    rmSync(join(output, 'job_stdio'), { recursive: true });
    symlinkSync(folder, join(output, 'job_stdio'));
    expect(await tail('secret')).toEqual({ reason: 'the folder of the file is a link' });
  });

  it('a path out of the folder is not read', async () => {
    expect(await tail('../../secret')).toEqual({ reason: 'the name of the file has a folder' });
    expect(await tail('secret', 3, `${output}/../output`)).toEqual({ reason: 'the output folder is no absolute path' });
    expect(await tail('secret', 3, 'output')).toEqual({ reason: 'the output folder is no absolute path' });
  });

  it('a pipe is not read, and the answer waits for no writer', async () => {
    execFileSync('mkfifo', [file()]);
    expect(await tail()).toEqual({ reason: 'it is no regular file' });
  });

  it('a file is read where a folder above the output folder is a link, as home directories are', async () => {
    writeFileSync(file(), 'one\n');
    symlinkSync(folder, join(folder, 'home'));
    expect(await tail('job.o', 3, join(folder, 'home', 'output'))).toMatchObject({ lines: ['one'] });
  });

  it('a file whose file system hangs is given up after ten seconds, and no more than two such files are read', async () => {
    writeFileSync(file(), 'a line');
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const answer = Promise.withResolvers<{ reason: string }>();
    const begun = vi.fn(() => answer.promise);
    const hanging = [1, 2].map(() => readOwnFile(output, 'job_stdio', 'job.o', begun));
    await expect.poll(() => begun.mock.calls.length).toBe(2);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await Promise.all(hanging)).toEqual(Array(2).fill({ reason: 'its file system does not answer' }));
    expect(await tail()).toEqual({ reason: 'the server reads other files at the moment' });
    answer.resolve({ reason: 'late' });
    await expect.poll(() => tail()).toMatchObject({ lines: ['a line'] });
  });
});
