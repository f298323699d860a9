import * as z from 'zod';
import { flag, id, json, maybe, number, stored, text } from './shape.ts';

/** A file that jobs read or write. `st_mtime` is in seconds; absent means that it is not known to exist. */
export const NewFile = z.object({
  id: maybe(id),
  workflow_id: id,
  name: text,
  path: text,
  st_mtime: maybe(number),
});
export type NewFile = z.output<typeof NewFile>;
export const File = stored(NewFile);
export type File = z.output<typeof File>;

/** A JSON value that jobs read or write through the server. */
export const NewUserData = z.object({
  id: maybe(id),
  workflow_id: id,
  name: text,
  data: maybe(json),
  is_ephemeral: maybe(flag),
});
export type NewUserData = z.output<typeof NewUserData>;
export const UserData = stored(NewUserData);
export type UserData = z.output<typeof UserData>;

/**
 * The description of the workflow or of one of its files in a research object (RO-Crate): JSON-LD with its `@id` and
 * type.
 */
export const NewRoCrateEntity = z.object({
  id: maybe(id),
  workflow_id: id,
  entity_id: text,
  entity_type: text,
  metadata: z.record(text, json),
  file_id: maybe(id),
});
export type NewRoCrateEntity = z.output<typeof NewRoCrateEntity>;
export const RoCrateEntity = stored(NewRoCrateEntity);
export type RoCrateEntity = z.output<typeof RoCrateEntity>;
