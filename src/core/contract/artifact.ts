import * as z from 'zod';
import { flag, id, integer, json, maybe, number, stored, text } from './shape.ts';

/**
 * What became of a temporary file when all jobs that read it had completed: it waits for a runner that deletes it (`due`), a runner is
 * at it (`deleting`), or has deleted it. Or a runner kept it: it is not there, it has changed since a job made it, or the system refused
 * to delete it. `cleaned`: `torc workflows clean` removed the file; it may be any output.
 */
const removalEnds = ['deleted', 'absent', 'changed', 'failed', 'cleaned'] as const;
export const fileRemovals = ['due', 'deleting', ...removalEnds] as const;
export type FileRemoval = (typeof fileRemovals)[number];
export type RemovalEnd = (typeof removalEnds)[number];

/** A file that a job made, as the attempt left it: its time in Unix seconds, its size in bytes. Of a folder those of what is in it. */
export const MadeFile = z.object({ id, path: text, st_mtime: number, st_size: integer });
export type MadeFile = z.output<typeof MadeFile>;

/**
 * What became of files that were to be removed, and how many more the caller takes. With `compute_node_id` a runner reports those that it
 * got, and gets others: each is given to one runner, and to another one only when that one has ended.
 */
export const FileRemovals = z.object({
  run_id: integer,
  compute_node_id: maybe(id),
  removed: z.array(z.object({ id, removal: z.enum(removalEnds), removed_bytes: maybe(integer) })),
  limit: z.int().min(0).max(1_000),
});
export type FileRemovals = z.output<typeof FileRemovals>;
export const FilesToRemove = z.object({ files: z.array(MadeFile) });
export type FilesToRemove = z.output<typeof FilesToRemove>;

/** Jobs that write or read a file: how many, and the first of them by id. */
const FileJobs = z.object({ jobs: integer, first: z.array(z.object({ job_id: id, job_name: text })) });
export type FileJobs = z.output<typeof FileJobs>;

/**
 * A file that jobs read or write. `st_mtime` is in seconds; absent means that it is not known to exist. Additions: `temporary` and
 * `protected`, and what the server says of its removal. The last three stand only in lists that ask for them, and are ignored in
 * requests: the size as a job last left or found the file, and the jobs that use it.
 */
export const NewFile = z.object({
  id: maybe(id),
  workflow_id: id,
  name: text,
  path: text,
  st_mtime: maybe(number),
  temporary: maybe(flag),
  protected: maybe(flag),
  removal: maybe(z.enum(fileRemovals)),
  /** Bytes that its removal freed. */
  removed_bytes: maybe(integer),
  size_bytes: maybe(integer),
  made_by: maybe(FileJobs),
  read_by: maybe(FileJobs),
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
