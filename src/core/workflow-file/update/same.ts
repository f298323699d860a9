/** JSON with the keys of objects in order and without null fields: equal values give equal text. */
export const canonical = (value: unknown): string =>
  JSON.stringify(value, (_key, each: unknown) => {
    if (typeof each !== 'object' || each === null || Array.isArray(each)) return each;
    const fields = Object.entries(each).filter(([, field]) => field !== undefined && field !== null);
    return Object.fromEntries(fields.sort(([left], [right]) => (left < right ? -1 : 1)));
  }) ?? 'null';

/** Whether two values give the same canonical text, without the text: 100,000 jobs have a dozen values each. */
export function isSame(left: unknown, right: unknown): boolean {
  const [first, second] = [left ?? null, right ?? null];
  if (first === second) return true;
  if (typeof first !== 'object' || typeof second !== 'object' || first === null || second === null) return false;
  if (Array.isArray(first) || Array.isArray(second))
    return (
      Array.isArray(first) &&
      Array.isArray(second) &&
      first.length === second.length &&
      first.every((each, index) => isSame(each, second[index]))
    );
  return isWithin(first, second) && isWithin(second, first);
}

/** Whether another object has each field of an object, with the same value. */
function isWithin(object: object, other: object): boolean {
  for (const [name, value] of Object.entries(object) as [string, unknown][])
    if (!isSame(value, Object.hasOwn(other, name) ? other[name as never] : null)) return false;
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
