import { type LayerEdge, layersOf, neighbours } from '../../core/lifecycle/families/family-layers.ts';

/** Places families in layers: each stands right of everything that it depends on. */
export interface FamilyPlace {
  readonly layer: number;
  /** The position within the layer, from above. */
  readonly row: number;
}

/** Passes that sort the rows of each layer; more change little. */
const PASSES = 4;

/** The place of each key. Edges of a family to itself, and those that close a circle of families, do not count. */
export function layout(keys: readonly string[], edges: readonly LayerEdge[]): Map<string, FamilyPlace> {
  const { above, below } = neighbours(keys, edges);
  const layerOf = layersOf(keys, above);
  const layers: string[][] = [];
  for (const key of keys) (layers[layerOf.get(key) ?? 0] ??= []).push(key);
  const rows = new Map<string, number>();
  const place = () => {
    for (const layer of layers) for (const [row, key] of layer.entries()) rows.set(key, row - (layer.length - 1) / 2);
  };
  place();
  for (let pass = 0; pass < PASSES; pass += 1) {
    const beside = pass % 2 === 0 ? above : below;
    for (const layer of pass % 2 === 0 ? layers : layers.toReversed()) {
      const wanted = new Map(
        layer.map((key) => [key, average(beside.get(key) ?? [], rows) ?? (rows.get(key) as number)]),
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
