import type { JobFamily, WorkflowGraph } from '../../core/contract/view.ts';
import { greatest } from '../../core/quantity/extremes.ts';
import { type FamilyPlace, layout } from './layout.ts';
import { type Box, type FrameSize, hasNames, wholeScale } from './zoom.ts';

/** Sizes in pixels. */
export const [WIDTH, HEIGHT] = [190, 54];
/** Between layers from left to right and from top to bottom, between the families of a layer, and around all. */
const [GAP_ACROSS, GAP_DOWN, GAP_ROWS, MARGIN] = [56, 30, 16, 8];

export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly nodes: readonly { readonly of: JobFamily; readonly box: Box }[];
  readonly edges: readonly { readonly path: string; readonly box: Box }[];
}

/**
 * Where the families and the edges between them stand: from left to right or, where all of it can be read in this frame only that
 * way, from top to bottom, as a chain on a phone.
 */
export function pictureOf(graph: WorkflowGraph, frame: FrameSize): Picture {
  const places = layout(
    graph.families.map(({ key }) => key),
    graph.edges,
  );
  const across = drawn(graph, places, false);
  if (frame.width === 0 || hasNames(wholeScale(across, frame))) return across;
  const down = drawn(graph, places, true);
  return hasNames(wholeScale(down, frame)) ? down : across;
}

function drawn({ families, edges }: WorkflowGraph, places: ReadonlyMap<string, FamilyPlace>, isDown: boolean): Picture {
  const rowsOf = new Map<number, number>();
  for (const { layer, row } of places.values()) rowsOf.set(layer, Math.max(rowsOf.get(layer) ?? 0, row + 1));
  const most = greatest(rowsOf.values(), 1);
  const [stepX, stepY] = isDown ? [WIDTH + GAP_ROWS, HEIGHT + GAP_DOWN] : [WIDTH + GAP_ACROSS, HEIGHT + GAP_ROWS];
  const boxOf = (key: string): Box => {
    const { layer, row } = places.get(key) ?? { layer: 0, row: 0 };
    const place = (most - (rowsOf.get(layer) ?? 1)) / 2 + row;
    const [left, top] = [MARGIN + (isDown ? place : layer) * stepX, MARGIN + (isDown ? layer : place) * stepY];
    return { left, top, right: left + WIDTH, bottom: top + HEIGHT };
  };
  const boxes = new Map(families.map(({ key }) => [key, boxOf(key)]));
  return {
    width:
      greatest(
        [...boxes.values()].map(({ right }) => right),
        0,
      ) + MARGIN,
    height:
      greatest(
        [...boxes.values()].map(({ bottom }) => bottom),
        0,
      ) + MARGIN,
    nodes: families.map((family) => ({ of: family, box: boxOf(family.key) })),
    edges: edges
      .filter(({ from, to }) => from !== to)
      .map(({ from, to }) => (isDown ? edgeDown : edgeAcross)(boxOf(from), boxOf(to))),
  };
}

// A curve stays within its ends and the points that bend it.

function edgeAcross(start: Box, end: Box) {
  const [x1, y1] = [start.right, start.top + HEIGHT / 2];
  const [x2, y2] = [end.left, end.top + HEIGHT / 2];
  const bend = Math.max(GAP_ACROSS / 2, Math.abs(x2 - x1) / 2);
  return {
    path: `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`,
    box: {
      left: Math.min(x1, x2 - bend),
      top: Math.min(y1, y2),
      right: Math.max(x2, x1 + bend),
      bottom: Math.max(y1, y2),
    },
  };
}

function edgeDown(start: Box, end: Box) {
  const [x1, y1] = [start.left + WIDTH / 2, start.bottom];
  const [x2, y2] = [end.left + WIDTH / 2, end.top];
  const bend = Math.max(GAP_DOWN / 2, Math.abs(y2 - y1) / 2);
  return {
    path: `M${x1} ${y1}C${x1} ${y1 + bend} ${x2} ${y2 - bend} ${x2} ${y2}`,
    box: {
      left: Math.min(x1, x2),
      top: Math.min(y1, y2 - bend),
      right: Math.max(x1, x2),
      bottom: Math.max(y2, y1 + bend),
    },
  };
}
