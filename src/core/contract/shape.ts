import * as z from 'zod';
import { faultOfText } from '../text/text-fault.ts';

/**
 * The basic types of the API.
 *
 * In requests an absent field and `null` mean the same, and unknown fields are ignored; in replies a field that is not
 * set is left out. Ids are whole numbers, counted over the whole server and not per workflow.
 */

/**
 * Most fields are one of these. There is one schema of each, and of each with `maybe`: a server makes all of its schemas when it
 * starts, and two thousand take 30 ms.
 */
export const integer = z.int();
export const number = z.number();
export const flag = z.boolean();

export const id = z.int();

/**
 * Text that can be stored and passed on unchanged. It contains no NUL, at which the kernel would cut a command, a path
 * or a name, and no half of a surrogate pair, which is not a character and would be returned as another one.
 */
export const text = z.string().refine((value) => faultOfText(value) === undefined, {
  error: ({ input }) => faultOfText(String(input)),
});

const nullish = new WeakMap<z.ZodType, z.ZodType>();

/** A field that may be absent or null. */
export function maybe<T extends z.ZodType>(shape: T): z.ZodOptional<z.ZodNullable<T>> {
  const made = nullish.get(shape) ?? shape.nullish();
  nullish.set(shape, made);
  return made as z.ZodOptional<z.ZodNullable<T>>;
}

type StoredShape<Shape> = Omit<Shape, 'id'> & { readonly id: typeof id };

/**
 * A record as the service replies with it: it has an id. `shape` is the record of a request, in which an id is ignored.
 *
 * Both are one schema, under one name of the OpenAPI document, as in Torc 1.0.0: generated clients name their classes
 * after it. Replies are not parsed, so only the type differs.
 */
export const stored = <Shape extends z.core.$ZodShape>(shape: z.ZodObject<Shape>): z.ZodObject<StoredShape<Shape>> =>
  shape as unknown as z.ZodObject<StoredShape<Shape>>;

/** Environment variables; the names follow POSIX. */
export const environment = z.record(text, text);

/** Whole numbers by name, such as what a job holds of named limits. */
export const amounts = z.record(text, integer);

type Json = z.core.util.JSONType;

/**
 * The maximum nesting of arrays and objects. The parser of Torc 1.0.0 stops at this depth; SQLite, which reads events
 * and runners, at 1,000, and the code that builds the reply at about 5,000, where the stack overflows.
 */
const DEEPEST = 128;

/** Any JSON value; `null` counts as absent. */
export const json = z.unknown().superRefine((value, { addIssue }) => {
  const fault = faultOfJson(value);
  if (fault !== undefined) addIssue({ code: 'custom', message: fault });
}) as unknown as z.ZodType<Json, Json>;

/** Checks a value level by level: recursion into a deep value would end the process instead of the request. */
function faultOfJson(value: unknown): string | undefined {
  if (value === undefined) return 'Invalid input: expected any JSON value, received nothing';
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    const next: unknown[] = [];
    for (const each of level) {
      // 1e999 is valid JSON, but not a number that could be returned.
      if (typeof each === 'number' && !Number.isFinite(each)) return 'Invalid input: a number beyond 1.8e308';
      if (typeof each === 'string' && !each.isWellFormed()) return 'Invalid input: text with half of a surrogate pair';
      if (typeof each !== 'object' || each === null) continue;
      if (depth === DEEPEST)
        return `Invalid input: more than ${DEEPEST} levels of arrays and objects within each other`;
      for (const [key, part] of Object.entries(each)) {
        if (!key.isWellFormed()) return 'Invalid input: a key with half of a surrogate pair';
        next.push(part);
      }
    }
    level = next;
  }
  return undefined;
}

/** The reply of every list. `max_limit` is the maximum page size. */
export const page = <T extends z.ZodType>(item: T) =>
  z.object({
    items: z.array(item),
    offset: integer,
    max_limit: integer,
    count: integer,
    total_count: integer,
    has_more: flag,
  });

/** The maximum number of rows in a page, and the default page size. */
export const PAGE_LIMIT = 100_000;

/**
 * Numbers and flags arrive as text in a query and in a path: only digits, no other notation that JavaScript accepts for
 * a number.
 */
export const queryInteger = z
  .string()
  .regex(/^[+-]?\d+$/, 'Invalid input: expected a whole number')
  .transform(Number)
  .pipe(integer);
export const queryNumber = z
  .string()
  .regex(/^[+-]?\d+(\.\d+)?$/, 'Invalid input: expected a number')
  .transform(Number)
  .pipe(number);
/** A time with its zone, as it was sent: a client writes it into the address as it is. */
export const queryTime = z.iso.datetime({
  offset: true,
  error: 'Invalid input: expected a time such as 2026-11-22T17:00:00.250Z',
});
export const queryFlag = z.enum(['true', 'false']).transform((text) => text === 'true');

/** addition: rows behind or before the one with this id, so that a page of a list that grows does not move. */
export const cursor = { after_id: queryInteger.optional(), before_id: queryInteger.optional() };

/** The query parameters of lists, in addition to their filters. */
export const paging = {
  offset: queryInteger.optional(),
  limit: queryInteger.optional(),
  sort_by: text.optional(),
  reverse_sort: queryFlag.optional(),
};
