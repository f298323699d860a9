import { greatest, smallest } from '../../quantity/extremes.ts';
import { type LayerEdge, layersOf, neighbours } from './family-layers.ts';

/** A line of a graph that is drawn from above to below: one with a key, or one between two of them. */
interface RailLine {
  readonly key?: string;
  /** Two columns a rail, with `●` for the key. */
  readonly text: string;
}

export interface Rails {
  readonly lines: readonly RailLine[];
  /** Edges that are not drawn because they close a circle. */
  readonly back: readonly LayerEdge[];
}

/**
 * Draws what depends on what as rails beside a list, each key below everything that it depends on:
 *
 *     ● prepare
 *     ├─╮
 *     ● │ align
 *     │ ● index
 *     ├─╯
 *     ● collect
 *
 * An edge that follows from others is not drawn: so a chain with a file that all its keys read stays one rail. Undefined where
 * more than `most` rails would stand side by side. Takes the square of the number of keys in bits.
 */
export function railsOf(keys: readonly string[], edges: readonly LayerEdge[], most: number): Rails | undefined {
  const { above } = neighbours(keys, edges);
  // A circle is cut where it leads back to the earliest key.
  const layers = layersOf(keys.toReversed(), above);
  const leadsDown = ({ from, to }: LayerEdge) => (layers.get(from) as number) < (layers.get(to) as number);
  const needs = reduced(keys, edges.filter(leadsDown), layers);
  const leadsTo = new Map<string, string[]>(keys.map((key) => [key, []]));
  for (const [key, before] of needs) for (const each of before) leadsTo.get(each)?.push(key);

  const waits = new Map(keys.map((key) => [key, needs.get(key)?.length ?? 0]));
  const roots = keys.filter((key) => waits.get(key) === 0).toReversed();
  const lines: RailLine[] = [];
  /** The keys to which the rails lead; undefined where there is a gap. */
  const rails: (string | undefined)[] = [];
  let endedAt = -1;
  for (let left = keys.length; left > 0; left -= 1) {
    let at = rails.findIndex((key) => key !== undefined && waits.get(key) === 0);
    const key = (at === -1 ? roots.pop() : rails[at]) as string;
    if (at === -1) {
      at = gapFrom(0, rails);
      // Right below a key that leads to nothing, it would look as if it depended on that.
      if (at === endedAt) lines.push({ text: drawn(rails, () => '│') });
    }
    rails[at] = key;
    lines.push({ key, text: drawn(rails, (index) => (index === at ? '●' : '│')) });
    rails[at] = undefined;
    const targets = leadsTo.get(key) as string[];
    endedAt = targets.length === 0 ? at : -1;
    for (const each of targets) waits.set(each, (waits.get(each) as number) - 1);
    const text = fork(at, targets, rails);
    if (text !== undefined) lines.push({ text });
    if (rails.length > most) return undefined;
    while (rails.length > 0 && rails.at(-1) === undefined) rails.pop();
  }
  return {
    lines,
    back: edges.filter(
      (edge) => edge.from !== edge.to && layers.has(edge.from) && layers.has(edge.to) && !leadsDown(edge),
    ),
  };
}

/** What each key depends on, without what follows from the others. */
function reduced(
  keys: readonly string[],
  edges: readonly LayerEdge[],
  layers: ReadonlyMap<string, number>,
): Map<string, string[]> {
  const number = new Map(keys.map((key, index) => [key, index]));
  const { above } = neighbours(keys, edges);
  const words = Math.ceil(keys.length / 32);
  /** Of each key what is before it, as bits. */
  const before = new Map<string, Uint32Array>();
  const byLayer = keys.toSorted((one, other) => (layers.get(one) as number) - (layers.get(other) as number));
  const kept = new Map<string, string[]>();
  for (const key of byLayer) {
    const bits = new Uint32Array(words);
    const direct: string[] = [];
    // The nearest first: what is before those follows from them.
    const nearest = [...new Set(above.get(key))].sort(
      (one, other) => (layers.get(other) as number) - (layers.get(one) as number),
    );
    for (const each of nearest) {
      const place = number.get(each) as number;
      if (((bits[place >> 5] as number) & (1 << (place & 31))) !== 0) continue;
      direct.push(each);
      const theirs = before.get(each) as Uint32Array;
      for (let word = 0; word < words; word += 1) bits[word] = (bits[word] as number) | (theirs[word] as number);
      bits[place >> 5] = (bits[place >> 5] as number) | (1 << (place & 31));
    }
    before.set(key, bits);
    kept.set(key, direct);
  }
  return kept;
}

/** The first gap from a rail on, or a new rail. */
function gapFrom(start: number, rails: readonly (string | undefined)[]): number {
  for (let at = start; at < rails.length; at += 1) if (rails[at] === undefined) return at;
  return rails.length;
}

/** Signs by what leaves them: up, down, left and right. */
const SIGNS = new Map([
  ['udlr', '┼'],
  ['udr', '├'],
  ['udl', '┤'],
  ['ulr', '┴'],
  ['ur', '╰'],
  ['ul', '╯'],
  ['dlr', '┬'],
  ['dr', '╭'],
  ['dl', '╮'],
]);

/** Leads a rail to its targets, and gives those a rail that have none; the line that shows it, where it is not straight on. */
function fork(at: number, targets: readonly string[], rails: (string | undefined)[]): string | undefined {
  const joined = new Set(targets.flatMap((key) => (rails.includes(key) ? [rails.indexOf(key)] : [])));
  const begun = new Set<number>();
  for (const [index, key] of targets.filter((each) => !rails.includes(each)).entries()) {
    const place = index === 0 ? at : gapFrom(at + 1, rails);
    rails[place] = key;
    if (index > 0) begun.add(place);
  }
  if (joined.size + begun.size === 0) return undefined;
  const ends = [at, ...joined, ...begun];
  const [first, last] = [smallest(ends), greatest(ends)];
  const signAt = (place: number): string => {
    const [isUp, isDown] = [!begun.has(place), place !== at || rails[at] !== undefined];
    const [isLeft, isRight] = [place > first, place < last];
    return SIGNS.get(`${isUp ? 'u' : ''}${isDown ? 'd' : ''}${isLeft ? 'l' : ''}${isRight ? 'r' : ''}`) as string;
  };
  const cells = Array.from({ length: rails.length }, (_, place) => {
    const isOn = place >= first && place <= last;
    const sign = ends.includes(place) ? signAt(place) : rails[place] !== undefined ? '│' : isOn ? '─' : ' ';
    return sign + (isOn && place < last ? '─' : ' ');
  });
  return cells.join('').trimEnd();
}

const drawn = (rails: readonly (string | undefined)[], signOf: (index: number) => string): string =>
  Array.from(rails, (key, index) => (key === undefined ? ' ' : signOf(index)))
    .join(' ')
    .trimEnd();
