import type { Job } from '../../../core/contract/job.ts';
import {
  type ColumnName,
  columnNames,
  type DefinitionName,
  type jobFields,
  type NamesWith,
} from '../../../core/job/fields.ts';
import { STATUS } from './status.ts';

export { claimedJobOf, jobOf } from './job.gen.ts';

type TextColumn = NamesWith<{ kind: 'text' | 'texts' | 'variables' | 'amounts' }>;

/** A row of the job table, without the columns that only the server needs. */
export type JobRow = {
  [Name in ColumnName]:
    | (Name extends TextColumn ? string : number)
    | ((typeof jobFields)[Name] extends { isSet: true } ? never : null);
};

/** The condition that makes a query use the index `job_unsettled`, in addition to the statuses that it selects. */
export const unsettled = `job.status > 2 and job.status <> ${STATUS.completed}`;

/** What an update sets in a job that nothing has started in this run. */
export const AFRESH = 'start_time = null, compute_node_id = null, claimed_by = null';

export const jobColumns = columnNames.map((name) => `job.${name}`).join(', ');

/** What a request gives of a job itself, without the records that it names. */
export type Definition = Pick<Job, DefinitionName>;
export type StoredDefinition = Pick<JobRow, DefinitionName>;
