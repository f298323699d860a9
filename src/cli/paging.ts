import { all } from '../client/every.ts';
import { integer, type Option, type Values } from './option.ts';

const limit: Option = {
  flags: '-l, --limit <n>',
  says: 'maximum number of rows (default: all)',
  read: integer('--limit', 0),
};
const offset: Option = {
  flags: '--offset <n>',
  says: 'number of rows to skip',
  default: 0,
  read: integer('--offset', 0),
};
const sortBy: Option = { flags: '--sort-by <field>', says: 'order by this field' };
const reverseSort: Option = { flags: '--reverse-sort', says: 'largest first' };

/** Options of lists with a fixed order. */
export const rangeOptions: readonly Option[] = [limit, offset];

/** Options of most lists. */
export const pagingOptions: readonly Option[] = [...rangeOptions, sortBy, reverseSort];

/** The same where each has a letter. */
export const letteredPagingOptions: readonly Option[] = [
  limit,
  { ...offset, flags: '-o, --offset <n>' },
  { ...sortBy, flags: '-s, --sort-by <field>' },
  { ...reverseSort, flags: '-r, --reverse-sort' },
];

/** Options of lists that are limited by default. */
export const cutRangeOptions = (atMost: number): readonly Option[] => [
  { ...limit, says: 'maximum number of rows', default: atMost },
  { ...offset, flags: '-o, --offset <n>' },
];

/** The order, for lists with separate options for the range. */
export const sortOptions: readonly Option[] = [sortBy, reverseSort];

export interface Paging {
  offset: number;
  limit: number;
  sort_by?: string | undefined;
  reverse_sort?: boolean | undefined;
}

/** All requested rows. */
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
