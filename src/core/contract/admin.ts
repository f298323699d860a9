import * as z from 'zod';
import { flag, id, integer, json, maybe, number, text } from './shape.ts';

/** One SQL statement of an administrator. */
export const SqlRequest = z.object({
  sql: text,
  /** The statement may change rows; without this flag it cannot. */
  write: maybe(flag),
  /** Rolls the change back after counting its rows. */
  dry_run: maybe(flag),
  /** Allows UPDATE and DELETE without WHERE. */
  allow_full_table: maybe(flag),
  /** The maximum number of rows of a read; 0, negative numbers and numbers above 100,000 mean 100,000. */
  limit: maybe(integer),
});
export type SqlRequest = z.output<typeof SqlRequest>;

export const SqlReply = z.object({
  columns: z.array(z.string()),
  /** One object a row, blobs as hexadecimal digits; empty for a write. */
  items: z.array(json),
  committed: flag,
  rows_affected: maybe(integer),
});
export type SqlReply = z.output<typeof SqlReply>;

export const AuditLogEntry = z.object({
  id,
  user_name: z.string(),
  /** Unix milliseconds. */
  timestamp: integer,
  sql_text: z.string(),
  is_write: flag,
  allow_full_table: flag,
  committed: flag,
  success: flag,
  rows_affected: maybe(integer),
  error: maybe(z.string()),
});
export type AuditLogEntry = z.output<typeof AuditLogEntry>;

const TrafficBucket = z.object({
  start_ms: integer,
  request_count: integer,
  bytes_in: integer,
  bytes_out: integer,
  status_2xx: integer,
  status_4xx: integer,
  status_5xx: integer,
  status_other: integer,
});

export type TrafficBucket = z.output<typeof TrafficBucket>;

/** Counts of the requests that the server answered recently, the newest bucket first. */
export const Traffic = z.object({
  now_ms: integer,
  interval_seconds: integer,
  window_seconds: integer,
  buckets: z.array(TrafficBucket),
});
export type Traffic = z.output<typeof Traffic>;

const ShownBody = z.object({ bytes: integer, truncated: flag, text: z.string() });

/** One answered request, as the stream of requests reports it. */
export const ApiEvent = z.object({
  timestamp_ms: integer,
  method: z.string(),
  path: z.string(),
  query: maybe(z.string()),
  status: integer,
  latency_ms: number,
  request_id: z.string(),
  user: z.string(),
  request_body: maybe(ShownBody),
  response_body: maybe(ShownBody),
});
export type ApiEvent = z.output<typeof ApiEvent>;
