import { Refusal } from '../../contract/refusals.ts';
import { sequence, type Sequence } from '../../lists/sequence.ts';
import { compactJson, ExactNumber, isList, type Value } from '../text/value.ts';
import { decimalRange } from './decimal-range.ts';
import { floatOf, readValue, wholeOf, type ParameterValue, type Rewritten } from './parameter-value.ts';

export interface ValueOptions {
  /** Reads a file that a value names by `@`; throws if it cannot. */
  readonly readFile: (path: string) => string;
  /** The maximum number of values of one parameter. */
  readonly limit: number;
  /** Called with each text that becomes a number which is printed otherwise. */
  readonly onRewritten?: ((found: Rewritten) => void) | undefined;
}

/**
 * The values that the text of a parameter represents.
 *
 * Shape, tried in this order: `@file` with a value a line, `[a, b]`, a range `from:to[:step]` with both ends, one
 * value. A pair of braces around it without a comma within is dropped. Ranges of whole numbers use no memory.
 * Throws: `PARAMETER_MALFORMED`; `EXPANSION_TOO_LARGE` for a range of more than `limit` other numbers.
 */
export function parameterValues(text: string, options: ValueOptions): Sequence<ParameterValue> {
  let bare = text.trim();
  if (bare.startsWith('@')) return given(fileValues(bare.slice(1).trim(), options));
  if (bare.startsWith('{') && bare.endsWith('}') && !bare.includes(',')) bare = bare.slice(1, -1).trim();
  if (bare.startsWith('[') && bare.endsWith(']')) return given(listValues(bare, options));
  if (bare.includes(':')) return rangeValues(bare, options);
  return given([readValue(bare, options.onRewritten)]);
}

/** The values of a parameter in a file: a text, or any other value as its JSON text. */
export function nativeValues(value: Value, { onRewritten, ...options }: ValueOptions): Sequence<ParameterValue> {
  if (typeof value === 'string') return parameterValues(value, { ...options, onRewritten });
  for (const item of onRewritten === undefined ? [] : isList(value) ? value : [value])
    if (item instanceof ExactNumber) readValue(item.written, onRewritten);
  return parameterValues(compactJson(value), options);
}

/** The values of a parameter, and the first of its texts that is printed otherwise than it was written. */
export function readValues(
  value: Value,
  options: Omit<ValueOptions, 'onRewritten'>,
): { readonly values: Sequence<ParameterValue>; readonly rewritten: Rewritten | undefined } {
  let rewritten: Rewritten | undefined;
  const values = nativeValues(value, { ...options, onRewritten: (found) => (rewritten ??= found) });
  return { values, rewritten };
}

const given = (values: readonly ParameterValue[]): Sequence<ParameterValue> =>
  sequence(values.length, (index) => values[index] ?? '');

function fileValues(path: string, { readFile, onRewritten }: ValueOptions): ParameterValue[] {
  if (path === '') throw malformed("Empty file path after '@' in parameter value");
  let text: string;
  try {
    text = readFile(path);
  } catch (cause) {
    throw malformed(
      `Failed to read parameter file '${path}': ${cause instanceof Error ? cause.message : String(cause)}`,
      cause,
    );
  }
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => readValue(line, onRewritten));
}

/**
 * The items of a list in brackets. A comma separates items everywhere, also within quotes and inner brackets, as in
 * Torc.
 *
 * A quote is therefore removed from each end separately: `['a,b']` has the items `'a` and `b'`, which become `a` and
 * `b`. An item with a quote at either end is text, never a number.
 */
function listValues(text: string, { onRewritten }: ValueOptions): ParameterValue[] {
  const inner = text.replace(/^\[+/, '').replace(/\]+$/, '');
  if (inner.trim() === '') return [];
  return inner.split(',').map((item) => {
    const bare = item.trim();
    const unquoted = withoutQuotes(bare);
    return unquoted === bare ? readValue(bare, onRewritten) : unquoted;
  });
}

