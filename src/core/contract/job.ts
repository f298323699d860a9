import * as z from 'zod';
import { fieldNames, fieldOf, type FieldValues, type JobFieldName, type jobFields } from '../job/fields.ts';
import { type JobStatus, jobStatuses } from '../job/job-statuses.ts';
import { amounts, environment, flag, id, integer, maybe, stored, text } from './shape.ts';

export { type JobStatus, jobStatuses } from '../job/job-statuses.ts';

export const jobStatus = z.enum(jobStatuses);

/** The number of each status in the database. */
export const statusCode = Object.fromEntries(jobStatuses.map((status, code) => [status, code])) as Record<
  JobStatus,
  number
>;

/** The status for a number from the database. */
export function statusOf(code: number): JobStatus {
  const status = jobStatuses[code];
  if (status === undefined) throw new RangeError(`no job status has the number ${code}`);
  return status;
}

const label = text;

/** The schema of each kind of field. */
export const valueSchemas = {
  id,
  integer,
  text,
  flag,
  status: jobStatus,
  texts: z.array(label),
  variables: environment,
  amounts,
  ids: z.array(id),
} as const satisfies { readonly [Kind in keyof FieldValues]: z.ZodType<FieldValues[Kind]> };

export type ValueSchema<Name extends JobFieldName> = (typeof valueSchemas)[(typeof jobFields)[Name]['kind']];

type JobShape = {
  [Name in JobFieldName]: (typeof jobFields)[Name] extends { isRequired: true }
    ? ValueSchema<Name>
    : z.ZodOptional<z.ZodNullable<ValueSchema<Name>>>;
};

export const NewJob = z.object(
  Object.fromEntries(
    fieldNames.map((name) => {
      const { kind, isRequired } = fieldOf(name);
      return [name, isRequired ? valueSchemas[kind] : maybe<z.ZodType>(valueSchemas[kind])];
    }),
  ) as JobShape,
);
export type NewJob = z.output<typeof NewJob>;
export const Job = stored(NewJob);
export type Job = z.output<typeof Job>;

export const JobStatusCounts = z.object(
  Object.fromEntries(jobStatuses.map((status) => [status, integer])) as Record<JobStatus, z.ZodInt>,
);
export type JobStatusCounts = Record<JobStatus, number>;

export const JobDependency = z.object({
  job_id: id,
  job_name: text,
  depends_on_job_id: id,
  depends_on_job_name: text,
  workflow_id: id,
});
export type JobDependency = z.output<typeof JobDependency>;

export const JobFileRelationship = z.object({
  file_id: id,
  file_name: text,
  file_path: text,
  workflow_id: id,
  producer_job_id: maybe(id),
  producer_job_name: maybe(text),
  consumer_job_id: maybe(id),
  consumer_job_name: maybe(text),
});
export type JobFileRelationship = z.output<typeof JobFileRelationship>;

export const JobUserDataRelationship = z.object({
  user_data_id: id,
  user_data_name: text,
  workflow_id: id,
  producer_job_id: maybe(id),
  producer_job_name: maybe(text),
  consumer_job_id: maybe(id),
  consumer_job_name: maybe(text),
});
export type JobUserDataRelationship = z.output<typeof JobUserDataRelationship>;
