import fc from 'fast-check';
import { expect, it } from 'vitest';
import { openDatabase } from './database.ts';
import { createListing, rowsFromEnd } from './listing.ts';

const SIZES = [3, null, 1, 3, 2, null, 1, 3, 2, 2, 7];

/** A list of these sizes, whose total is stored. */
const listed = () => {
  const db = openDatabase(':memory:');
  db.run('create table note (id integer primary key, size integer) strict');
  db.prepareInserts<{ size: number | null }>('insert into note (size) values (:size)')(SIZES.map((size) => ({ size })));
  const listing = {
    table: 'note',
    filters: {},
    sortable: ['size'],
  };
  const identity = (row: { id: number; size: number | null }) => ({ ...row });
  return {
    counted: createListing(db, listing, identity),
    stored: createListing(db, { ...listing, total: () => SIZES.length }, identity),
  };
};

it('a list whose total is stored gives the same pages as one whose rows are counted, in any order', () => {
  const { counted, stored } = listed();
  fc.assert(
    fc.property(
      fc.nat(SIZES.length + 2),
      fc.nat(SIZES.length + 2),
      fc.constantFrom(undefined, 'size', 'nothing'),
      fc.boolean(),
      (offset, limit, sortBy, isReverse) => {
        const paging = { offset, limit, sort_by: sortBy, reverse_sort: isReverse };
        expect(stored(paging)).toEqual(counted(paging));
      },
    ),
  );
});

it('pages that begin behind the last row of the one before are the whole list, in both directions', () => {
  const { stored } = listed();
  fc.assert(
    fc.property(fc.integer({ min: 1, max: SIZES.length + 2 }), fc.boolean(), (limit, isReverse) => {
      const ids: number[] = [];
      for (;;) {
        const last = ids.at(-1);
        const cursor = last === undefined ? {} : isReverse ? { before_id: last } : { after_id: last };
        const { items, total_count: total, has_more: hasMore } = stored({ limit, reverse_sort: isReverse, ...cursor });
        expect(total).toBe(SIZES.length - ids.length);
        ids.push(...items.map(({ id }) => id));
        if (!hasMore) break;
      }
      const all = Array.from(SIZES, (_, at) => at + 1);
      expect(ids).toEqual(isReverse ? all.toReversed() : all);
    }),
  );
});

it('a page in the second half of a list is counted from its end, one in the first half from its beginning', () => {
  expect(rowsFromEnd(900_000, 100, 1_000_000)).toEqual({ offset: 99_900, limit: 100 });
  expect(rowsFromEnd(999_950, 100, 1_000_000)).toEqual({ offset: 0, limit: 50 });
  expect(rowsFromEnd(500_000, 100, 1_000_000)).toBeUndefined();
});

it('a page behind the end of a list is not counted from its end', () => {
  expect(rowsFromEnd(10, 100, 10)).toBeUndefined();
  expect(rowsFromEnd(0, 100, 0)).toBeUndefined();
});
