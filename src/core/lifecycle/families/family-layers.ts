import { greatest } from '../../quantity/extremes.ts';

export interface LayerEdge {
  readonly from: string;
  readonly to: string;
}

/** What each key depends on, and what depends on it. Edges of a key to itself and of unknown keys do not count. */
export function neighbours(keys: readonly string[], edges: readonly LayerEdge[]) {
  const above = new Map<string, string[]>(keys.map((key) => [key, []]));
  const below = new Map<string, string[]>(keys.map((key) => [key, []]));
  for (const { from, to } of edges) {
    if (from === to || !above.has(from) || !above.has(to)) continue;
    above.get(to)?.push(from);
    below.get(from)?.push(to);
  }
  return { above, below } as const;
}

/** The layer of each key, from 0: behind those of everything that it depends on. Edges that close a circle do not count. */
export function layersOf(keys: readonly string[], above: ReadonlyMap<string, readonly string[]>): Map<string, number> {
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
  return layerOf;
}
