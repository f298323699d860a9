import { all } from '../../client/every.ts';
import { integerOption, option, optionsOf } from '../command/option.ts';

const limit = option('-l, --limit <n>', 'maximum number of rows (default: all)', { read: integerOption(0) });
const offset = option('--offset <n>', 'number of rows to skip', { default: 0, read: integerOption(0) });
/** A field that the list does not have is refused with those that it has: a server would sort by the id. */
const sortBy = <const Field extends string>(choices: readonly Field[]) =>
  option('--sort-by <field>', 'order by this field', { choices });
const reverseSort = option('--reverse-sort', 'largest first');

/** Options of lists with a fixed order. */
export const rangeOptions = optionsOf([limit, offset]);

/** Options of most lists, which can be sorted by these fields. */
export const pagingOptions = <const Field extends string>(fields: readonly Field[]) =>
  optionsOf([limit, offset, sortBy(fields), reverseSort]);

/** The same where each has a letter. */
export const letteredPagingOptions = <const Field extends string>(fields: readonly Field[]) =>
  optionsOf([
    limit,
    { ...offset, flags: '-o, --offset <n>' },
    { ...sortBy(fields), flags: '-s, --sort-by <field>' },
    { ...reverseSort, flags: '-r, --reverse-sort' },
  ]);

/** Options of lists that are limited by default. */
export const cutRangeOptions = (atMost: number) =>
  optionsOf([
    { ...limit, says: 'maximum number of rows', default: atMost },
    { ...offset, flags: '-o, --offset <n>' },
  ]);

/** The order, for lists with separate options for the range. */
export const sortOptions = <const Field extends string>(fields: readonly Field[]) =>
  optionsOf([sortBy(fields), reverseSort]);

export interface Paging {
  offset: number;
  limit: number;
  sort_by?: string | undefined;
  reverse_sort?: boolean | undefined;
}

/** The values of the options above, those of them that a command has. */
export interface PagingValues {
  readonly offset?: number | undefined;
  readonly limit?: number | undefined;
  readonly sortBy?: string | undefined;
  readonly reverseSort?: boolean | undefined;
}

/** All requested rows. */
export const allRows = <Item>(
  { offset, limit, sortBy, reverseSort }: PagingValues,
  fetch: (paging: Paging) => Promise<{ items: Item[]; has_more: boolean }>,
): Promise<Item[]> => all((page) => fetch({ sort_by: sortBy, reverse_sort: reverseSort, ...page }), { offset, limit });
