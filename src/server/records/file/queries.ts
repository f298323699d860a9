import { sortFields } from '../../../core/contract/sort-fields.ts';
import type { File } from '../../../core/contract/artifact.ts';
import type { Input } from '../../../core/contract/routes.ts';
import type { Database } from '../../store/database.ts';
import type { RowOf } from '../present.ts';
import { recordTable } from '../records.ts';
import { STATUS } from '../rows/status.ts';

export const fileQueries = (db: Database) => ({
  files: recordTable<Input<'listFiles'>['query'], FileRow, File>(
    db,
    {
      table: 'file',
      filters: {
        workflow_id: 'equal',
        produced_by_job_id: `file.id in (select file_id from job_output_file where job_id = :produced_by_job_id)`,
        name: 'equal',
        path: 'contains',
        is_output: (asked) =>
          asked ? 'exists (select 1 from job_output_file o where o.file_id = file.id)' : undefined,
      },
      sortable: sortFields.file,
    },
    fileOf,
  ),
  insertFile: db.prepare<{ workflowId: number; name: string; path: string; mtime: number | null }>(
    'insert into file (workflow_id, name, path, st_mtime) values (:workflowId, :name, :path, :mtime)',
  ),
  updateFile: db.prepare<{ id: number; name: string | null; path: string | null; mtime: number | null }>(`
    update file set name = coalesce(:name, name), path = coalesce(:path, path), st_mtime = :mtime
    where id = :id`),
  requiredFiles: db.prepare<{ workflowId: number }, { id: number }>(`
    select id from file
    where workflow_id = :workflowId
      and ((
          exists (select 1 from job_input_file i where i.file_id = file.id)
          and not exists (select 1 from job_output_file o where o.file_id = file.id)
        )
        or exists (
          select 1 from job_output_file o join job on job.id = o.job_id
          where o.file_id = file.id and job.status = ${STATUS.completed}
        ))
    order by id`),
});

export type FileQueries = ReturnType<typeof fileQueries>;

type FileRow = RowOf<File>;

const fileOf = ({ st_mtime: mtime, ...row }: FileRow): File => ({ ...row, st_mtime: mtime ?? undefined });
