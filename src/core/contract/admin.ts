import * as z from 'zod';
import { id, json, maybe, text } from './shape.ts';

/** One SQL statement of an administrator. */
export const SqlRequest = z.object({
  sql: text,
  /** The statement may change rows; without this flag it cannot. */
  write: maybe(z.boolean()),
  /** Rolls the change back after counting its rows. */
  dry_run: maybe(z.boolean()),
  /** Allows UPDATE and DELETE without WHERE. */
  allow_full_table: maybe(z.boolean()),
  /** The maximum number of rows of a read; 0, negative numbers and numbers above 100,000 mean 100,000. */
  limit: maybe(z.int()),
});
export type SqlRequest = z.output<typeof SqlRequest>;

export const SqlReply = z.object({
  columns: z.array(z.string()),
  /** One object a row, blobs as hexadecimal digits; empty for a write. */
  items: z.array(json),
  committed: z.boolean(),
  rows_affected: maybe(z.int()),
});
export type SqlReply = z.output<typeof SqlReply>;

export const AuditLogEntry = z.object({
  id,
  user_name: z.string(),
  /** Unix milliseconds. */
  timestamp: z.int(),
  sql_text: z.string(),
  is_write: z.boolean(),
  allow_full_table: z.boolean(),
  committed: z.boolean(),
  success: z.boolean(),
  rows_affected: maybe(z.int()),
  error: maybe(z.string()),
});
export type AuditLogEntry = z.output<typeof AuditLogEntry>;

const TrafficBucket = z.object({
  start_ms: z.int(),
  request_count: z.int(),
  bytes_in: z.int(),
  bytes_out: z.int(),
  status_2xx: z.int(),
  status_4xx: z.int(),
  status_5xx: z.int(),
  status_other: z.int(),
});

export type TrafficBucket = z.output<typeof TrafficBucket>;

/** Counts of the requests that the server answered recently, the newest bucket first. */
export const Traffic = z.object({
  now_ms: z.int(),
  interval_seconds: z.int(),
  window_seconds: z.int(),
  buckets: z.array(TrafficBucket),
});
export type Traffic = z.output<typeof Traffic>;

const ShownBody = z.object({ bytes: z.int(), truncated: z.boolean(), text: z.string() });

/** One answered request, as the stream of requests reports it. */
export const ApiEvent = z.object({
  timestamp_ms: z.int(),
  method: z.string(),
  path: z.string(),
  query: maybe(z.string()),
  status: z.int(),
  latency_ms: z.number(),
  request_id: z.string(),
  user: z.string(),
  request_body: maybe(ShownBody),
  response_body: maybe(ShownBody),
});
export type ApiEvent = z.output<typeof ApiEvent>;
