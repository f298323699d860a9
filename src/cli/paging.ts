import { all } from '../client/every.ts';
import { integer, type Option, type Values } from './option.ts';

/** Options of every list. */
export const pagingOptions: readonly Option[] = [
  { flags: '-l, --limit <n>', says: 'at most so many (default all)', read: integer('--limit', 0) },
  { flags: '--offset <n>', says: 'leave out so many at the start', default: 0, read: integer('--offset', 0) },
  { flags: '--sort-by <field>', says: 'order by this field' },
  { flags: '--reverse-sort', says: 'largest first' },
];

interface Paging {
  offset: number;
  limit: number;
  sort_by?: string | undefined;
  reverse_sort?: boolean | undefined;
}

/** All rows that were asked for. */
export async function allRows<Item>(
  options: Values,
  fetch: (paging: Paging) => Promise<{ items: Item[]; has_more: boolean }>,
): Promise<Item[]> {
  const sorting = {
    sort_by: options['sortBy'] as string | undefined,
    reverse_sort: options['reverseSort'] as boolean | undefined,
  };
  const range = { offset: options['offset'] as number | undefined, limit: options['limit'] as number | undefined };
  return all((page) => fetch({ ...sorting, ...page }), range);
}
