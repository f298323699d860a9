import type { StatementSync } from 'node:sqlite';
import type { SqlReply } from '../../core/contract/admin.ts';

type Cell = null | number | bigint | string | Uint8Array;

/** The rows of a statement as objects, of a name that stands twice the second as `name_2`; no columns without a row. */
export function readSql(statement: StatementSync, limit: number): Pick<SqlReply, 'columns' | 'items'> {
  const columns = distinct(statement.columns().map(({ name }) => name));
  statement.setReadBigInts(true);
  statement.setReturnArrays(true);
  const items: SqlReply['items'] = [];
  for (const row of statement.iterate() as unknown as Iterable<Cell[]>) {
    if (items.length >= limit) break;
    items.push(Object.fromEntries(columns.map((column, index) => [column, plain(row[index] as Cell)])));
  }
  return { columns: items.length === 0 ? [] : columns, items };
}

/** Whole numbers that JSON's readers would round are told as texts. */
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
