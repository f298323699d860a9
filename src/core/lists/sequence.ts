/** Values that are generated on demand: a sweep of a million jobs is its count and a function for number i. */
export interface Sequence<T> {
  readonly length: number;
  /** The value at `index`, from 0. Throws a `RangeError` outside. */
  at(index: number): T;
}

export const sequence = <T>(length: number, make: (index: number) => T): Sequence<T> => ({
  length,
  at(index) {
    if (index < 0 || index >= length) throw new RangeError(`no value ${index} among ${length}`);
    return make(index);
  },
});

/** All values of a sequence, one after another. */
export function* each<T>(values: Sequence<T>): Generator<T> {
  for (let index = 0; index < values.length; index += 1) yield values.at(index);
}
