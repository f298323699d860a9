/** JSON with the keys of objects in order and without null fields: equal values give equal text. */
export const canonical = (value: unknown): string =>
  JSON.stringify(value, (_key, each: unknown) => {
    if (typeof each !== 'object' || each === null || Array.isArray(each)) return each;
    const fields = Object.entries(each).filter(([, field]) => field !== undefined && field !== null);
    return Object.fromEntries(fields.sort(([left], [right]) => (left < right ? -1 : 1)));
  }) ?? 'null';

export const isSame = (left: unknown, right: unknown): boolean =>
  left === right || canonical(left) === canonical(right);

/** What a set of ids gains and loses. */
export function setChange(
  before: readonly number[] | null | undefined,
  after: readonly number[] | null | undefined,
): { add: number[]; remove: number[] } {
  const [had, has] = [new Set(before ?? []), new Set(after ?? [])];
  return { add: [...has].filter((id) => !had.has(id)), remove: [...had].filter((id) => !has.has(id)) };
}
