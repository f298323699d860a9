/** What a column needs, in columns of the terminal. */
export interface ColumnNeed {
  /** Its longest cell or its title. */
  readonly full: number;
  /** The same with its short title. */
  readonly withShortTitle: number;
  /** Cells may be cut down to this; the same as `withShortTitle` where they must not. */
  readonly least: number;
  /** Columns of small importance are left out first. */
  readonly importance: number;
  /** Nothing is known in any row. */
  readonly isEmpty: boolean;
}

/** The width of each column; undefined for one that is left out. */
export type Widths = readonly (number | undefined)[];

/** Between two columns, and at both ends: `│ `, ` │ `, ` │`. */
const GAP = 3;
const EDGES = 1;

/**
 * Widths with which a table takes at most `available` columns.
 *
 * Where not all fits, columns without any content are left out; then others, those of small importance first, until the
 * rest fits with short titles and with cells that are cut as far as they may be. What is then free goes to the cells of
 * great importance first. A number is never cut: `12…` would be read as twelve. A single column is cut to whatever there
 * is.
 */
export function fitColumns(needs: readonly ColumnNeed[], available: number): Widths {
  const whole = needs.reduce((sum, { full }) => sum + full + GAP, EDGES);
  if (whole <= available) return needs.map(({ full }) => full);
  const kept = keptColumns(needs, available);
  const free = available - EDGES - GAP * kept.length;
  const total = (width: (need: ColumnNeed) => number) => kept.reduce((sum, { need }) => sum + width(need), 0);
  const widths = (width: (need: ColumnNeed) => number): Widths =>
    needs.map((need, at) => (kept.some((each) => each.at === at) ? width(need) : undefined));
  const full = (need: ColumnNeed) => need.full;
  if (total(full) <= free) return widths(full);

  // Of each importance, the width to which longer cells are cut.
  const cuts = new Map(kept.map(({ need }) => [need.importance, Infinity]));
  const cut = (need: ColumnNeed) => cutTo(need, cuts.get(need.importance) as number);

  for (const importance of [...cuts.keys()].sort((a, b) => a - b)) {
    if (total(cut) <= free) break;
    cuts.set(
      importance,
      greatest(
        free,
        (width) => total((need) => (need.importance === importance ? cutTo(need, width) : cut(need))) <= free,
      ),
    );
  }
  return widths((need) => Math.max(1, Math.min(cut(need), free)));
}

const cutTo = ({ withShortTitle, least }: ColumnNeed, width: number) =>
  Math.min(withShortTitle, Math.max(least, width));

interface Kept {
  readonly need: ColumnNeed;
  readonly at: number;
}

function keptColumns(needs: readonly ColumnNeed[], available: number): readonly Kept[] {
  const all = needs.map((need, at) => ({ need, at }));
  const filled = all.filter(({ need }) => !need.isEmpty);
  let kept = filled.length === 0 ? all : filled;
  const taken = () => kept.reduce((total, { need }) => total + need.least + GAP, EDGES);
  // Among equals the rightmost first: tables begin with what a row is.
  const order = kept.toSorted((a, b) => a.need.importance - b.need.importance || b.at - a.at);
  for (const next of order) {
    if (kept.length === 1 || taken() <= available) break;
    kept = kept.filter((each) => each !== next);
  }
  return kept;
}

/** The greatest width up to `most` that is good, or 0. A width below a good one is good, too. */
function greatest(most: number, isGood: (width: number) => boolean): number {
  let low = 0;
  let high = Math.max(0, most);
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (isGood(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}
