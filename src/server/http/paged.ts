import type { ListPage } from '../store/listing.ts';
import { Elements } from './json-parts.ts';

/** The part of a list that a request asks for. */
export interface Asked {
  readonly offset: number;
  readonly limit: number;
}

/**
 * A page whose rows are read while its text is made, some at a time: as objects they take ten times as much memory as
 * their text. What is counted stands behind the rows, and is known when they are read.
 */
export function pagedBy(
  read: (piece: Asked) => ListPage<unknown>,
  { offset, limit }: Asked,
  rowsAtOnce: number,
): object {
  const readAt = (done: number) => read({ offset: offset + done, limit: Math.min(rowsAtOnce, limit - done) });
  let piece = readAt(0);
  let count = 0;
  function* rows() {
    for (;;) {
      const { items } = piece;
      const isLast = items.length < Math.min(rowsAtOnce, limit - count);
      count += items.length;
      yield* items.splice(0);
      if (isLast || count === limit) return;
      piece = readAt(count);
    }
  }
  return {
    ...piece,
    items: new Elements(rows()),
    offset,
    get count() {
      return count;
    },
    get total_count() {
      return piece.total_count;
    },
    get has_more() {
      return offset + count < piece.total_count;
    },
  };
}
