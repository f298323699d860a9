import type * as Library from '@duckdb/node-api';
import type { DuckDBConnection, DuckDBInstance, DuckDBMaterializedResult, DuckDBValue } from '@duckdb/node-api';
import { loadLibrary } from '../../../cluster/additions/folder.ts';
import { Refusal } from '../../../core/contract/refusals.ts';

export type DuckDB = typeof Library;

/**
 * DuckDB writes and reads the files of closed days. It has 70 MB, so it is installed beside torc by those who close days, and loaded
 * on use.
 *
 * Throws: `DUCKDB_MISSING`.
 */
export async function loadDuckDB(): Promise<DuckDB> {
  try {
    return await loadLibrary('@duckdb/node-api', async () => import('@duckdb/node-api'));
  } catch (cause) {
    throw new Refusal('DUCKDB_MISSING', `closed days need DuckDB: ${(cause as Error).message.split('\n')[0]}`, {});
  }
}

/** Beyond `memory_limit`, DuckDB uses files in its folder. */
const READING = { threads: '2', memory_limit: '256MB' };

/**
 * A close goes through a whole day, so it always reaches its limit. What goes to files is freed, and unless that is requested, the
 * allocator of DuckDB keeps it: with the limit for reading, 300 MB more. With 64 MB a sort fails.
 */
const CLOSING = {
  threads: '1',
  memory_limit: '96MB',
  allocator_flush_threshold: '1MB',
  allocator_bulk_deallocation_flush_threshold: '1MB',
};

/** A database in memory, which reads and writes files. */
export const openArchive = (duck: DuckDB, folder: string): Promise<DuckDBInstance> => open(duck, folder, READING);

/** The same for a close, in as little memory as possible. */
export const openDatabaseToClose = (duck: DuckDB, folder: string): Promise<DuckDBInstance> =>
  open(duck, folder, CLOSING);

const open = (
  { DuckDBInstance: Instance }: DuckDB,
  folder: string,
  settings: Readonly<Record<string, string>>,
): Promise<DuckDBInstance> =>
  Instance.create(':memory:', { ...settings, temp_directory: folder, autoinstall_known_extensions: 'false' });

/** Limits of a statement that fails with the usual one: more memory is better than a day that stays open for ever. */
const MORE = ['384MB', '1536MB'];

/** Executes a statement of a close, with a higher limit where it needs more memory. */
export async function runWithMore(connection: DuckDBConnection, sql: string): Promise<DuckDBMaterializedResult> {
  for (const limit of MORE)
    try {
      return await connection.run(sql);
    } catch (error) {
      if (!(error as Error).message.startsWith('Out of Memory Error')) throw error;
      await connection.run(`set memory_limit = '${limit}'`);
    }
  return connection.run(sql);
}

/** Rows of a statement, in portions, as they are made. Each has a connection of its own: others may be open. */
export async function* portions(
  database: DuckDBInstance,
  sql: string,
  values: readonly DuckDBValue[],
): AsyncGenerator<readonly Readonly<Record<string, DuckDBValue>>[]> {
  const connection = await database.connect();
  try {
    const result = await connection.stream(sql, [...values]);
    for await (const rows of result.yieldRowObjects()) yield rows;
  } finally {
    connection.closeSync();
  }
}

/** A text in SQL. */
export const quotedText = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** The name of a file to read, of which no character stands for others. */
export const quotedFile = (path: string): string => quotedText(path.replaceAll(/[*?[]/g, '[$&]'));