/** Single quotes are removed first: the native list `["'q'"]` is `'q'`, with its single quotes. */
const withoutQuotes = (text: string): string => text.replace(/^'+|'+$/g, '').replace(/^"+|"+$/g, '');

function rangeValues(text: string, { limit, onRewritten }: ValueOptions): Sequence<ParameterValue> {
  const parts = text.split(':').map((part) => part.trim());
  if (parts.length > 3) {
    throw malformed(`Invalid range format: '${text}'. Expected 'start:end' or 'start:end:step'`);
  }
  const [from = '', to = '', by = ''] = parts;
  const [first, last] = [wholeOf(from), wholeOf(to)];
  const isWhole = by === '' || wholeOf(by) !== undefined || floatOf(by) === undefined;
  if (first !== undefined && last !== undefined && isWhole) {
    for (const end of [from, to]) readValue(end, onRewritten);
    return wholeRange(BigInt(first), BigInt(last), by);
  }
  const [start, end] = [floatOf(from), floatOf(to)];
  if (start === undefined || end === undefined) {
    throw noRange(text, 'Could not parse as integer or float range');
  }
  const step = by === '' ? 1 : floatOf(by);
  if (step === undefined) throw malformed(`Invalid float step in range: '${by}'`);
  if (step === 0) throw malformed('Step cannot be zero');
  if ([start, end, step].some(Number.isNaN)) throw noRange(text, 'NaN is no number');
  if (by !== '' && (end - start) * step < 0) throw leadsAway(text, by);
  const range = decimalRange(from, to, by === '' ? '1' : by);
  if (range === undefined) return given(floatRange(start, end, step, limit, text));
  if (range.length > limit) throw tooLong(text, limit);
  return given(Array.from({ length: range.length }, (_, index) => ({ float: range.at(index) })));
}

function wholeRange(first: bigint, last: bigint, by: string): Sequence<ParameterValue> {
  const step = by === '' ? 1n : BigInt(wholeOf(by) ?? malformedStep(by));
  if (step === 0n) throw malformed('Step cannot be zero');
  if (by !== '' && (last - first) * step < 0n) throw leadsAway(`${first}:${last}:${by}`, by);
  const reach = (last - first) / step;
  const length = (last - first) * step < 0n ? 0 : Number(reach) + 1;
  const isSafe = [first, last, first + reach * step].every((end) => Number.isSafeInteger(Number(end)));
  if (!isSafe) return sequence(length, (index) => first + BigInt(index) * step);
  const [from, stride] = [Number(first), Number(step)];
  return sequence(length, (index) => from + index * stride);
}

// The tolerance in Torc for the sum of steps at the end of a range.
const TOLERANCE = 1e-10;

/** Ranges with an end that is no decimal number: infinite ones are refused. */
function floatRange(start: number, end: number, step: number, limit: number, text: string): ParameterValue[] {
  const values: ParameterValue[] = [];
  for (let value = start; step > 0 ? value <= end + TOLERANCE : value >= end - TOLERANCE; value += step) {
    if (values.length >= limit) throw tooLong(text, limit);
    values.push({ float: value });
  }
  return values;
}

/** Without a step, a range from a larger number to a smaller one has no values, as in Torc. */
const leadsAway = (text: string, by: string): Refusal => noRange(text, `A step of ${by} leads away from the end`);

/** A text with a colon that cannot be read as a range: it may not have been meant as one. */
const noRange = (text: string, why: string): Refusal =>
  new Refusal('PARAMETER_MALFORMED', `Invalid range values: '${text}'. ${why}`, { text, isNoRange: true });

const tooLong = (text: string, limit: number): Refusal =>
  new Refusal('EXPANSION_TOO_LARGE', `Range '${text}' has more than ${limit} values`, { text, limit });

function malformedStep(by: string): never {
  throw malformed(`Invalid integer step in range: '${by}'`);
}

const malformed = (message: string, cause?: unknown): Refusal =>
  new Refusal('PARAMETER_MALFORMED', message, {}, cause === undefined ? {} : { cause });
