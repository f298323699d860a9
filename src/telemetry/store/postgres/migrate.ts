import type { PgConnection } from './connection.ts';
import { PostgresUnusable } from './errors.ts';
import { migrations } from './migrations.ts';
import { laterColumns, type PlacedColumn } from '../tables.ts';
import { columnTypes } from './sample-rows.ts';

/** Any number that no other program uses for a lock in this database. */
const MIGRATION_LOCK = 7_350_621_001;

/**
 * Brings the schema to the newest version, or only checks that it is there.
 *
 * Throws: `PostgresUnusable`.
 */
export async function migratePostgres(
  db: PgConnection,
  isReadOnly: boolean,
  later: readonly PlacedColumn[] = laterColumns,
): Promise<void> {
  const newest = migrations.length;
  const version = await versionOf(db);
  if (version === newest && (await columnsToAdd(db, later)).length === 0) return;
  if (version > newest)
    throw new PostgresUnusable(
      `the store at ${db.address} was written by a newer torc (schema ${version}, expected ${newest})`,
    );
  if (isReadOnly)
    throw new PostgresUnusable(
      version === 0
        ? `there is no store at ${db.address}`
        : `the store at ${db.address} is older than this torc (schema ${version}, expected ${newest} with all columns); torc sonar ingest updates it`,
    );
  await db.transaction(async () => {
    // Two programs may come to a new database at once.
    await db.query('select pg_advisory_xact_lock($1)', MIGRATION_LOCK);
    const from = await versionOf(db);
    if (from === 0) {
      await db.script('create schema if not exists sonar');
      await db.script(
        'create table sonar.migration (number int primary key, applied timestamptz not null default now())',
      );
    }
    for (let number = from + 1; number <= newest; number++) {
      await db.script(migrations[number - 1] ?? '');
      await db.query('insert into sonar.migration (number) values ($1)', number);
    }
    for (const { table, column, kind } of await columnsToAdd(db, later))
      await db.script(`alter table sonar.${table} add column ${column} ${columnTypes[kind]}`);
  });
}

/** The columns of samples that a store of an earlier release is without. */
async function columnsToAdd(db: PgConnection, later: readonly PlacedColumn[]): Promise<readonly PlacedColumn[]> {
  if (later.length === 0) return [];
  const rows = await db.query(
    `select table_name || '.' || column_name as name from information_schema.columns
     where table_schema = 'sonar' and table_name = any($1::text[])`,
    later.map(({ table }) => table),
  );
  const found = new Set(rows.map(({ name }) => name));
  return later.filter(({ table, column }) => !found.has(`${table}.${column}`));
}

async function versionOf(db: PgConnection): Promise<number> {
  const [found] = await db.query(`select to_regclass('sonar.migration') is not null as is_there`);
  if (found?.['is_there'] !== true) return 0;
  const [row] = await db.query('select coalesce(max(number), 0) as version from sonar.migration');
  return Number(row?.['version']);
}
