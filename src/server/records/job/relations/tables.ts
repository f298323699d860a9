import type { RelationList } from '../../../../core/contract/plan-update.ts';

/** The table of each relationship of a job, and its column with the id on the other side. */
export const relationTables = {
  depends_on_job_ids: { table: 'job_depends_on', other: 'depends_on_job_id' },
  input_file_ids: { table: 'job_input_file', other: 'file_id' },
  output_file_ids: { table: 'job_output_file', other: 'file_id' },
  input_user_data_ids: { table: 'job_input_user_data', other: 'user_data_id' },
  output_user_data_ids: { table: 'job_output_user_data', other: 'user_data_id' },
} as const satisfies Record<RelationList, { readonly table: string; readonly other: string }>;
