import { existsSync, globSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { syncToDisk } from '../../../cluster/sync-to-disk.ts';
import { makeFolder } from '../../../cluster/make-folder.ts';
import { dayText } from '../days.ts';

/** The folder of the closed days of a store: `sonar.db` has `sonar.db-archive/CLUSTER/2026/03/01/process-1.parquet`. */
export const archiveFolder = (store: string): string => `${store}-archive`;

/** The name of a cluster comes from outside: it may have slashes, or be `..`. */
const folderOf = (cluster: string): string => encodeURIComponent(cluster).replace(/^\./, '%2E');

/** A file of a closed day. A day that is closed again has the next part, and the one before is not valid any more. */
export const archiveFile = (store: string, cluster: string, day: number, table: string, part: number): string =>
  join(archiveFolder(store), folderOf(cluster), dayText(day).replaceAll('-', '/'), `${table}-${part}.parquet`);

/** Where files are written before they are complete. */
export const unfinishedFolder = (store: string): string => join(archiveFolder(store), '.unfinished');

/** Makes a written file appear under its name, whole and on disk. */
export function publish(from: string, to: string): void {
  syncToDisk(from);
  const folders: string[] = [];
  for (let folder = dirname(to); !existsSync(folder); folder = dirname(folder)) folders.push(dirname(folder));
  makeFolder(dirname(to));
  renameSync(from, to);
  for (const folder of [dirname(to), ...folders]) syncToDisk(folder);
}

/** Deletes the files of the archive that are not valid: of a close that was interrupted, or replaced by a later part. */
export function sweep(store: string, isValid: (file: string) => boolean): void {
  rmSync(unfinishedFolder(store), { recursive: true, force: true });
  const cwd = archiveFolder(store);
  for (const file of globSync('*/*/*/*/*.parquet', { cwd }))
    if (!isValid(join(cwd, file))) rmSync(join(cwd, file), { force: true });
}

export const bytesOfFiles = (files: readonly string[]): number =>
  files.reduce((sum, file) => sum + statSync(file).size, 0);
