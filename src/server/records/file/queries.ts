import { sortFields } from '../../../core/contract/sort-fields.ts';
import type { File } from '../../../core/contract/artifact.ts';
import type { Input } from '../../../core/contract/routes.ts';
import type { Database } from '../../store/database.ts';
import { presentFields, type RowOf } from '../present.ts';
import { recordTable } from '../records.ts';
import { STATUS } from '../rows/status.ts';

export const fileQueries = (db: Database) => ({
  files: recordTable<Omit<Input<'listFiles'>['query'], 'include_uses'>, FileRow, File>(
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
  uses: db.prepare<{ ids: string }, FileUse>(`
    select file.id,
      (select count(*) from job_output_file o where o.file_id = file.id) as makers,
      (select count(*) from job_input_file i where i.file_id = file.id) as readers,
      ${firstJobs('job_output_file')} as made_by,
      ${firstJobs('job_input_file')} as read_by,
      -- As the job that made it left it; a file that no job makes as the newest read found it.
      coalesce(
        (select made_size from job_output_file o where o.file_id = file.id and made_size is not null order by job_id limit 1),
        (select read_size from (
          select read_size, max(read_mtime) from job_input_file i where i.file_id = file.id and read_size is not null
        ))) as size
    from json_each(:ids) asked
    join file on file.id = asked.value`),
  insertFile: db.prepare<StoredFate & { workflowId: number; name: string; path: string; mtime: number | null }>(`
    insert into file (workflow_id, name, path, st_mtime, temporary, protected)
    values (:workflowId, :name, :path, :mtime, :temporary, :protected)`),
  updateFile: db.prepare<StoredFate & { id: number; name: string | null; path: string | null; mtime: number | null }>(`
    update file set
      name = coalesce(:name, name), path = coalesce(:path, path), st_mtime = :mtime,
      temporary = coalesce(:temporary, temporary), protected = coalesce(:protected, protected)
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
            and (file.removal is null or file.removal not in ('deleting', 'deleted', 'cleaned'))
        ))
    order by id`),
});

/** The first three jobs that write or read a file, as JSON. */
const firstJobs = (edges: 'job_output_file' | 'job_input_file') => `(
        select json_group_array(json_object('job_id', id, 'job_name', name))
        from (
          select job.id, job.name from ${edges} edge join job on job.id = edge.job_id
          where edge.file_id = file.id order by edge.job_id limit 3
        ))`;

interface FileUse {
  readonly id: number;
  readonly makers: number;
  readonly readers: number;
  readonly made_by: string;
  readonly read_by: string;
  readonly size: number | null;
}

export type FileQueries = ReturnType<typeof fileQueries>;

type FateName = 'temporary' | 'protected';
type FileRow = Omit<RowOf<File>, FateName | 'size_bytes' | 'made_by' | 'read_by'> &
  StoredFate & { readonly removal_node: number | null };

/** What of a file is stored of its fate: 1 or 0; null where nothing is said. */
type StoredFate = Readonly<Record<FateName, number | null>>;

export const storedFate = ({
  temporary,
  protected: isProtected,
}: Pick<File, 'temporary' | 'protected'>): StoredFate => ({
  temporary: storedFlag(temporary),
  protected: storedFlag(isProtected),
});
const storedFlag = (value: boolean | null | undefined): number | null =>
  (value ?? undefined) === undefined ? null : Number(value);

const fileOf = ({ removal_node: _node, ...row }: FileRow): File =>
  presentFields({
    ...row,
    temporary: row.temporary === 1 ? true : undefined,
    protected: row.protected === 1 ? true : undefined,
  });
