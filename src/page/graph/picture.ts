import type { JobFamily, WorkflowGraph } from '../../core/contract/view.ts';
import { greatest } from '../../core/quantity/extremes.ts';
import { layout } from './layout.ts';
import type { Box } from './zoom.ts';

/** Sizes in pixels. */
export const [WIDTH, HEIGHT] = [190, 54];
const [GAP_X, GAP_Y, MARGIN] = [56, 16, 8];

export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly nodes: readonly { readonly of: JobFamily; readonly box: Box }[];
  readonly edges: readonly { readonly path: string; readonly box: Box }[];
}

/** Where the families and the edges between them stand, from left to right. */
export function pictureOf({ families, edges }: WorkflowGraph): Picture {
  const places = layout(
    families.map(({ key }) => key),
    edges,
  );
  const rowsOf = new Map<number, number>();
  for (const { layer, row } of places.values()) rowsOf.set(layer, Math.max(rowsOf.get(layer) ?? 0, row + 1));
  const most = greatest(rowsOf.values(), 1);
  const boxOf = (key: string): Box => {
    const { layer, row } = places.get(key) ?? { layer: 0, row: 0 };
    const free = (most - (rowsOf.get(layer) ?? 1)) * (HEIGHT + GAP_Y);
    const [left, top] = [MARGIN + layer * (WIDTH + GAP_X), MARGIN + free / 2 + row * (HEIGHT + GAP_Y)];
    return { left, top, right: left + WIDTH, bottom: top + HEIGHT };
  };
  return {
    width: rowsOf.size * (WIDTH + GAP_X) - GAP_X + 2 * MARGIN,
    height: most * (HEIGHT + GAP_Y) - GAP_Y + 2 * MARGIN,
    nodes: families.map((family) => ({ of: family, box: boxOf(family.key) })),
    edges: edges
      .filter(({ from, to }) => from !== to)
      .map(({ from, to }) => {
        const [start, end] = [boxOf(from), boxOf(to)];
        const [x1, y1] = [start.right, start.top + HEIGHT / 2];
        const [x2, y2] = [end.left, end.top + HEIGHT / 2];
        const bend = Math.max(GAP_X / 2, Math.abs(x2 - x1) / 2);
        return {
          path: `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`,
          // A curve stays within its ends and the points that bend it.
          box: {
            left: Math.min(x1, x2 - bend),
            top: Math.min(y1, y2),
            right: Math.max(x2, x1 + bend),
            bottom: Math.max(y1, y2),
          },
        };
      }),
  };
}
