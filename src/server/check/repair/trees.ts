import type { ColumnValue } from '../../store/database.ts';
import { PAGE_BYTES, type Pages } from './pages.ts';
import { payloadAt, valuesIn, varintAt } from './record.ts';

/** A row of a table, or an entry of an index, whose id is undefined. */
export interface StoredRow {
  readonly id: number | bigint | undefined;
  readonly values: readonly ColumnValue[];
}

/** What was met on the way through a tree. */
export interface Walked {
  /** Pages that are missing, belong to another tree, or are no pages of a tree. What is below them is unreachable. */
  damagedPages: number;
  /** Rows of readable pages that are not what a row can be. */
  damagedRows: number;
}

/** A page whose tree is not known. */
export interface LostPage {
  readonly isTable: boolean;
  readonly rows: readonly StoredRow[];
}

const KINDS: Readonly<Record<number, { readonly isLeaf: boolean; readonly isTable: boolean }>> = {
  2: { isLeaf: false, isTable: false },
  5: { isLeaf: false, isTable: true },
  10: { isLeaf: true, isTable: false },
  13: { isLeaf: true, isTable: true },
};

/** Reads the trees of a file; each page is used once, whatever a damaged one refers to. */
export function treesOf(pages: Pages) {
  const used = new Uint8Array(pages.count + 1);
  const isFree = (number: number) => number >= 1 && number <= pages.count && used[number] === 0;

  function take(number: number): Buffer | undefined {
    if (!isFree(number)) return undefined;
    used[number] = 1;
    return pages.read(number);
  }

  /** The rows below a page, in order. */
  function* rows(root: number, walked: Walked, isTable: boolean): Generator<StoredRow> {
    const open = [root];
    for (let number = open.pop(); number !== undefined; number = open.pop()) {
      const page = take(number);
      const parts = page === undefined ? undefined : partsOf(page, number);
      if (page === undefined || parts === undefined || parts.kind.isTable !== isTable) {
        walked.damagedPages += 1;
        continue;
      }
      if (!parts.kind.isLeaf) for (const child of childrenOf(page, parts).reverse()) open.push(child);
      if (parts.kind.isLeaf || !isTable) yield* rowsOn(page, parts, walked);
    }
  }

  /** The rows of one page; those that are none are counted. */
  function* rowsOn(page: Buffer, { kind, cells }: Parts, walked: Walked, isOwn = true): Generator<StoredRow> {
    for (const cell of cells) {
      try {
        const [size, behind] = varintAt(page, kind.isLeaf ? cell : cell + 4);
        const [id, at] = kind.isTable ? varintAt(page, behind) : [undefined, behind];
        const place = { at, sizeBytes: Number(size), isTable: kind.isTable };
        const { payload, overflow } = payloadAt(page, place, (next) => (isFree(next) ? pages.read(next) : undefined));
        if (isOwn) for (const number of overflow) used[number] = 1;
        yield { id: id === undefined ? undefined : plain(id), values: valuesIn(payload) };
      } catch {
        walked.damagedRows += 1;
      }
    }
  }

  return {
    rows,
    /** Pages with rows that no tree led to: leaves of tables, and pages of tables without ids or of indexes. */
    *lostPages(): Generator<LostPage> {
      const deleted = unusedPages(pages, isFree);
      for (let number = 1; number <= pages.count; number += 1) {
        const page = isFree(number) && !deleted.has(number) ? pages.read(number) : undefined;
        const parts = page === undefined ? undefined : partsOf(page, number);
        if (page === undefined || parts === undefined || (parts.kind.isTable && !parts.kind.isLeaf)) continue;
        const found = [...rowsOn(page, parts, { damagedPages: 0, damagedRows: 0 }, false)];
        if (found.length > 0) yield { isTable: parts.kind.isTable, rows: found };
      }
    },
  };
}

/**
 * The pages that the list of unused ones names: what stands on them was deleted. A part of the list that is too long, or names a page twice,
 * behind the end of the file or of a tree, is damaged; neither it nor what follows is believed, because live rows would be left out.
 */
function unusedPages(pages: Pages, isFree: (number: number) => boolean): ReadonlySet<number> {
  const unused = new Set<number>();
  let trunk = pages.read(1)?.readUInt32BE(32) ?? 0;
  while (trunk !== 0) {
    const page = isFree(trunk) ? pages.read(trunk) : undefined;
    const count = page?.readUInt32BE(4) ?? 0;
    if (page === undefined || count > PAGE_BYTES / 4 - 2) break;
    const named = [trunk, ...Array.from({ length: count }, (_, index) => page.readUInt32BE(8 + 4 * index))];
    if (new Set(named).size < named.length || !named.every((each) => isFree(each) && !unused.has(each))) break;
    for (const each of named) unused.add(each);
    trunk = page.readUInt32BE(0);
  }
  return unused;
}

interface Parts {
  readonly kind: { readonly isLeaf: boolean; readonly isTable: boolean };
  /** Where its cells begin. */
  readonly cells: readonly number[];
  /** Where the head of the page begins: behind the head of the file on the first page. */
  readonly head: number;
}

/** Undefined for what is no page of a tree. */
function partsOf(page: Buffer, number: number): Parts | undefined {
  const head = number === 1 ? 100 : 0;
  const kind = KINDS[page[head] ?? 0];
  if (kind === undefined) return undefined;
  const first = head + (kind.isLeaf ? 8 : 12);
  const count = page.readUInt16BE(head + 3);
  if (first + 2 * count > PAGE_BYTES) return undefined;
  const cells = Array.from({ length: count }, (_, index) => page.readUInt16BE(first + 2 * index));
  return cells.every((cell) => cell >= first + 2 * count && cell < PAGE_BYTES - 3) ? { kind, cells, head } : undefined;
}

const childrenOf = (page: Buffer, { cells, head }: Parts): number[] => [
  ...cells.map((cell) => page.readUInt32BE(cell)),
  page.readUInt32BE(head + 8),
];

const plain = (id: bigint): number | bigint => (Number.isSafeInteger(Number(id)) ? Number(id) : id);
