import type { MadeFile, RemovalEnd } from '../../../core/contract/artifact.ts';
import type { Database } from '../../store/database.ts';
import { STATUS } from '../rows/status.ts';

const OPEN = `job.status <> ${STATUS.completed}`;

/** A page of the temporary files of one job that another one has made. Both lists of files come from their index, in order. */
export const madeByOthersSql = `
    select id from (
      select file_id as id from job_input_file where job_id = :jobId and file_id > :after
      union
      select file_id from job_output_file where job_id = :jobId and file_id > :after
      order by 1
    ) touched
    where exists (select 1 from file where file.id = touched.id and temporary = 1 and removal is null)
      and exists (
        select 1 from job_output_file made
        where made.file_id = touched.id and made.made_size >= 0 and made.job_id <> :jobId)
    order by id
    limit :limit`;

export const unneededFileQueries = (db: Database) => ({
  hasTemporary: db.prepare<{ workflowId: number }, { id: number }>(
    'select id from file where workflow_id = :workflowId and temporary = 1 limit 1',
  ),
  touchedBy: db.prepare<{ jobs: string }, { id: number }>(`
    select file.id
    from (
      select file_id from job_input_file where job_id in (select value from json_each(:jobs))
      union
      select file_id from job_output_file where job_id in (select value from json_each(:jobs))
    ) touched
    join file on file.id = touched.file_id
    where file.temporary = 1 and file.removal is null
      and exists (select 1 from job_output_file made where made.file_id = file.id and made.made_size >= 0)`),
  // What is deleted with its job no longer makes the file.
  madeByOthers: db.prepare<{ jobId: number; after: number; limit: number }, { id: number }>(madeByOthersSql),
  made: db.prepare<{ workflowId: number; after: number; limit: number }, { id: number }>(`
    select id from file
    where workflow_id = :workflowId and id > :after and temporary = 1 and removal is null
      and exists (select 1 from job_output_file made where made.file_id = file.id and made.made_size >= 0)
    order by id
    limit :limit`),
  // The smallest id at or after `from` of those that read or make the file and have not completed, but for `except`.
  openUser: db.prepare<{ fileId: number; from: number; except: number }, { id: number }>(`
    select id from (
      select * from (
        select job.id from job_input_file edge join job on job.id = edge.job_id
        where edge.file_id = :fileId and edge.job_id >= :from and edge.job_id <> :except and ${OPEN}
        order by edge.job_id limit 1)
      union all
      select * from (
        select job.id from job_output_file edge join job on job.id = edge.job_id
        where edge.file_id = :fileId and edge.job_id >= :from and edge.job_id <> :except and ${OPEN}
        order by edge.job_id limit 1))
    order by id limit 1`),
  markDue: db.prepare<{ id: number }>(`update file set removal = 'due', removal_node = null where id = :id`),
});

/** A runner of a workflow. */
export interface RemovingRunner {
  readonly workflowId: number;
  readonly nodeId: number;
}

/** A file is with one runner until that one has ended. */
const FREE = `
  file.workflow_id = :workflowId and file.removal in ('due', 'deleting')
  and (file.removal = 'due' or file.removal_node = :nodeId
    or not exists (select 1 from compute_node node where node.id = file.removal_node and node.is_active = 1))`;

export const removalQueueQueries = (db: Database) => ({
  hasFiles: db.prepare<RemovingRunner & Record<string, number>, { found: number }>(
    `select 1 as found from file where ${FREE} limit 1`,
  ),
  // Jobs may have been reset since.
  free: db.prepare<{ workflowId: number; nodeId: number; limit: number }, MadeFile>(`
    select file.id, file.path, max(made.made_mtime) as st_mtime, made.made_size as st_size
    from file
    join job_output_file made on made.file_id = file.id and made.made_size >= 0
    where ${FREE}
      and not exists (
        select 1 from job_input_file edge join job on job.id = edge.job_id where edge.file_id = file.id and ${OPEN})
      and not exists (
        select 1 from job_output_file edge join job on job.id = edge.job_id where edge.file_id = file.id and ${OPEN})
    group by file.id
    order by file.id
    limit :limit`),
  give: db.prepare<{ nodeId: number; ids: string }>(`
    update file set removal = 'deleting', removal_node = :nodeId
    where id in (select value from json_each(:ids))`),
  end: db.prepare<{ id: number; workflowId: number; nodeId: number; removal: RemovalEnd; bytes: number | null }>(`
    update file set removal = :removal, removal_node = null, removed_bytes = :bytes
    where id = :id and workflow_id = :workflowId and removal = 'deleting' and removal_node = :nodeId`),
  clean: db.prepare<{ id: number; workflowId: number; removal: RemovalEnd; bytes: number | null }>(`
    update file set removal = :removal, removal_node = null, removed_bytes = :bytes
    where id = :id and workflow_id = :workflowId`),
});
