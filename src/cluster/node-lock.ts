import { linkSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { textOf } from './host/group-files.ts';
import { makeFolder } from './make-folder.ts';
import { startOf } from './host/start-of.ts';

/** A lock that this process holds. */
export interface Lock {
  release(): void;
}

/**
 * Takes the lock of a node in a folder; undefined if another process holds it.
 *
 * The file names its holder by process id, boot and start, so the lock of a process that was killed, or that ran before
 * a reboot, is taken over. The folder may be shared by nodes: each has a file of its own.
 */
export function takeNodeLock(folder: string, node: string): Lock | undefined {
  makeFolder(folder);
  const path = join(folder, `sonar-lock.${node.replaceAll('/', '_')}`);
  const own = `${process.pid} ${startOf(process.pid) ?? ''}\n`;
  const temporary = `${path}.${process.pid}`;
  writeFileSync(temporary, own);
  try {
    // A second try, after the removal of a stale lock; if another process was faster, that one holds it.
    for (let attempt = 0; attempt < 2; attempt += 1) {
      try {
        // Either the whole file appears under this name, or it was there.
        linkSync(temporary, path);
        return { release: () => releaseOwn(path, own) };
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
        if (isHeld(path)) return undefined;
        rmSync(path, { force: true });
      }
    }
    return undefined;
  } finally {
    rmSync(temporary, { force: true });
  }
}

function isHeld(path: string): boolean {
  const text = textOf(path);
  if (text === undefined) return false;
  const [pid = '', ...start] = text.trim().split(' ');
  // A lock of Sonar has the process id alone.
  const present = startOf(Number(pid));
  return present !== undefined && (start.length === 0 || start.join(' ') === present);
}

function releaseOwn(path: string, own: string): void {
  if (textOf(path) === own) rmSync(path, { force: true });
}
