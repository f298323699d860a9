import { PAGE_LIMIT } from '../../core/contract/shape.ts';
import { Refusal } from '../../core/contract/refusals.ts';
import type { Database, Statement, ColumnValue } from './database.ts';

/**
 * The definition of a list: its table, filters and order.
 *
 * Filters have the names of the query's fields. Each is a condition as SQL with the field as its parameter, a function from the
 * requested value to a condition, or a word: `equal` compares the column of that name, `contains` finds the text anywhere in it.
 * Nothing that a client sends becomes part of a statement.
 */
export interface Listing<Filters extends object> {
  /** The table whose records are listed, by the name that it has in the statement. */
  readonly table: string;
  /** Where it is more than the columns of the table, and the table. */
  readonly columns?: string;
  readonly from?: string;
  readonly filters: {
    readonly [F in keyof Omit<Filters, keyof ListPaging>]-?:
      | string
      | ((value: NonNullable<Filters[F]>) => string | undefined);
  };
  /** Columns of the table that may be sorted by, or fields with their columns; any other silently falls back to the id, as in Torc 1.0.0. */
  readonly sortable: readonly string[] | Readonly<Record<string, string>>;
  readonly idColumn?: string;
  /** Returns the number of all rows if it is stored somewhere; undefined if it must be counted. */
  readonly total?: (filters: Omit<Filters, keyof ListPaging>) => number | undefined;
}

export interface ListPaging {
  readonly offset?: number | undefined;
  readonly limit?: number | undefined;
  readonly sort_by?: string | undefined;
  readonly reverse_sort?: boolean | undefined;
  /** Only rows behind, or before, the one with this id; the total counts these. */
  readonly after_id?: number | undefined;
  readonly before_id?: number | undefined;
}

export interface ListPage<Item> {
  items: Item[];
  offset: number;
  max_limit: number;
  count: number;
  total_count: number;
  has_more: boolean;
}

/** A request of rows of a workflow. */
export type OfWorkflow = ListPaging & { readonly workflow_id?: number | undefined };

type Bound = Record<string, ColumnValue>;

export function createListing<Query extends object, Row, Item>(
  db: Database,
  listing: Listing<Query>,
  toItem: (row: Row) => Item,
): (query: Query & ListPaging) => ListPage<Item> {
  const { table, columns = `${table}.*`, from = table, idColumn = `${table}.id`, filters: known, total } = listing;
  const sortable: Readonly<Record<string, string>> = Array.isArray(listing.sortable)
    ? Object.fromEntries(listing.sortable.map((column: string) => [column, `${table}.${column}`]))
    : (listing.sortable as Readonly<Record<string, string>>);
  const prepared = new Map<string, { page: Statement<Bound, Row>; count: Statement<Bound, { total: number }> }>();

  const statements = (where: string, order: string) => {
    const key = `${where} ${order}`;
    let found = prepared.get(key);
    if (found === undefined) {
      found = {
        page: db.prepare(`select ${columns} from ${from} ${where} ${order} limit :limit offset :offset`),
        count: db.prepare(`select count(*) as total from ${from} ${where}`),
      };
      prepared.set(key, found);
    }
    return found;
  };

  return (query) => {
    const { offset = 0, limit = PAGE_LIMIT, sort_by: sortBy = '', reverse_sort: isDescending = false } = query;
    if (offset < 0) throw new Refusal('PARAMETER_REFUSED', 'offset cannot be negative', { offset });
    if (limit < 0) throw new Refusal('PARAMETER_REFUSED', 'limit cannot be negative', { limit });
    if (limit > PAGE_LIMIT) throw new Refusal('PARAMETER_REFUSED', `Limit cannot exceed ${PAGE_LIMIT}`, { limit });

    const names = Object.keys(known) as (keyof typeof known & string)[];
    const asked = Object.fromEntries(names.map((name) => [name, query[name]])) as unknown as Query;
    const { where, values } = conditions({ table, idColumn, filters: known }, asked, query);
    // A property name that every object has is not a column.
    const column = Object.hasOwn(sortable, sortBy) ? (sortable[sortBy] as string) : idColumn;
    const orderOf = (isDown: boolean) => {
      const direction = isDown ? 'desc' : 'asc';
      return `order by ${column} ${direction}${column === idColumn ? '' : `, ${idColumn} ${direction}`}`;
    };

    const hasCursor = query.after_id !== undefined || query.before_id !== undefined;
    const stored = hasCursor ? undefined : total?.(asked);
    const fromEnd = stored === undefined ? undefined : rowsFromEnd(offset, limit, stored);
    if (fromEnd !== undefined) {
      const rows = statements(where, orderOf(!isDescending)).page.all({ ...values, ...fromEnd });
      return listPageOf(rows.reverse().map(toItem), offset, stored as number);
    }
    const { page, count } = statements(where, orderOf(isDescending));
    const items = page.all({ ...values, limit, offset }).map(toItem);
    return listPageOf(items, offset, stored ?? count.get(values)?.total ?? 0);
  };
}

