import * as z from 'zod';

/**
 * The words from which the wire's shapes are made.
 *
 * On input an absent field and `null` mean the same and unknown fields are ignored; on output a field that is not set
 * is left out. Ids are whole numbers, counted over the whole server and not per workflow.
 */

export const id = z.int();

/** A field that may be absent or null. */
export const maybe = <T extends z.ZodType>(shape: T): z.ZodOptional<z.ZodNullable<T>> => shape.nullish();

/** Names of environment variables, as POSIX has them. */
export const environment = z.record(z.string(), z.string());

/** Any JSON value; `null` counts as absent. */
export const json = z.json();

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

/** Numbers and flags arrive as text in a query. */
export const queryInteger = z.coerce.number<string>().int();
export const queryFlag = z.enum(['true', 'false']).transform((text) => text === 'true');

/** What lists take besides their filters. */
export const paging = {
  offset: queryInteger.optional(),
  limit: queryInteger.optional(),
  sort_by: z.string().optional(),
  reverse_sort: queryFlag.optional(),
};
