import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a folder, and those above it that are missing. A folder that exists is left as it is.
 *
 * The runtime's own recursive call never returns where a file system refuses a new folder with ENOENT, as /proc and some
 * automounters do.
 *
 * Throws: the error of the system for the folder that could not be made.
 */
export function makeFolder(path: string, mode = 0o777): void {
  try {
    makeOne(path, mode);
  } catch (error) {
    const above = dirname(path);
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || above === path || existsSync(above)) throw error;
    makeFolder(above, mode);
    makeOne(path, mode);
  }
}

function makeOne(path: string, mode: number): void {
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    const isThere = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || !isThere) throw error;
  }
}
