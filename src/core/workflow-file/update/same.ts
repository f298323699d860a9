/** JSON with the keys of objects in order and without null fields: equal values give equal text. */
export const canonical = (value: unknown): string =>
  JSON.stringify(value, (_key, each: unknown) => {
    if (typeof each !== 'object' || each === null || Array.isArray(each)) return each;
    const fields = Object.entries(each).filter(([, field]) => field !== undefined && field !== null);
    return Object.fromEntries(fields.sort(([left], [right]) => (left < right ? -1 : 1)));
  }) ?? 'null';

/** Most values are equal or plain, and 100,000 jobs have a dozen each: text is made of the others only. */
export const isSame = (left: unknown, right: unknown): boolean =>
  left === right ||
  (isObject(left) && isObject(right) && ((isEmpty(left) && isEmpty(right)) || canonical(left) === canonical(right)));

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

function isEmpty(value: object): boolean {
  for (const _ in value) return false;
  return true;
}

interface SetChange {
  readonly add: readonly number[];
  readonly remove: readonly number[];
}

const NONE: SetChange = { add: [], remove: [] };

/** What a set of ids gains and loses. */
export function setChange(
  before: readonly number[] | null | undefined,
  after: readonly number[] | null | undefined,
): SetChange {
  const [first, second] = [before ?? [], after ?? []];
  if (first.length === second.length && first.every((id, index) => id === second[index])) return NONE;
  const [had, has] = [new Set(first), new Set(second)];
  return { add: [...has].filter((id) => !had.has(id)), remove: [...had].filter((id) => !has.has(id)) };
}
