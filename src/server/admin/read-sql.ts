import type { SqlReply } from '../../core/contract/admin.ts';
import type { Database } from '../store/database.ts';
import type { Guard } from './guard.ts';

type Cell = null | number | bigint | string | Uint8Array;

/**
 * The maximum size of a reply. It is in memory several times while it is sent, so more would cost the server hundreds
 * of MB; a page of 100,000 rows of ids and names is 4 MiB.
 */
const MOST_BYTES = 8 * 2 ** 20;

/**
 * The rows of a statement as objects; the second column of one name is called `name_2`; no columns without a row.
 *
 * Throws for a reply larger than 8 MiB.
 */
export function readSql(
  db: Pick<Database, 'raw' | 'guarded'>,
  sql: string,
  limit: number,
  guard: Guard,
): Pick<SqlReply, 'columns' | 'items'> {
  try {
    return db.guarded(guard.authorize, () => rowsOf(db.raw(sql), limit));
  } catch (error) {
    throw reasoned(error, guard);
  }
}

/** The guard's reason instead of the database's "not authorized". */
export function reasoned(error: unknown, guard: Guard): unknown {
  const reason = guard.reason();
  return reason === undefined ? error : new Error(reason, { cause: error });
}

function rowsOf(statement: ReturnType<Database['raw']>, limit: number): Pick<SqlReply, 'columns' | 'items'> {
  const columns = distinct(statement.columns().map(({ name }) => name));
  statement.setReadBigInts(true);
  statement.setReturnArrays(true);
  const items: SqlReply['items'] = [];
  const bytesOfNames = columns.reduce((sum, name) => sum + name.length + 4, 2);
  let bytes = 0;
  for (const row of statement.iterate() as unknown as Iterable<Cell[]>) {
    if (items.length >= limit) break;
    bytes += row.reduce<number>((sum, cell) => sum + bytesOf(cell), bytesOfNames);
    if (bytes > MOST_BYTES) {
      throw new Error(
        `the reply is larger than ${MOST_BYTES / 2 ** 20} MiB after ${items.length} rows; name fewer columns, or request fewer rows at a time with limit and offset`,
      );
    }
    items.push(Object.fromEntries(columns.map((column, index) => [column, plain(row[index] as Cell)])));
  }
  return { columns: items.length === 0 ? [] : columns, items };
}

/** The approximate size of a cell as JSON. */
function bytesOf(cell: Cell): number {
  if (typeof cell === 'string') return cell.length + 2;
  return cell instanceof Uint8Array ? cell.length * 2 + 2 : 8;
}

/** Whole numbers that JSON parsers would round are returned as strings. */
function plain(cell: Cell): string | number | null {
  if (typeof cell === 'bigint') return Number.isSafeInteger(Number(cell)) ? Number(cell) : String(cell);
  return cell instanceof Uint8Array ? Buffer.from(cell).toString('hex') : cell;
}

function distinct(names: readonly string[]): string[] {
  const seen = new Set<string>();
  return names.map((name) => {
    let unique = name;
    for (let count = 2; seen.has(unique); count += 1) unique = `${name}_${count}`;
    seen.add(unique);
    return unique;
  });
}
