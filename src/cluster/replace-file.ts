import { renameSync, rmSync, writeFileSync } from 'node:fs';

/**
 * Writes a file whole, in the place of what has its name: a link there is not followed, and a named pipe not waited for.
 *
 * Throws the error of the system; then what was there stays.
 */
export function replaceFile(path: string, text: string, mode = 0o666): void {
  const fresh = `${path}.${process.pid}.new`;
  rmSync(fresh, { force: true });
  try {
    writeFileSync(fresh, text, { mode, flag: 'wx' });
    renameSync(fresh, path);
  } catch (error) {
    rmSync(fresh, { force: true });
    throw error;
  }
}
