import { DatabaseSync } from 'node:sqlite';
import { databaseFile } from '../../cluster/database-file.ts';

/** Reads a database that a server may be using; nothing is written to it. */
export function openForBackup(path: string) {
  const db = new DatabaseSync(databaseFile(path), { readOnly: true, timeout: 5_000 });
  const numberOf = (sql: string) => Object.values(db.prepare(sql).get() ?? {})[0] as number;
  return {
    /** The version of its tables; 0 for a file of another program. */
    version: () => numberOf('pragma user_version'),
    /** The oldest tables whose programs may use it. */
    oldest: () =>
      numberOf("select count(*) from sqlite_schema where name = 'older_programs'") === 0
        ? undefined
        : numberOf('select oldest from older_programs'),
    count: (table: 'workflow' | 'job') => numberOf(`select count(*) from ${table}`),
    /** Pages and references that are damaged, one a line, ten at most; empty for a sound file. */
    faults: () =>
      [...db.prepare('pragma integrity_check(10)').all(), ...db.prepare('pragma foreign_key_check').all().slice(0, 10)]
        .map((row) => Object.values(row).join(' '))
        .filter((words) => words !== 'ok'),
    /** All of it at one moment. A server that writes meanwhile does not wait, and what it writes is not in the copy. */
    copyTo: (target: string) => void db.prepare('vacuum into ?').run(target),
    close: () => db.close(),
  };
}
