import type { Axis } from './axes.ts';
import { printerOf, type Rewritten } from './parameter-value.ts';
import { slotsOf } from './template.ts';

/**
 * What to write so that a value of a parameter keeps its text; undefined if all tokens in the texts have a format.
 *
 * Torc reads `007` as the number 7 and `1.0` as 1: a name of digits, or a path with such a number, becomes another one.
 */
export function rewrittenAdvice(axis: Axis, texts: readonly string[], isInTable: boolean): string | undefined {
  const { name, rewritten } = axis;
  if (rewritten === undefined) return undefined;
  const number = printerOf(undefined)(rewritten.value);
  const slots = texts.flatMap((each) => slotsOf(each, [{ ...axis, stride: 1 }]));
  // A format that changes it was meant.
  if (slots.every(({ format }) => printerOf(format)(rewritten.value) !== number)) return undefined;
  const { text } = rewritten;
  const quotes = isInTable ? `"${text}" in the table` : `"['${text}']" in a list`;
  const format = formatFor(rewritten);
  const keeps = format === undefined ? `write ${quotes}` : `write {${name}:${format}}, or ${quotes}`;
  return `${text} is read as a number and written as ${number}; to keep it, ${keeps}`;
}

/** A format that prints a value as it was written. */
const formatFor = ({ text, value }: Rewritten): string | undefined =>
  [`0${text.length}d`, `.${/\.(\d+)$/.exec(text)?.[1]?.length ?? 0}f`].find(
    (format) => printerOf(format)(value) === text,
  );
