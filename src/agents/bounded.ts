/**
 * Most characters of a reply. Clients refuse or truncate replies of more than 25,000 tokens; JSON with many digits has about
 * 2.5 characters in a token.
 */
export const MOST_CHARACTERS = 60_000;

/** What was left out of a reply: where, how much of how many, and how to get it. */
interface Cut {
  readonly at: string;
  readonly shown: number;
  readonly of: number;
}

type Json = unknown;

/**
 * The JSON text of a value, at most `atMost` characters long. The largest list or text in it is halved until it fits, the
 * beginning stays, and `cut` says of each what is missing. `more` says how to ask for it.
 */
export function boundedJson(value: Json, more: string, atMost = MOST_CHARACTERS): string {
  const whole = JSON.stringify(value);
  if (whole.length <= atMost) return whole;
  const found: { value: Json } = { value: JSON.parse(whole) as Json };
  const cuts = new Map<string, Cut>();
  for (;;) {
    const text = JSON.stringify(withCut(found.value, { cut: [...cuts.values()], more }));
    if (text.length <= atMost) return text;
    const largest = largestIn(found, 'value', '');
    if (largest === undefined) return JSON.stringify({ cut: [{ at: '', shown: 0, of: whole.length }], more });
    const { parent, key, at } = largest;
    const part = parent[key] as string | Json[];
    const shown = Math.floor(part.length / 2);
    cuts.set(at, { at, shown, of: cuts.get(at)?.of ?? part.length });
    parent[key] = part.slice(0, shown);
  }
}

const withCut = (value: Json, about: object): Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? { ...value, ...about }
    : { items: value, ...about };

interface Place {
  readonly parent: Record<string, Json>;
  readonly key: string;
  readonly at: string;
  readonly size: number;
}

/** A list or a text is worth halving from here on; names and sentences stay whole. */
const LEAST = { list: 2, text: 400 };

/** The place of the largest list or text: within the largest part of an object, and not deeper than the first list. */
function largestIn(parent: object, key: string, at: string): Place | undefined {
  const holder = parent as Record<string, Json>;
  const value = holder[key];
  const own = { parent: holder, key, at, size: JSON.stringify(value)?.length ?? 0 };
  if (typeof value === 'string') return value.length >= LEAST.text ? own : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  if (Array.isArray(value) && value.length >= LEAST.list) return own;
  const places = Object.keys(value).flatMap((name) => {
    const place = largestIn(value, name, at === '' ? name : `${at}.${name}`);
    return place === undefined ? [] : [place];
  });
  return places.toSorted((one, other) => other.size - one.size)[0];
}
