import { Refusal } from '../../core/contract/refusals.ts';
import { type Cwl, type CwlMap, isCwlList, Later, Unsupported } from './value.ts';

/** The most runs of tools and workflows that become jobs. Nested workflows and crossproducts multiply them. */
export const MOST_RUNS = 100_000;

export const tooManyRuns = (what: string): Refusal =>
  new Refusal('EXPANSION_TOO_LARGE', `${what} makes more than ${MOST_RUNS} runs, the most that are converted`);

/** A value for each combination of scattered inputs, in the shape of the outputs. */
export type Shaped<T> = T | readonly Shaped<T>[];

/**
 * The inputs of each run of a step that is scattered: `dotproduct` takes the items side by side, the others every combination.
 *
 * Throws: `Unsupported` where the number of items is known only in a run, `EXPANSION_TOO_LARGE` for too many combinations.
 */
export function scattered(inputs: CwlMap, over: readonly string[], method: Cwl | undefined): Shaped<CwlMap> {
  const lists = over.map((name): readonly Cwl[] => {
    const value = inputs[name];
    if (value instanceof Later) throw new Unsupported(`scatter over ${name}: ${value.why}`);
    if (!isCwlList(value)) throw new Unsupported(`scatter over ${name}, which is no list`);
    return value;
  });
  const [first = []] = lists;
  if (over.length === 1 || method === undefined || method === 'dotproduct') {
    if (lists.some(({ length }) => length !== first.length))
      throw new Unsupported(`a dotproduct over lists of different lengths: ${over.join(', ')}`);
    return first.map((_, index) => ({
      ...inputs,
      ...Object.fromEntries(over.map((name, at) => [name, lists[at]?.[index] ?? null])),
    }));
  }
  if (lists.reduce((product, { length }) => product * length, 1) > MOST_RUNS)
    throw tooManyRuns(`a scatter over ${over.join(', ')}`);
  const [name = '', ...rest] = over;
  const nested = first.map((item) => scattered({ ...inputs, [name]: item }, rest, 'nested_crossproduct'));
  return method === 'flat_crossproduct' ? nested.flatMap((each) => flat(each)) : nested;
}

const flat = (shaped: Shaped<CwlMap>): readonly CwlMap[] =>
  Array.isArray(shaped) ? (shaped as readonly Shaped<CwlMap>[]).flatMap(flat) : [shaped as CwlMap];

/** The outputs of all runs, each output in the shape of the runs. */
export function gathered(shaped: Shaped<CwlMap>, names: readonly string[]): CwlMap {
  const pick = (of: Shaped<CwlMap>, name: string): Cwl =>
    Array.isArray(of)
      ? (of as readonly Shaped<CwlMap>[]).map((each) => pick(each, name))
      : ((of as CwlMap)[name] ?? null);
  return Object.fromEntries(names.map((name) => [name, pick(shaped, name)]));
}
