import * as z from 'zod';
import { id, json, maybe } from './shape.ts';

/** A file that jobs read or write. `st_mtime` is in seconds; absent means that it is not known to exist. */
export const File = z.object({
  id: maybe(id),
  workflow_id: id,
  name: z.string(),
  path: z.string(),
  st_mtime: maybe(z.number()),
});
export type File = z.output<typeof File>;

/** A JSON value that jobs read or write through the server. */
export const UserData = z.object({
  id: maybe(id),
  workflow_id: id,
  name: z.string(),
  data: maybe(json),
  is_ephemeral: maybe(z.boolean()),
});
export type UserData = z.output<typeof UserData>;

/** What a research object (RO-Crate) says of the workflow or one of its files: JSON-LD with its `@id` and type. */
export const RoCrateEntity = z.object({
  id: maybe(id),
  workflow_id: id,
  entity_id: z.string(),
  entity_type: z.string(),
  metadata: z.record(z.string(), json),
  file_id: maybe(id),
});
export type RoCrateEntity = z.output<typeof RoCrateEntity>;
