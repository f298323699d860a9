import { copyFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { syncToDisk } from '../../../cluster/sync-to-disk.ts';
import type { JobCompletion } from '../../../core/contract/result.ts';
import { privateFolder } from '../../../cluster/private-folder.ts';

/**
 * The file in which a runner stores results that it could not report to the server.
 *
 * Names, table and payload are those of Torc 1.0.0: below the output directory
 * `offline_journal/offline_results_wf7_r1_….db`, a SQLite database with one row a job in `journaled_completions`, whose
 * payload is one entry of batch_complete_jobs as JSON. `torc workflows reconcile` of either program reads the files of
 * the other.
 *
 * The folder is usually on a file system that many hosts share, where SQLite's write-ahead log loses data and its locks
 * may hang. So a file is never changed: it is written whole under another name, without locks and log, synced, and then
 * replaces the previous one. A reader sees a whole database at any time, and a full disk leaves the previous one.
 */
/** SQLite is loaded on demand: most runners never need it. */
const open = (path: string, query: string, readOnly: boolean) => {
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
  return new DatabaseSync(`${pathToFileURL(path).href}?${query}`, { readOnly });
};

/**
 * Writes the whole file, and replaces an existing one; of several entries of a job the last one stays. Returns the
 * number of entries.
 */
export function writeJournal(path: string, entries: Iterable<JobCompletion>, atMs: number): number {
  const part = `${path}.${process.pid}.part`;
  rmSync(part, { force: true });
  try {
    const count = writeNew(part, entries, new Date(atMs).toISOString());
    syncToDisk(part);
    renameSync(part, path);
    syncToDisk(dirname(path));
    return count;
  } catch (error) {
    rmSync(part, { force: true });
    throw error;
  }
}

function writeNew(path: string, entries: Iterable<JobCompletion>, at: string): number {
  const db = open(path, 'nolock=1', false);
  try {
    db.exec(`
      pragma journal_mode = off;
      pragma synchronous = off;
      begin;
      create table journaled_completions (
        job_id integer primary key,
        run_id integer not null,
        status text not null,
        payload text not null,
        journaled_at text not null
      )`);
    const insert = db.prepare('insert or replace into journaled_completions values (?, ?, ?, ?, ?)');
    for (const entry of entries) insert.run(entry.job_id, entry.run_id, entry.status, JSON.stringify(entry), at);
    const { count } = db.prepare('select count(*) as count from journaled_completions').get() as { count: number };
    db.exec('commit');
    return count;
  } finally {
    db.close();
  }
}

/** The content of a journal, as far as it can be read: payloads as text, and why some are missing. */
export interface JournalReading {
  readonly payloads: readonly string[];
  readonly fault?: string;
}

/** Reads a journal without changing anything in its folder, because its writer may still be active. */
export function readJournal(path: string): JournalReading {
  const payloads: string[] = [];
  try {
    if (hasLog(path)) readCopy(path, payloads);
    else readInto(path, 'immutable=1', payloads);
    return { payloads };
  } catch (error) {
    return { payloads, fault: (error as Error).message };
  }
}

/** Files that SQLite keeps beside a database that was not closed: Torc 1.0.0 writes with a write-ahead log. */
const logs = ['-wal', '-journal'] as const;

const sizeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

const hasLog = (path: string) => logs.some((log) => sizeOf(path + log) > 0);

/**
 * SQLite writes to the database when it applies a log, and needs memory shared with other users: hence a copy in
 * another folder.
 */
function readCopy(path: string, payloads: string[]): void {
  const folder = privateFolder('torc-journal-');
  try {
    const copy = join(folder, 'journal.db');
    for (const suffix of ['', ...logs]) if (sizeOf(path + suffix) > 0) copyFileSync(path + suffix, copy + suffix);
    readInto(copy, 'nolock=0', payloads);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function readInto(path: string, query: string, payloads: string[]): void {
  if (sizeOf(path) === 0) throw new Error('the file is empty');
  const db = open(path, query, query.startsWith('immutable'));
  try {
    const rows = db.prepare('select payload from journaled_completions order by job_id').iterate();
    for (const { payload } of rows) {
      payloads.push(payload instanceof Uint8Array ? Buffer.from(payload).toString('utf8') : String(payload));
    }
  } finally {
    db.close();
  }
}
