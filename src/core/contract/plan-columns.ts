import * as z from 'zod';
import { fieldOf, type jobFields, type PageName, pageNames, type RelationName, relationNames } from '../job/fields.ts';
import { fileRemovals } from './artifact.ts';
import { jobStatuses } from '../job/job-statuses.ts';
import { type ValueSchema, valueSchemas } from './job.ts';
import { flag, id, json, text } from './shape.ts';

/**
 * The records of a workflow as columns (an addition to Torc 1.0.0): each list has one value for each record, in the order
 * of the ids. A page of jobs takes a tenth of the time of the list with relationships, and a quarter of its length.
 */

/** Records of a page at most, and by default: the server reads them in about 15 ms. */
export const COLUMNS_LIMIT = 5_000;

/** With the statuses written out, as generated clients know this schema. */
const schemas = { ...valueSchemas, status: z.enum(jobStatuses) };

type ColumnsShape<Names extends PageName | RelationName> = {
  [Name in Names]: z.ZodArray<
    (typeof jobFields)[Name] extends { isSet: true } ? ValueSchema<Name> : z.ZodNullable<ValueSchema<Name>>
  >;
};

const columnsOf = <Name extends PageName | RelationName>(names: readonly Name[]) =>
  Object.fromEntries(
    names.map((name) => {
      const { kind, isSet } = fieldOf(name);
      return [name, z.array(isSet ? schemas[kind] : schemas[kind].nullable())];
    }),
  ) as ColumnsShape<Name>;

const { origin, removed_at_ms, ...others } = columnsOf(pageNames);

/** Jobs as far as a workflow file defines them, with what their state says of the plan; null where a job has no value. */
export const JobColumns = z.object({
  ...others,
  origin,
  removed_at_ms,
  ...columnsOf(relationNames),
  /** The id of its present result; later results have larger ones. */
  result_id: z.array(id.nullable()),
});
export type JobColumns = z.output<typeof JobColumns>;

export const FileColumns = z.object({
  id: z.array(id),
  name: z.array(text),
  path: z.array(text),
  /** When the file was last changed, as the server knows it, in Unix seconds; null if it was not there. */
  st_mtime: z.array(z.number().nullable()).optional(),
  temporary: z.array(flag.nullable()).optional(),
  protected: z.array(flag.nullable()).optional(),
  removal: z.array(z.enum(fileRemovals).nullable()).optional(),
});
export type FileColumns = z.output<typeof FileColumns>;

/**
 * Inputs as the last attempt of their job found them, or outputs as it left them; `id` is the one of the job, and stands as often as it
 * has such files. Files that no attempt has reported are absent.
 */
export const InputColumns = z.object({
  id: z.array(id),
  file_id: z.array(id),
  /** Unix seconds. */
  st_mtime: z.array(z.number()),
  /** Bytes. */
  st_size: z.array(z.number()),
  /** SHA-256 in hexadecimal; null where contents are not compared. */
  hash: z.array(text.nullable()).optional(),
});
export type InputColumns = z.output<typeof InputColumns>;

/** A page of values ends where they are longer together, with one value at least: a value may have megabytes. */
export const COLUMNS_BYTES = 4 * 2 ** 20;

export const UserDataColumns = z.object({
  id: z.array(id),
  name: z.array(text),
  data: z.array(json),
  is_ephemeral: z.array(flag),
});
export type UserDataColumns = z.output<typeof UserDataColumns>;

/** A page of columns; the next one begins after its last id. */
export const columnsPage = <Columns extends z.ZodType>(columns: Columns) => z.object({ columns, has_more: flag });
