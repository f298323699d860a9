interface Named {
  readonly name?: string | null | undefined;
}

/**
 * For each of the wanted names the stored record that has it; the first of several.
 *
 * `order` are the numbers of the wanted names in the order in which a creation stores their records. A large workflow mostly has
 * the records of its file in that order, and comparing two names takes a tenth of the time of finding one among 100,000.
 */
export function pairedByName<Stored extends Named>(
  stored: readonly Stored[],
  wanted: {
    readonly length: number;
    readonly nameAt: (number: number) => string | undefined;
    readonly order?: Int32Array;
  },
): (Stored | undefined)[] {
  const found = Array.from<Stored | undefined>({ length: wanted.length });
  const left: number[] = [];
  let next = 0;
  for (let position = 0; position < wanted.length; position += 1) {
    const number = wanted.order === undefined ? position : (wanted.order[position] as number);
    if (next < stored.length && stored[next]?.name === wanted.nameAt(number)) {
      found[number] = stored[next];
      next += 1;
    } else left.push(number);
  }
  if (left.length === 0) return found;
  const others = new Map<string, Stored>();
  for (let index = stored.length - 1; index >= next; index -= 1) {
    const record = stored[index] as Stored;
    if (typeof record.name === 'string') others.set(record.name, record);
  }
  for (const number of left) {
    const name = wanted.nameAt(number);
    if (name !== undefined) found[number] = others.get(name);
  }
  return found;
}
