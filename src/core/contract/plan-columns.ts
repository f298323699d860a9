import * as z from 'zod';
import { jobStatuses } from './job-statuses.ts';
import { environment, flag, id, integer, json, text } from './shape.ts';

/**
 * The records of a workflow as columns (an addition to Torc 1.0.0): each list has one value for each record, in the order
 * of the ids. A page of jobs takes a tenth of the time of the list with relationships, and a quarter of its length.
 */

/** Records of a page at most, and by default: the server reads them in about 15 ms. */
export const COLUMNS_LIMIT = 5_000;

const ids = z.array(z.array(id).nullable());

/** Jobs as far as a workflow file defines them, with what their state says of the plan; null where a job has no value. */
export const JobColumns = z.object({
  id: z.array(id),
  name: z.array(text),
  command: z.array(text),
  invocation_script: z.array(text.nullable()),
  env: z.array(environment.nullable()),
  status: z.array(z.enum(jobStatuses)),
  cancel_on_blocking_job_failure: z.array(flag),
  supports_termination: z.array(z.boolean().nullable()),
  resource_requirements_id: z.array(id),
  scheduler_id: z.array(id.nullable()),
  failure_handler_id: z.array(id.nullable()),
  priority: z.array(integer),
  labels: z.array(z.array(text).nullable()),
  origin: z.array(text.nullable()),
  removed_at_ms: z.array(z.int().nullable()),
  depends_on_job_ids: ids,
  input_file_ids: ids,
  output_file_ids: ids,
  input_user_data_ids: ids,
  output_user_data_ids: ids,
});
export type JobColumns = z.output<typeof JobColumns>;

export const FileColumns = z.object({ id: z.array(id), name: z.array(text), path: z.array(text) });
export type FileColumns = z.output<typeof FileColumns>;

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
