import { PAGE_LIMIT } from '../../core/contract/shape.ts';
import { Refusal } from '../../core/contract/refusals.ts';
import type { Database, Statement, ColumnValue } from './database.ts';

/**
 * The definition of a list: its columns, filters and order.
 *
 * Filters are named after the query's fields and contain the condition as SQL with the field as its parameter, or a
 * function from the requested value to a condition. Nothing that a client sends becomes part of a statement.
 */
export interface Listing<Filters extends object> {
  readonly columns: string;
  readonly from: string;
  readonly filters: {
    readonly [F in keyof Filters]-?: string | ((value: NonNullable<Filters[F]>) => string | undefined);
  };
  /** Fields that may be sorted by, with their columns; any other silently falls back to the id, as in Torc 1.0.0. */
  readonly sortable: Readonly<Record<string, string>>;
  readonly idColumn: string;
  /** Returns the number of all rows if it is stored somewhere; undefined if it must be counted. */
  readonly total?: (filters: Filters) => number | undefined;
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

/** Filters that a request may contain. */
export type FiltersOn<Fields> = { [F in keyof Fields]?: Fields[F] | undefined };
export type OfWorkflow = FiltersOn<{ workflow_id: number }>;

/** Columns of a table that are sorted by their own name. */
export const sortable = (table: string, columns: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(columns.map((column) => [column, `${table}.${column}`]));

/** Filters for columns of a table that have the names of the query's fields. */
export const equal = <Field extends string>(table: string, ...fields: readonly Field[]) =>
  Object.fromEntries(fields.map((field) => [field, `${table}.${field} = :${field}`])) as Record<Field, string>;

type Bound = Record<string, ColumnValue>;

export function createListing<Filters extends object, Row, Item>(
  db: Database,
  listing: Listing<Filters>,
  toItem: (row: Row) => Item,
): (filters: Filters, paging: ListPaging) => ListPage<Item> {
  const prepared = new Map<string, { page: Statement<Bound, Row>; count: Statement<Bound, { total: number }> }>();

  const statements = (where: string, order: string) => {
    const key = `${where} ${order}`;
    let found = prepared.get(key);
    if (found === undefined) {
      found = {
        page: db.prepare(
          `select ${listing.columns} from ${listing.from} ${where} ${order} limit :limit offset :offset`,
        ),
        count: db.prepare(`select count(*) as total from ${listing.from} ${where}`),
      };
      prepared.set(key, found);
    }
    return found;
  };

  return (filters, paging) => {
    const offset = paging.offset ?? 0;
    const limit = paging.limit ?? PAGE_LIMIT;
    if (offset < 0) throw new Refusal('PARAMETER_REFUSED', 'offset cannot be negative', { offset });
    if (limit < 0) throw new Refusal('PARAMETER_REFUSED', 'limit cannot be negative', { limit });
    if (limit > PAGE_LIMIT) throw new Refusal('PARAMETER_REFUSED', `Limit cannot exceed ${PAGE_LIMIT}`, { limit });

    const { where, values } = conditions(listing, filters, paging);
    const column = sortColumn(listing, paging.sort_by);
    const isDescending = paging.reverse_sort === true;
    const orderOf = (isDown: boolean) => {
      const direction = isDown ? 'desc' : 'asc';
      return `order by ${column} ${direction}${column === listing.idColumn ? '' : `, ${listing.idColumn} ${direction}`}`;
    };

    const hasCursor = paging.after_id !== undefined || paging.before_id !== undefined;
    const known = hasCursor ? undefined : listing.total?.(filters);
    const fromEnd = known === undefined ? undefined : rowsFromEnd(offset, limit, known);
    if (fromEnd !== undefined) {
      const rows = statements(where, orderOf(!isDescending)).page.all({ ...values, ...fromEnd });
      return listPageOf(rows.reverse().map(toItem), offset, known as number);
    }
    const { page, count } = statements(where, orderOf(isDescending));
    const items = page.all({ ...values, limit, offset }).map(toItem);
    return listPageOf(items, offset, known ?? count.get(values)?.total ?? 0);
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

/** A property name that every object has is not a column. */
const sortColumn = ({ sortable, idColumn }: Pick<Listing<object>, 'sortable' | 'idColumn'>, name = '') =>
  Object.hasOwn(sortable, name) ? (sortable[name] as string) : idColumn;

function conditions<Filters extends object>(
  { filters: known, idColumn }: Listing<Filters>,
  asked: Filters,
  { after_id: afterId, before_id: beforeId }: ListPaging,
): { where: string; values: Bound } {
  const parts: string[] = [];
  const values: Bound = {};
  for (const name of Object.keys(known) as (keyof Filters & string)[]) {
    const value = asked[name];
    if (value === undefined || value === null) continue;
    const filter = known[name];
    const condition = typeof filter === 'string' ? filter : filter(value);
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

/** A condition that finds the text anywhere in a column, ignoring case; `%` and `_` are literal. */
export const contains = (column: string, field: string) => `instr(lower(${column}), lower(:${field})) > 0`;

/** For the few lists that use the nearest valid page, as in Torc 1.0.0; all others refuse an invalid one. */
export function clamped<Paging extends { offset?: number | undefined; limit?: number | undefined }>(
  asked: Paging,
): Paging {
  const { offset = 0, limit = PAGE_LIMIT } = asked;
  return { ...asked, offset: Math.max(0, offset), limit: limit < 1 ? PAGE_LIMIT : Math.min(limit, PAGE_LIMIT) };
}