/**
 * The same rows of a list of `total`, counted from its end, if that is nearer: the database reads all rows before a page,
 * which takes 80 ms for a million.
 */
export function rowsFromEnd(
  offset: number,
  limit: number,
  total: number,
): { offset: number; limit: number } | undefined {
  if (offset <= total / 2 || offset >= total) return undefined;
  const end = Math.min(total, offset + limit);
  return { offset: total - end, limit: end - offset };
}

/** The envelope of a page that begins at `offset` in a list of `total` items. */
export const listPageOf = <Item>(items: Item[], offset: number, total: number): ListPage<Item> => ({
  items,
  offset,
  max_limit: PAGE_LIMIT,
  count: items.length,
  total_count: total,
  has_more: offset + items.length < total,
});

function conditions<Query extends object>(
  { table, filters: known, idColumn }: Pick<Listing<Query>, 'table' | 'filters'> & { readonly idColumn: string },
  asked: Query,
  { after_id: afterId, before_id: beforeId }: ListPaging,
): { where: string; values: Bound } {
  const parts: string[] = [];
  const values: Bound = {};
  for (const name of Object.keys(known) as (keyof typeof known & string)[]) {
    const value = asked[name];
    if (value === undefined || value === null) continue;
    const filter = known[name];
    const condition = typeof filter === 'string' ? conditionOf(filter, table, name) : filter(value);
    if (condition === undefined) continue;
    parts.push(condition);
    if (condition.includes(`:${name}`))
      values[name] = typeof value === 'boolean' ? Number(value) : (value as ColumnValue);
  }
  if (afterId !== undefined) {
    parts.push(`${idColumn} > :after_id`);
    values['after_id'] = afterId;
  }
  if (beforeId !== undefined) {
    parts.push(`${idColumn} < :before_id`);
    values['before_id'] = beforeId;
  }
  return { where: parts.length === 0 ? '' : `where ${parts.join(' and ')}`, values };
}

/** The condition for a filter. `contains` ignores case; `%` and `_` are literal. */
function conditionOf(filter: string, table: string, name: string): string {
  if (filter === 'equal') return `${table}.${name} = :${name}`;
  return filter === 'contains' ? `instr(lower(${table}.${name}), lower(:${name})) > 0` : filter;
}

/** For the few lists that use the nearest valid page, as in Torc 1.0.0; all others refuse an invalid one. */
export function clamped<Paging extends { offset?: number | undefined; limit?: number | undefined }>(
  asked: Paging,
): Paging {
  const { offset = 0, limit = PAGE_LIMIT } = asked;
  return { ...asked, offset: Math.max(0, offset), limit: limit < 1 ? PAGE_LIMIT : Math.min(limit, PAGE_LIMIT) };
}
