/** Levels of a heat map: the lowest is 0 to 10 %, the highest 90 % and more. */
export const LEVELS = 10;

export const levelOf = (percent: number): number => Math.max(0, Math.min(LEVELS - 1, Math.floor(percent / LEVELS)));

export interface HeatCells {
  /** Percent by row and column; undefined where nothing is known. */
  readonly rows: readonly (readonly (number | undefined)[])[];
}

/**
 * The cells of each level as one path, in which a cell is one unit wide and high: a map of a thousand nodes and a week has 168,000 cells,
 * and ten elements. Cells of one level beside each other are one rectangle.
 */
export function pathsOf({ rows }: HeatCells): string[] {
  const paths = Array.from({ length: LEVELS }, () => [] as string[]);
  for (const [y, cells] of rows.entries()) {
    let x = 0;
    while (x < cells.length) {
      const percent = cells[x];
      if (percent === undefined) {
        x += 1;
        continue;
      }
      const [begin, level] = [x, levelOf(percent)];
      do x += 1;
      while (x < cells.length && cells[x] !== undefined && levelOf(cells[x] as number) === level);
      paths[level]?.push(`M${begin} ${y}h${x - begin}v1h${begin - x}z`);
    }
  }
  return paths.map((parts) => parts.join(''));
}

/** Names in the order of people: c2 before c10. */
export const byNodeName = new Intl.Collator('en', { numeric: true }).compare;
