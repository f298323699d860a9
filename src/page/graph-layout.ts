import { greatest } from '../core/quantity/extremes.ts';

/** Places families in layers: each stands right of everything that it depends on. */
export interface Place {
  readonly layer: number;
  /** The position within the layer, from above. */
  readonly row: number;
}

interface Edge {
  readonly from: string;
  readonly to: string;
}

/** Passes that sort the rows of each layer; more change little. */
const PASSES = 4;

/** The place of each key. Edges of a family to itself, and those that close a circle of families, do not count. */
export function layout(keys: readonly string[], edges: readonly Edge[]): Map<string, Place> {
  const above = new Map<string, string[]>(keys.map((key) => [key, []]));
  const below = new Map<string, string[]>(keys.map((key) => [key, []]));
  for (const { from, to } of edges) {
    if (from === to || !above.has(from) || !above.has(to)) continue;
    above.get(to)?.push(from);
    below.get(from)?.push(to);
  }
  const layerOf = new Map<string, number>();
  const open = new Set<string>();
  // By hand, not by recursion: a chain of families may be long.
  for (const start of keys) {
    const stack = [start];
    while (stack.length > 0) {
      const key = stack.at(-1) as string;
      if (layerOf.has(key)) {
        stack.pop();
        continue;
      }
      open.add(key);
      const next = above.get(key)?.find((each) => !layerOf.has(each) && !open.has(each));
      if (next !== undefined) {
        stack.push(next);
        continue;
      }
      const layers = (above.get(key) ?? []).flatMap((each) => layerOf.get(each) ?? []);
      layerOf.set(key, greatest(layers, -1) + 1);
      open.delete(key);
      stack.pop();
    }
  }
  const layers: string[][] = [];
  for (const key of keys) (layers[layerOf.get(key) ?? 0] ??= []).push(key);
  const rows = new Map<string, number>();
  const place = () => {
    for (const layer of layers) for (const [row, key] of layer.entries()) rows.set(key, row - (layer.length - 1) / 2);
  };
  place();
  for (let pass = 0; pass < PASSES; pass += 1) {
    const neighbours = pass % 2 === 0 ? above : below;
    for (const layer of pass % 2 === 0 ? layers : layers.toReversed()) {
      const wanted = new Map(
        layer.map((key) => [key, average(neighbours.get(key) ?? [], rows) ?? (rows.get(key) as number)]),
      );
      layer.sort((one, other) => (wanted.get(one) as number) - (wanted.get(other) as number));
      place();
    }
  }
  return new Map(layers.flatMap((list, layer) => list.map((key, row) => [key, { layer, row }] as const)));
}

function average(keys: readonly string[], rows: ReadonlyMap<string, number>): number | undefined {
  if (keys.length === 0) return undefined;
  return keys.reduce((sum, key) => sum + (rows.get(key) ?? 0), 0) / keys.length;
}
