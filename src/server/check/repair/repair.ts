import { closeSync, existsSync, lstatSync, openSync, realpathSync, renameSync, rmSync } from 'node:fs';
import { syncToDisk } from '../../../cluster/sync-to-disk.ts';
import { Refusal } from '../../../core/contract/refusals.ts';
import { migrations } from '../../store/migrations.gen.ts';
import { ownerOf } from '../../store/own.ts';
import { checkDatabase } from '../check.ts';
import type { Faults } from '../queries.ts';
import { openPages } from './pages.ts';
import { openSaved, savedCounts } from './queries.ts';
import { savedRows } from './saved-rows.ts';

/** What became of the rows of a table. */
interface SavedCount {
  readonly table: string;
  readonly saved: number;
  /** Rows that are known to be lost; those that a lost record owned among them. */
  readonly lost: number;
  /** More may be lost: nothing that is readable says how many rows the table had. */
  readonly isAtLeast: boolean;
}

export interface Repaired {
  /** Tables with rows, saved or lost. */
  readonly tables: readonly SavedCount[];
  /** Rows of pages that belong to no table for certain. */
  readonly unassigned: number;
  /** What a check of the new database finds: nothing, unless torc has a bug. */
  readonly faults: Faults;
}

/** Made anew of the others. */
const DERIVED = ['job_count', 'workflow_time', 'job_class', 'commit_count'];

/**
 * Saves what can be read of a damaged database into a new one, which gets its name when it is complete and on disk. The damaged one and
 * its log are only read. Rows of a lost workflow get one of `user`.
 *
 * Throws: `NOT_FOUND`, `BACKUP_REFUSED` for an output that is there and for a file of another program, `DATABASE_IN_USE`, `DATABASE_FROM_FUTURE`,
 * `FILE_UNWRITABLE`, for instance on a full disk, and errors of the disk in reading.
 */
export function repairDatabase(database: string, output: string, user: string): Repaired {
  if (!existsSync(database)) throw new Refusal('NOT_FOUND', `there is no database ${database}`, { database });
  if (lstatSync(output, { throwIfNoEntry: false }) !== undefined)
    throw new Refusal('BACKUP_REFUSED', `${output} is there already, and nothing is written over it`, { output });
  refuseInUse(database);
  const fresh = `${output}.${process.pid}.new`;
  const pages = openPages(realpathSync(database));
  try {
    const version = pages.version ?? migrations.length;
    if (version > migrations.length)
      throw new Refusal(
        'DATABASE_FROM_FUTURE',
        `the database ${database} has version ${version}; this torc knows versions up to ${migrations.length}`,
        { database },
      );
    closeSync(openSync(fresh, 'wx', 0o600));
    const saved = openSaved(fresh, Math.max(1, version));
    try {
      const { expected, unassigned } = savedRows(pages, saved);
      if (expected === undefined)
        throw new Refusal('BACKUP_REFUSED', `${database} has no table of torc that can be read`, { database });
      saved.settle(user);
      const rows = savedCounts(fresh, [...expected.keys()]);
      const tables = [...expected].flatMap(([table, { rows: had, isAtLeast }]): SavedCount[] => {
        const count = rows.get(table) ?? 0;
        const lost = Math.max(0, had - count);
        const isEmpty = count === 0 && lost === 0 && !isAtLeast;
        return isEmpty || DERIVED.includes(table) ? [] : [{ table, saved: count, lost, isAtLeast }];
      });
      const { faults } = checkDatabase(fresh);
      syncToDisk(fresh);
      renameSync(fresh, output);
      return { tables, unassigned, faults };
    } finally {
      saved.close();
    }
  } catch (error) {
    if (!isUnwritable(error)) throw error;
    const words = `cannot write ${output}: ${(error as Error).message}`;
    throw new Refusal('FILE_UNWRITABLE', words, { output }, { cause: error });
  } finally {
    pages.close();
    for (const end of ['', '-wal', '-shm']) rmSync(`${fresh}${end}`, { force: true });
  }
}

/** An error of the system, but in reading the damaged database, and of SQLite, which only writes, that a disk is full or fails. */
function isUnwritable(error: unknown): boolean {
  const { syscall, errcode } = error as { syscall?: string; errcode?: number };
  return (syscall ?? 'read') !== 'read' || [10, 13, 14].includes((errcode ?? 0) % 256);
}

function refuseInUse(database: string): void {
  const owner = ownerOf(database);
  if (owner === undefined) return;
  const who =
    owner === 'unknown' ? 'another torc-server' : `torc-server ${owner.pid} on ${owner.host}, since ${owner.since}`;
  throw new Refusal('DATABASE_IN_USE', `the database ${database} is in use by ${who}`, { database });
}
