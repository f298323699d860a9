import { each } from '../../core/lists/sequence.ts';
import { parameterValues } from '../../core/workflow-file/expand/parameter-values.ts';
import { printerOf, valueOf } from '../../core/workflow-file/expand/parameter-value.ts';
import type { Row } from './align.ts';

/** The parameters of a family as a workflow file has them. */
export interface ParameterColumns {
  /** The text of each parameter, in the order in which they vary: the first one slowest. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly isZip: boolean;
}

/** Every combination of the values if the rows are these in that order, otherwise the values of each row side by side. */
export function parameterColumns(rows: readonly Row[], names: readonly string[]): ParameterColumns {
  const columns = names.map((name) => ({ name, values: rows.map((row) => row.get(name) ?? '') }));
  const slowestFirst = columns.toSorted((one, other) => changesOf(one.values) - changesOf(other.values));
  const distinct = slowestFirst.map(({ name, values }) => ({ name, values: [...new Set(values)] }));
  const isProduct = distinct.reduce((count, { values }) => count * values.length, 1) === rows.length;
  let stride = rows.length;
  const inOrder = distinct.every(({ values }, at) => {
    stride /= values.length;
    return slowestFirst[at]?.values.every((value, row) => value === values[Math.floor(row / stride) % values.length]);
  });
  const written = isProduct && inOrder ? distinct : columns;
  return {
    parameters: Object.fromEntries(written.map(({ name, values }) => [name, valuesText(values)])),
    isZip: written === columns && columns.length > 1,
  };
}

const changesOf = (values: readonly string[]): number =>
  values.filter((value, at) => at > 0 && value !== values[at - 1]).length;

/** `1:10` for whole numbers at equal distances, otherwise `[a, b, '007']`: a text that looks like another number stands in quotes. */
function valuesText(values: readonly string[]): string {
  const [first = '', second = ''] = values;
  const step = Number(second) - Number(first);
  const isRange =
    values.length > 2 &&
    step > 0 &&
    values.every((each, at) => isWhole(each) && Number(each) === Number(first) + at * step);
  if (isRange) return `${first}:${values.at(-1) ?? ''}${step === 1 ? '' : `:${step}`}`;
  return `[${values.map(itemText).join(', ')}]`;
}

const isWhole = (text: string): boolean => /^(?:0|[1-9]\d{0,14})$/.test(text);

const PLAIN = /^[\w.+/@%=-]+$/;

const itemText = (value: string): string =>
  PLAIN.test(value) && printerOf(undefined)(valueOf(value)) === value ? value : `'${value}'`;

const known = { readFile: () => '', limit: 10 };

/** Whether a list can have this value: none with a comma, or with quotes around it. */
export function canBeListed(value: string): boolean {
  const values = parameterValues(`[${itemText(value)}, ${itemText(value)}]`, known);
  return values.length === 2 && [...each(values)].every((read) => printerOf(undefined)(read) === value);
}
