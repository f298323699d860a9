import type { Sequence } from '../../lists/sequence.ts';
import type { Axes } from './axes.ts';
import { templateOf, type Template } from './template.ts';

/** A record of the file with its combinations: the jobs `train_{i}` are one family. */
export interface SpecFamily<S> {
  readonly spec: S;
  /** Its number in the file. */
  readonly at: number;
  /** Absent if it has no parameters. */
  readonly axes: Axes | undefined;
  readonly count: number;
  /** Number of its first instance among all. */
  readonly first: number;
  readonly name: Template;
}

/** All instances of all families by number, in the order of the file. */
export class SpecFamilies<S> implements Sequence<{ family: SpecFamily<S>; combination: number }> {
  readonly length: number;
  readonly all: readonly SpecFamily<S>[];
  private readonly firsts: Int32Array;
  private readonly isPlain: boolean;

  constructor(
    specs: readonly S[],
    nameOf: (spec: S) => string,
    expansions: readonly { readonly axes: Axes | undefined; readonly count: number }[],
  ) {
    let first = 0;
    this.firsts = new Int32Array(specs.length);
    this.all = specs.map((spec, at) => {
      const { axes, count = 0 } = expansions[at] ?? { axes: undefined };
      const family = { spec, at, axes, count, first, name: templateOf(nameOf(spec), axes) };
      this.firsts[at] = first;
      first += count;
      return family;
    });
    this.length = first;
    this.isPlain = this.all.every(({ count }) => count === 1);
  }

  /** The family that instance `index` belongs to. */
  familyOf(index: number): SpecFamily<S> {
    const { all, firsts } = this;
    let low = 0;
    let high = all.length - 1;
    // Without parameters each family is one instance, and no search is needed.
    if (this.isPlain) low = index;
    else {
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if ((firsts[middle] ?? 0) <= index) low = middle;
        else high = middle - 1;
      }
    }
    const family = all[low];
    if (family === undefined) throw new RangeError(`no instance ${index} among ${this.length}`);
    return family;
  }

  at(index: number): { family: SpecFamily<S>; combination: number } {
    const family = this.familyOf(index);
    return { family, combination: index - family.first };
  }

  nameAt(index: number): string {
    const family = this.familyOf(index);
    return family.name.render(index - family.first);
  }
}
