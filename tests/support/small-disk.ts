import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { temporaryFolder } from './programs.ts';

/** A disk of so many MiB, mounted for one test. It is in memory, and never larger than it says. */
export function smallDisk(mebibytes = 1): string {
  const folder = join(temporaryFolder(), 'disk');
  mkdirSync(folder);
  mount(folder, mebibytes);
  onTestFinished(() => void execFileSync('env', ['umount', '--lazy', folder]));
  return folder;
}

/** Is there no way to mount one here? Then tests of full disks are passed over. */
export const noSmallDisk: boolean = (() => {
  const folder = join('/tmp', `torc-test-disk-${process.pid}`);
  try {
    mkdirSync(folder);
    mount(folder, 1);
    execFileSync('env', ['umount', folder]);
    return false;
  } catch {
    return true;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
})();

function mount(folder: string, mebibytes: number): void {
  execFileSync('env', ['mount', '-t', 'tmpfs', '-o', `size=${mebibytes}m,mode=755`, 'tmpfs', folder], {
    stdio: 'ignore',
  });
}

/** What is on the disk can be read from now on, and not changed. */
export const makeReadOnly = (disk: string): void =>
  void execFileSync('env', ['mount', '-o', 'remount,ro', disk], { stdio: 'ignore' });

/** Fills the disk to the last byte; what comes back empties it again. */
export function fill(disk: string): () => void {
  const path = join(disk, 'filler');
  const { bavail, bsize } = statfsSync(disk);
  try {
    writeFileSync(path, Buffer.alloc(bavail * bsize));
  } catch (error) {
    // Another process wrote meanwhile, so less fits: the disk is full all the same.
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
  return () => rmSync(path);
}
