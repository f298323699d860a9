import { sequence } from '../../lists/sequence.ts';
import { indexIn, type Axes, type PlacedAxis } from './axes.ts';
import type { ParameterValue } from './parameter-value.ts';
import { templateOf, type Template } from './template.ts';

/**
 * `{i-1}` and `{i+1}`, for jobs that go on from one another: the value of a parameter that is a range of whole numbers, less or more.
 *
 * Only in texts that name records and paths of a job: in commands braces may be those of programs.
 */
export interface Shift {
  readonly token: string;
  readonly at: number;
  readonly axis: PlacedAxis;
  readonly by: number;
}

const SHIFTED = /\{([A-Za-z_][A-Za-z0-9_]*)([+-]\d{1,9})(?::[^{}]*)?\}/g;

/** The places of a text with such tokens of its parameters. */
export function shiftsOf(text: string, axes: Axes | undefined): Shift[] {
  if (axes === undefined || !text.includes('{')) return [];
  return [...text.matchAll(SHIFTED)].flatMap(({ 0: token, 1: name, 2: by, index }) => {
    const axis = axes.axes.find((each) => each.name === name);
    return axis === undefined ? [] : [{ token, at: index, axis, by: Number(by) }];
  });
}

/** Whether the values of a parameter are whole numbers at equal distances, as those of a range are. */
export function isWholeRange({ values }: PlacedAxis): boolean {
  const [first, second] = [values.at(0), values.length > 1 ? values.at(1) : 0];
  if (!isWhole(first) || !isWhole(second)) return false;
  const step = BigInt(second) - BigInt(first);
  for (let index = 1; index < values.length; index += 1) {
    const value = values.at(index);
    if (!isWhole(value) || BigInt(value) !== BigInt(first) + BigInt(index) * step) return false;
  }
  return true;
}

const isWhole = (value: ParameterValue | undefined): value is number | bigint =>
  typeof value === 'bigint' || (typeof value === 'number' && Number.isInteger(value));

/** The template of a text in which parameters may be shifted. */
export function shiftedTemplate(text: string, axes: Axes | undefined): Template {
  const shifts = shiftsOf(text, axes).filter(({ axis }) => isWholeRange(axis));
  if (axes === undefined || shifts.length === 0) return templateOf(text, axes);
  return templateOf(text, { ...axes, axes: [...axes.axes, ...shifts.map(shifted)] });
}

function shifted({ axis, by }: Shift): PlacedAxis {
  const { values } = axis;
  const ends = [values.at(0), values.at(values.length - 1)].map((end) => BigInt(end as number));
  const [low = 0n, high = 0n] = ends.toSorted((one, other) => (one < other ? -1 : 1));
  const at = (index: number): bigint => BigInt(values.at(index) as number) + BigInt(by);
  return {
    ...axis,
    name: `${axis.name}${by < 0 ? '' : '+'}${by}`,
    values: sequence(values.length, at),
    isOutside: (index) => at(index) < low || at(index) > high,
  };
}

/** Whether a shifted parameter of a text is beyond the ends of its range: what the text names is left out. */
export const isOutside = ({ axes }: Template, combination: number): boolean =>
  axes.some((axis) => axis.isOutside?.(indexIn(axis, combination)) === true);
