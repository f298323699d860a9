import type * as z from 'zod';
import type { Uint } from '../core/contract/sonar/kinds.ts';
import { formatTimestamp } from '../core/contract/sonar/timestamp.ts';

const times = ['time', 'first', 'last', 'from', 'until', 'sampled', 'newest'] as const;
type Time = (typeof times)[number];

/**
 * An answer before `asPlainData` made it data of this schema: names in camel case, times as Unix seconds, and the members named by
 * `Exact` as integers of 64 bits.
 */
export type AnswerOf<Schema extends z.ZodType, Exact extends string = never> = AnswerFields<z.output<Schema>, Exact>;

export type AnswerFields<Data, Exact extends string = never> = {
  readonly [Name in keyof Data as CamelCase<Name>]: Known<Data[Name], CamelCase<Name>, Exact>;
};
type Known<Value, Name, Exact> = null extends Value
  ? Known<NonNullable<Value>, Name, Exact> | undefined
  : Name extends Time
    ? number
    : Name extends Exact
      ? Uint
      : Value extends readonly (infer Item)[]
        ? readonly Item[]
        : Value;
type CamelCase<Name> = Name extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<CamelCase<Tail>>}` : Name;

/**
 * An answer as data for programs: names in lower case with underscores, times as timestamps in UTC, numbers with at most
 * three decimals. The command line and the routes give the same.
 */
export function asPlainData(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(asPlainData);
  if (typeof value === 'bigint') return exactNumber(value);
  if (typeof value === 'number') return Number.isInteger(value) ? value : Math.round(value * 1000) / 1000;
  if (typeof value !== 'object' || value === null) return value ?? null;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      TIMES.has(name) && typeof each === 'number' ? formatTimestamp(each) : asPlainData(each),
    ]),
  );
}

const TIMES: ReadonlySet<string> = new Set(times);

/** A number of JSON with all its digits. */
const exactNumber = (value: bigint): unknown =>
  (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(String(value));
