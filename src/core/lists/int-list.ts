/** Whole numbers in a growing array of 32-bit integers: a million edges are 4 MB, not a million objects. */
export class IntList {
  length = 0;
  private items: Int32Array;

  constructor(room = 16) {
    this.items = new Int32Array(room);
  }

  push(value: number): void {
    if (this.length === this.items.length) {
      const grown = new Int32Array(this.items.length * 2);
      grown.set(this.items);
      this.items = grown;
    }
    this.items[this.length] = value;
    this.length += 1;
  }

  at(index: number): number {
    return this.items[index] ?? -1;
  }

  /** The numbers so far; a view, not a copy. */
  view(): Int32Array {
    return this.items.subarray(0, this.length);
  }
}

/** A list of whole numbers for each of many records, concatenated in one array. */
export interface Lists {
  readonly starts: Int32Array;
  readonly items: Int32Array;
}

/** The list of one record; a view, not a copy. */
export const itemsOf = ({ starts, items }: Lists, record: number): Int32Array =>
  items.subarray(starts[record] ?? 0, starts[record + 1] ?? 0);

/** Writes the lists of records 0, 1, 2 … in order. */
export class ListsWriter {
  private readonly starts: Int32Array;
  private readonly items: IntList;
  // For each target the last record that named it, counted from 1.
  private readonly namedBy: Int32Array;
  private readonly limit: number;
  private record = 0;
  /** Set if there were more than `limit` numbers; the others are left out. */
  isFull = false;

  constructor(records: number, targets: number, limit: number) {
    this.limit = limit;
    this.starts = new Int32Array(records + 1);
    this.items = new IntList(Math.max(16, records));
    this.namedBy = new Int32Array(targets);
  }

  /** Adds to the list of the current record, once each. */
  add(value: number): void {
    if (this.namedBy[value] === this.record + 1) return;
    this.namedBy[value] = this.record + 1;
    if (this.items.length < this.limit) this.items.push(value);
    else this.isFull = true;
  }

  next(): void {
    this.record += 1;
    this.starts[this.record] = this.items.length;
  }

  done(): Lists {
    return { starts: this.starts, items: this.items.view() };
  }
}

/** For each of `targets` records the records whose lists name it. */
export function reversed({ starts, items }: Lists, targets: number): Lists {
  const back = new Int32Array(targets + 1);
  for (const item of items) back[item + 1] = (back[item + 1] ?? 0) + 1;
  for (let index = 0; index < targets; index += 1) back[index + 1] = (back[index + 1] ?? 0) + (back[index] ?? 0);
  const next = back.slice();
  const sources = new Int32Array(items.length);
  for (let record = 0; record + 1 < starts.length; record += 1) {
    for (let index = starts[record] ?? 0; index < (starts[record + 1] ?? 0); index += 1) {
      const item = items[index] ?? 0;
      sources[next[item] ?? 0] = record;
      next[item] = (next[item] ?? 0) + 1;
    }
  }
  return { starts: back, items: sources };
}
