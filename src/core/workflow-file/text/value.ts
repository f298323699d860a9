/**
 * A value of a workflow file: JSON's kinds, with whole numbers distinguished from others.
 *
 * JavaScript has one kind of number, the file has two: `3.0` is not a priority, and `[1.0, 2.0]` as parameters print
 * with the digits of `{x:.2f}`, while `[1, 2]` do not. A number whose text contains more than its value is stored as an
 * `ExactNumber`; all others stay plain.
 */
export type Value =
  | null
  | boolean
  | number
  | string
  | ExactNumber
  | readonly Value[]
  | { readonly [key: string]: Value };

/** A number that JavaScript cannot distinguish from another: `1.0`, `3.10`, or a whole number beyond 2^53. */
export class ExactNumber {
  readonly value: number;
  /** As JSON has it: `1.0`, `3.1`. */
  readonly text: string;
  readonly isFloat: boolean;
  /** As the file has it. */
  readonly written: string;

  constructor(value: number, text: string, isFloat: boolean, written = text) {
    this.value = value;
    this.text = text;
    this.isFloat = isFloat;
    this.written = written;
  }
}

export type ValueMap = { readonly [key: string]: Value };

export const isMap = (value: Value | undefined): value is ValueMap =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber);

export const isList = (value: Value | undefined): value is readonly Value[] => Array.isArray(value);

export type ValueKind = 'null' | 'boolean' | 'integer' | 'float' | 'string' | 'list' | 'map';

export function valueKindOf(value: Value): ValueKind {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'list';
  if (value instanceof ExactNumber) return value.isFloat ? 'float' : 'integer';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'float';
  if (typeof value === 'object') return 'map';
  return typeof value === 'string' ? 'string' : 'boolean';
}

/** The number of a literal; undefined for NaN and the infinities, which JSON does not have. */
export function numberOf(literal: string, value: number, isFloat: boolean): Value {
  if (!Number.isFinite(value)) return null;
  if (isFloat) {
    const text = Number.isInteger(value) ? `${plainDigits(value)}.0` : JSON.stringify(value);
    return text === literal && !Number.isInteger(value) ? value : new ExactNumber(value, text, true, literal);
  }
  if (Number.isSafeInteger(value)) return value;
  return new ExactNumber(value, literal, false);
}

const plainDigits = (value: number): string => (Math.abs(value) < 1e21 ? String(value) : BigInt(value).toString());

/** Torc's notation for a value that does not fit: ``integer `123` ``, `string "x"`, `map`. */
export function describe(value: Value): string {
  switch (valueKindOf(value)) {
    case 'null':
      return 'null';
    case 'boolean':
      return `boolean \`${compactJson(value)}\``;
    case 'integer':
      return `integer \`${compactJson(value)}\``;
    case 'float':
      return `floating point \`${compactJson(value)}\``;
    case 'string':
      return `string ${compactJson(value)}`;
    case 'list':
      return 'sequence';
    case 'map':
      return 'map';
  }
}

/** The value as compact JSON, each number as in its text. */
export function compactJson(value: Value): string {
  if (value instanceof ExactNumber) return value.text;
  if (isList(value)) return `[${value.map(compactJson).join(',')}]`;
  if (!isMap(value)) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([key, item]) => `${JSON.stringify(key)}:${compactJson(item)}`)
    .join(',')}}`;
}

/** A value that JSON can represent. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** The value as plain JSON: each number as JavaScript can represent it. */
export function plainJson(value: Value): Json {
  if (value instanceof ExactNumber) return value.value;
  if (isList(value)) return value.map(plainJson);
  if (!isMap(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plainJson(item)]));
}

/** Whether plain JSON would contain another number than the file: one beyond 2^53. */
export const isInexact = (value: Value): boolean => value instanceof ExactNumber && !value.isFloat;
