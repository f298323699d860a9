import * as z from 'zod';

/**
 * The words from which the wire's shapes are made.
 *
 * On input an absent field and `null` mean the same and unknown fields are ignored; on output a field that is not set
 * is left out. Ids are whole numbers, counted over the whole server and not per workflow.
 */

export const id = z.int();

/**
 * Text that can be kept and handed on as it is: without a NUL, at which the kernel would cut a command, a path or a name
 * short, and without half of a surrogate pair, which is no character and would come back as another.
 */
export const text = z.string().refine((value) => faultOfText(value) === undefined, {
  error: ({ input }) => faultOfText(String(input)),
});

function faultOfText(value: string): string | undefined {
  if (value.includes('\0')) return 'Invalid text: it contains a NUL character';
  return value.isWellFormed() ? undefined : 'Invalid text: it contains half of a surrogate pair';
}

/** A field that may be absent or null. */
export const maybe = <T extends z.ZodType>(shape: T): z.ZodOptional<z.ZodNullable<T>> => shape.nullish();

/** Names of environment variables, as POSIX has them. */
export const environment = z.record(text, text);

type Json = z.core.util.JSONType;

/**
 * Levels of arrays and objects within each other. The original's parser stops at so many; SQLite's, which looks into
 * events and runners, at 1,000, and what builds the answer at some 5,000, where the process has no stack left.
 */
const DEEPEST = 128;

/** Any JSON value; `null` counts as absent. */
export const json = z.unknown().superRefine((value, { addIssue }) => {
  const fault = faultOfJson(value);
  if (fault !== undefined) addIssue({ code: 'custom', message: fault });
}) as unknown as z.ZodType<Json, Json>;

/** Looks through a value level by level: by calls within calls, a deep one would end the process instead of the request. */
function faultOfJson(value: unknown): string | undefined {
  if (value === undefined) return 'Invalid input: expected any JSON value, received nothing';
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    const next: unknown[] = [];
    for (const each of level) {
      // 1e999 is JSON, and no number that could be given back.
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

/** What every list answers. `max_limit` is the largest page that may be asked for. */
export const page = <T extends z.ZodType>(item: T) =>
  z.object({
    items: z.array(item),
    offset: z.int(),
    max_limit: z.int(),
    count: z.int(),
    total_count: z.int(),
    has_more: z.boolean(),
  });

/** Most rows that one page holds, and the size of a page when none is asked for. */
export const PAGE_LIMIT = 100_000;

/** Numbers and flags arrive as text in a query and in a path: digits, nothing that JavaScript takes for a number besides. */
export const queryInteger = z
  .string()
  .regex(/^[+-]?\d+$/, 'Invalid input: expected a whole number')
  .transform(Number)
  .pipe(z.int());
export const queryFlag = z.enum(['true', 'false']).transform((text) => text === 'true');

/** What lists take besides their filters. */
export const paging = {
  offset: queryInteger.optional(),
  limit: queryInteger.optional(),
  sort_by: text.optional(),
  reverse_sort: queryFlag.optional(),
};
