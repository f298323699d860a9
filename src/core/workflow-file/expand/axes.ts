import type { Sequence } from '../../lists/sequence.ts';
import type { ParameterValue, Rewritten } from './parameter-value.ts';

/** One parameter with its values. In a table a row may lack the column: then its token stays unchanged. */
export interface Axis {
  readonly name: string;
  readonly values: Sequence<ParameterValue | undefined>;
  /** Its values are written as `{name:q}` writes them, also where the token has no format. */
  readonly isQuoted?: boolean;
  /** The first of its values that is printed otherwise than it was written. */
  readonly rewritten?: Rewritten | undefined;
  /** For a shifted parameter: whether a value is beyond the ends of the range. */
  readonly isOutside?: (index: number) => boolean;
  /** Axes of one bundle vary together, also in a product: only their combinations by position exist. */
  readonly bundle?: object | undefined;
}

/**
 * The numbered combinations of some parameters, which are never stored.
 *
 * In a product the first axis varies slowest, as in nested loops, so combination 0 has every first value; in a zip (and
 * in a table, whose columns are a zip) combination i has the i-th value of each.
 */
export interface Axes {
  readonly count: number;
  readonly axes: readonly PlacedAxis[];
}

/** An axis and how its position is computed from the number of a combination: `floor(number / stride) % length`. */
export interface PlacedAxis extends Axis {
  readonly stride: number;
}

export type ParameterMode = 'product' | 'zip';

/** The combinations in declared order. The lengths of a zip must have been checked. */
export function combine(axes: readonly Axis[], mode: ParameterMode): Axes {
  if (mode === 'zip') {
    return { count: axes[0]?.values.length ?? 1, axes: axes.map((axis) => ({ ...axis, stride: 1 })) };
  }
  const placed: PlacedAxis[] = [];
  const strides = new Map<object, number>();
  let stride = 1;
  for (const axis of axes.toReversed()) {
    const known = axis.bundle === undefined ? undefined : strides.get(axis.bundle);
    placed.unshift({ ...axis, stride: known ?? stride });
    if (known !== undefined) continue;
    if (axis.bundle !== undefined) strides.set(axis.bundle, stride);
    stride *= axis.values.length;
  }
  return { count: stride, axes: placed };
}

/** Which value of an axis belongs to a combination. */
export const indexIn = (axis: PlacedAxis, combination: number): number =>
  Math.floor(combination / axis.stride) % axis.values.length;

/** Two axes of a zip with different lengths; undefined if all are equal. */
export function unevenPair(axes: readonly Axis[]): readonly [Axis, Axis] | undefined {
  const [first] = axes;
  const other = axes.find((axis) => axis.values.length !== first?.values.length);
  return first === undefined || other === undefined ? undefined : [first, other];
}
