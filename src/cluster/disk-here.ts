import { lstatSync, statSync } from 'node:fs';
import type { Disk } from '../core/workflow-file/link/path-key.ts';

/** A look at a folder on a parallel file system takes up to a millisecond; after so many, each may be a link. */
const MOST_LOOKS = 10_000;

/**
 * The paths of this machine, as they are now: a folder that is not there yet is no link.
 *
 * The shell may know the current folder by a path with links (`PWD`), with which people write absolute paths.
 */
export function diskHere(): Disk {
  const folder = process.cwd();
  const shell = process.env['PWD'];
  const isAlso = shell !== undefined && shell !== folder && shell.startsWith('/') && isSameFolder(shell, folder);
  const links = new Map<string, boolean>();
  return {
    folders: isAlso ? [folder, shell] : [folder],
    isLink(path) {
      const known = links.get(path);
      if (known !== undefined) return known;
      if (links.size >= MOST_LOOKS) return true;
      const found = mayBeLink(path);
      links.set(path, found);
      return found;
    },
  };
}

function mayBeLink(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
  } catch {
    // It may not be seen, as below a folder of another user.
    return true;
  }
}

function isSameFolder(one: string, other: string): boolean {
  try {
    const [first, second] = [statSync(one, { bigint: true }), statSync(other, { bigint: true })];
    return first.ino === second.ino && first.dev === second.dev;
  } catch {
    // The variable may name a folder that is gone, or that may not be seen.
    return false;
  }
}
