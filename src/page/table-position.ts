/** The height of a row of a long table in pixels. Must agree with `.long` in style.css. */
export const ROW = 33;

/** Where a long table is: the scroll position of its track, and how far its rows are from their begin, in pixels. */
export interface TablePosition {
  readonly scrollTop: number;
  readonly offset: number;
}

interface Size {
  /** Of all rows together, and of those in view. */
  readonly rows: number;
  readonly view: number;
  /** The scroll position at the end of the track. */
  readonly most: number;
}

/** Firefox draws no element that is higher than 17.9 million pixels. */
const HIGHEST = 15_000_000;

export const trackHeight = ({ rows }: Pick<Size, 'rows'>): number => Math.min(rows, HIGHEST);

/** The track follows its rows when it is so far from them. */
const FAR = 100_000;

/**
 * Where the rows are after the track was scrolled. Where the track is shorter than the rows, a step of a wheel or a key moves them as far as
 * it does anywhere, and a jump, by a drag of the bar, in proportion. The ends of the track are those of the rows: after many steps the
 * scroll position of the answer differs from the given one, and is to be set.
 */
export function positionAt(before: TablePosition, scrollTop: number, size: Size): TablePosition {
  const { most } = size;
  const mostOffset = size.rows - size.view;
  if (most <= 0 || mostOffset <= 0) return { scrollTop, offset: 0 };
  const moved = scrollTop - before.scrollTop;
  if (Math.abs(moved) > 2 * size.view)
    return { scrollTop, offset: Math.max(0, Math.min(1, scrollTop / most)) * mostOffset };
  const offset = Math.min(mostOffset, Math.max(0, before.offset + moved));
  const middle = Math.round((offset / mostOffset) * most);
  const isAtEnd = scrollTop <= 0 || scrollTop >= most;
  if (!isAtEnd && Math.abs(middle - scrollTop) <= FAR) return { scrollTop, offset };
  // A pixel of the track stands for several of the rows.
  if (middle <= 0 || offset < ROW) return { scrollTop: 0, offset: 0 };
  if (middle >= most || mostOffset - offset < ROW) return { scrollTop: most, offset: mostOffset };
  return { scrollTop: middle, offset };
}
