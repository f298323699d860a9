import { existsSync, type FSWatcher, statSync, watch } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type SharingRun, sharingRunOf } from '../../core/lifecycle/share/sharing-run.ts';
import { isOwnFolder, ownFolder } from '../host/own-folder.ts';
import { placeOfProcesses } from '../host/start-of.ts';
import { networkFileSystemOf } from '../network-file-system.ts';

/**
 * The file in which the runs of one user on one machine say what they hold and wait for.
 *
 * It is a small database, one row a run: its lock is the kernel's and ends with the process, and a process that is killed while
 * it writes leaves the old rows. Its name has the boot and the namespace of processes, because the numbers of processes mean
 * something there alone; so containers and hosts that see one folder have files of their own. Nothing waits for the disk: after a
 * reboot no row counts. What asks throws while another process has the file (`isFileBusy`).
 */
export interface ShareFile {
  readonly path: string;
  /** All rows of ours. */
  read(): SharingRun[];
  /** Replaces the rows in one step with those that are made of them. */
  change<Result>(
    decide: (runs: SharingRun[]) => { readonly runs: readonly SharingRun[]; readonly result: Result },
  ): Result;
  /** Whether another process has changed it since the last call. */
  hasChanged(): boolean;
  /** Whether its name still stands for it: folders of a session are removed with the session. */
  isCurrent(): boolean;
  /** Calls back after each change; false where this system watches no file. */
  watch(onChange: () => void): boolean;
  close(): void;
}

/** Writers have it for a tenth of a millisecond; one that was suspended meanwhile has it for long, and is not waited for. */
const BUSY_MS = 50;
/** The first of several that start together makes the file, on a disk that may be slow. */
const OPENING_MS = 1_000;
const SQLITE_BUSY = 5;

/** Another process has the file just now: ask again. */
export const isFileBusy = (error: unknown): boolean => (error as { errcode?: number }).errcode === SQLITE_BUSY;

/** Turns sharing off, or names another folder. */
export const SHARE_VARIABLE = 'TORC_SHARE';

/** Opens the file, in the folder that the variable names or in one of this user's. A text says why there is none; undefined: it is off. Throws if it is busy (`isFileBusy`). */
export function openShareFile(
  environment: Readonly<Record<string, string | undefined>>,
): ShareFile | string | undefined {
  const named = environment[SHARE_VARIABLE] ?? '';
  if (named === 'off') return undefined;
  const place = placeOfProcesses();
  const folder = named === '' ? ownFolder() : named;
  if (folder === undefined || place === undefined) return 'this system has no folder that is private to you';
  if (!isOwnFolder(folder)) return `${folder} is no folder of yours that others cannot write in`;
  const path = pathIn(folder, place);
  try {
    const network = networkFileSystemOf(folder);
    if (network !== undefined) return `${folder} is on ${network}, whose locks are no locks of this machine`;
    return opened(path);
  } catch (error) {
    if (isFileBusy(error)) throw error;
    return `${path}: ${(error as Error).message}`;
  }
}

/** The rows of the file, which is not made; empty where there is none, or where it cannot be read now. */
export function readShareFile(environment: Readonly<Record<string, string | undefined>>): SharingRun[] {
  const named = environment[SHARE_VARIABLE] ?? '';
  const place = placeOfProcesses();
  const folder = named === '' ? ownFolder() : named;
  if (named === 'off' || folder === undefined || place === undefined) return [];
  const path = pathIn(folder, place);
  if (!existsSync(path) || !isOwnFolder(folder)) return [];
  try {
    const file = opened(path);
    try {
      return file.read();
    } finally {
      file.close();
    }
  } catch {
    return [];
  }
}

const pathIn = (folder: string, place: string): string =>
  join(folder, `share-1-${place.replaceAll(/[^\w-]+/g, '-')}.db`);

function opened(path: string): ShareFile {
  const db = new DatabaseSync(path, { timeout: OPENING_MS });
  db.exec(`
    pragma synchronous = off;
    pragma journal_mode = truncate;
    create table if not exists run (id text primary key, value text not null) strict;
    pragma busy_timeout = ${BUSY_MS}`);
  const all = db.prepare('select value from run order by id');
  const put = db.prepare('insert or replace into run (id, value) values (:id, :value)');
  const remove = db.prepare('delete from run where id = :id');
  const version = db.prepare('pragma data_version');
  const inode = inodeOf(path);
  let watcher: FSWatcher | undefined;
  const read = () => all.all().flatMap(({ value }) => sharingRunOf(value as string) ?? []);
  let seen = version.get()?.['data_version'];
  return {
    path,
    read,
    change(decide) {
      db.exec('begin immediate');
      try {
        const before = new Map(read().map((run) => [run.id, JSON.stringify(run)]));
        const { runs, result } = decide([...before.values()].flatMap((text) => sharingRunOf(text) ?? []));
        for (const run of runs) {
          const value = JSON.stringify(run);
          if (before.get(run.id) !== value) put.run({ id: run.id, value });
          before.delete(run.id);
        }
        for (const id of before.keys()) remove.run({ id });
        db.exec('commit');
        return result;
      } catch (error) {
        if (db.isTransaction) db.exec('rollback');
        throw error;
      }
    },
    hasChanged() {
      const now = version.get()?.['data_version'];
      const isOther = now !== seen;
      seen = now;
      return isOther;
    },
    isCurrent: () => inodeOf(path) === inode,
    watch(onChange) {
      try {
        watcher = watch(path, { persistent: false }, onChange);
        watcher.on('error', () => {});
        return true;
      } catch {
        return false;
      }
    },
    close() {
      watcher?.close();
      db.close();
    },
  };
}

function inodeOf(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false, bigint: true });
  return found && `${found.dev} ${found.ino}`;
}
