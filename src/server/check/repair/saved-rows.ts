import type { Pages } from './pages.ts';
import type { openSaved } from './queries.ts';
import { entriesIn, isSchema, type SchemaEntry, tableOfRows } from './tables.ts';
import { type StoredRow, treesOf, type Walked } from './trees.ts';

/** How many rows a table had, as far as that can be known. */
export interface Expected {
  readonly rows: number;
  readonly isAtLeast: boolean;
}

type Saved = Pick<ReturnType<typeof openSaved>, 'tables' | 'insert' | 'keepIds'>;

/**
 * Stores all rows that can be read: those to which the trees of the tables lead, and, where a tree is damaged, those of pages that are no longer
 * reached and whose rows fit one of the damaged tables alone.
 *
 * `expected` is undefined where the file has no table of torc.
 */
export function savedRows(pages: Pages, saved: Saved) {
  const trees = treesOf(pages);
  const { entries, isWhole } = schemaIn(trees);
  const rootOf = (name: string) => entries.find((entry) => entry.type === 'table' && entry.name === name)?.root;
  if (!saved.tables.some(({ name }) => rootOf(name) !== undefined)) return { expected: undefined, unassigned: 0 };

  const states = saved.tables.map((table) => ({ table, walked: none(), read: 0, rows: 0, root: rootOf(table.name) }));
  for (const state of states) {
    const { table, walked, root } = state;
    if (root === undefined) {
      // Its page of the schema is lost, or it came with a later version of torc.
      if (!isWhole) walked.damagedPages += 1;
      continue;
    }
    for (const row of trees.rows(root, walked, table.hasIds)) {
      state.read += 1;
      if (saved.insert(table, row)) state.rows += 1;
    }
  }
  keepIds(saved, trees, rootOf('sqlite_sequence'));

  const indexes = indexedRows(
    entries,
    trees,
    states.some(({ walked }) => walked.damagedPages > 0),
  );
  let unassigned = 0;
  const damaged = states.filter(({ walked }) => walked.damagedPages > 0);
  // Pages of an index that lost its tree look like those of a table without ids.
  const sought = damaged.filter(({ table }) => table.hasIds || indexes.areWhole);
  for (const page of damaged.length === 0 ? [] : trees.lostPages()) {
    if (isSchema(page.rows) || (!page.isTable && !indexes.areWhole)) continue;
    const found = tableOfRows(
      page.rows,
      sought.map(({ table }) => table),
    );
    const state = damaged.find(({ table }) => table === found);
    if (state === undefined) unassigned += page.isTable ? page.rows.length : 0;
    else state.rows += page.rows.filter((row) => saved.insert(state.table, row)).length;
  }
  const expected = new Map(
    states.map(({ table, walked, read, rows }): [string, Expected] => {
      const counted = indexes.rows.get(table.name);
      const known = Math.max(read, rows) + walked.damagedRows;
      return [
        table.name,
        { rows: Math.max(known, counted ?? 0), isAtLeast: walked.damagedPages > 0 && counted === undefined },
      ];
    }),
  );
  return { expected, unassigned };
}

type Trees = ReturnType<typeof treesOf>;

const none = (): Walked => ({ damagedPages: 0, damagedRows: 0 });

/** The tables and indexes of the file; where a page of its schema is damaged, those that other pages still name. */
function schemaIn(trees: Trees): { readonly entries: readonly SchemaEntry[]; readonly isWhole: boolean } {
  const walked = none();
  const rows: StoredRow[] = [...trees.rows(1, walked, true)];
  const isWhole = walked.damagedPages === 0 && walked.damagedRows === 0;
  if (!isWhole)
    for (const page of trees.lostPages())
      if (page.isTable && isSchema(page.rows)) for (const row of page.rows) rows.push(row);
  return { entries: entriesIn(rows), isWhole };
}

/** The last id of each table that ever had rows, as `sqlite_sequence` has it. */
function keepIds(saved: Saved, trees: Trees, root: number | undefined): void {
  const walked = none();
  const last = new Map<string, number>();
  for (const { values } of root === undefined ? [] : trees.rows(root, walked, true))
    last.set(String(values[0]).toLowerCase(), Number(values[1]));
  const isWhole = root !== undefined && walked.damagedPages === 0 && walked.damagedRows === 0;
  saved.keepIds((table) => last.get(table) ?? (isWhole ? 0 : undefined));
}

/** How many rows tables have by an index of all of them that is whole. Only read where a table is damaged: it takes as long as the tables. */
function indexedRows(entries: readonly SchemaEntry[], trees: Trees, isNeeded: boolean) {
  const rows = new Map<string, number>();
  let areWhole = true;
  const roots = new Set(entries.filter(({ type }) => type === 'table').map(({ root }) => root));
  for (const { type, table, root, isPartial } of isNeeded ? entries : []) {
    if (type === 'table' || roots.has(root)) continue;
    const walked = none();
    let count = 0;
    for (const _ of trees.rows(root, walked, false)) count += 1;
    const isWhole = walked.damagedPages === 0 && walked.damagedRows === 0;
    if (!isWhole) areWhole = false;
    else if (!isPartial) rows.set(table, Math.max(rows.get(table) ?? 0, count));
  }
  return { rows, areWhole };
}
