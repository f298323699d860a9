import * as z from 'zod';
import { COLUMNS_LIMIT, columnsPage, FileColumns, InputColumns, JobColumns, UserDataColumns } from '../plan-columns.ts';
import { PlanUpdate, PlanUpdated } from '../plan-update.ts';
import { queryFlag, queryInteger } from '../shape.ts';
import { BULK_MEBIBYTES, workflowRoute } from './route.ts';

const columnPaging = z.object({
  after_id: queryInteger.optional(),
  limit: queryInteger.pipe(z.int().min(1).max(COLUMNS_LIMIT)).optional(),
});

/** What a workflow file is compared with, and the change of a workflow into the one of the file (additions). */
export const planRoutes = {
  readJobColumns: workflowRoute('GET', '/workflows/{id}/job_columns', 'read', {
    reads: 'rows',
    says: 'The jobs of a workflow as columns, with their relationships: the fast way to read all of them. `after_id` is the last id of the previous page.',
    query: columnPaging,
    reply: columnsPage(JobColumns),
  }),
  readFileColumns: workflowRoute('GET', '/workflows/{id}/file_columns', 'read', {
    reads: 'rows',
    says: 'The names and paths of the files of a workflow as columns. `after_id` is the last id of the previous page.',
    query: columnPaging,
    reply: columnsPage(FileColumns),
  }),
  readInputColumns: workflowRoute('GET', '/workflows/{id}/input_columns', 'read', {
    reads: 'rows',
    says: 'The input files of jobs as columns, as the last attempt of each job found them: times and sizes. `after_id` and `after_file_id` are the last job and the last file of the previous page.',
    query: columnPaging.extend({ after_file_id: queryInteger.optional() }),
    reply: columnsPage(InputColumns),
  }),
  readOutputColumns: workflowRoute('GET', '/workflows/{id}/output_columns', 'read', {
    reads: 'rows',
    says: 'The output files of jobs as columns, as the last attempt that wrote each one left it: times and sizes. `after_id` and `after_file_id` are the last job and the last file of the previous page.',
    query: columnPaging.extend({ after_file_id: queryInteger.optional() }),
    reply: columnsPage(InputColumns),
  }),
  readUserDataColumns: workflowRoute('GET', '/workflows/{id}/user_data_columns', 'read', {
    reads: 'rows',
    says: 'The user data of a workflow as columns, with their values; null for none. `after_id` is the last id of the previous page, which may end before its limit where values are long.',
    query: columnPaging,
    reply: columnsPage(UserDataColumns),
  }),
  updatePlan: workflowRoute('POST', '/workflows/{id}/update_plan', 'work', {
    says: 'Add, change and remove jobs and other records of a workflow, all or none; jobs that a runner has stay as they are and are listed. With dry_run nothing changes.',
    query: z.object({ dry_run: queryFlag.optional() }),
    body: PlanUpdate,
    reply: PlanUpdated,
    bodyMebibytes: BULK_MEBIBYTES,
  }),
};
