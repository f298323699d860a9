import { jobFields, type PageName, pageNames, type RelationName } from '../../../core/job/fields.ts';
import type { Database, ColumnValue } from '../../store/database.ts';
import { relationTables } from '../job/relations/queries.ts';

/** A page of records, after an id. */
export interface ColumnPage extends Record<string, ColumnValue> {
  workflowId: number;
  after: number;
  limit: number;
}

interface JobRange extends Record<string, ColumnValue> {
  workflowId: number;
  after: number;
  upto: number;
}

/** The two ends of relationships, each a list as text. */
interface Pairs {
  readonly jobs: string;
  readonly others: string;
}

const plain = (column: string) => `json_group_array(${column}) as ${column}`;
const JSON_KINDS: ReadonlySet<string> = new Set(['texts', 'variables', 'amounts']);
const isJson = (name: PageName) => JSON_KINDS.has(jobFields[name].kind);
const parsed = (column: string) => `json_group_array(json(${column})) as ${column}`;

/**
 * The database writes each column of a page as one text: 100,000 jobs with their relationships take 0.2 s, where rows that
 * become objects and then text take 2 s.
 */
const columns = (db: Database, table: string, selected: readonly string[]) =>
  db.prepare<ColumnPage, Record<string, string>>(`
    select ${selected.join(', ')}
    from (select * from ${table} where workflow_id = :workflowId and id > :after order by id limit :limit)`);

/** The same of user data, up to a length of their values. */
const values = (db: Database, selected: readonly string[]) =>
  db.prepare<ColumnPage & { most: number }, Record<string, string>>(`
    select ${selected.join(', ')}
    from (
      select *, sum(coalesce(length(data), 0)) over (order by id) - coalesce(length(data), 0) as length_before
      from (select * from user_data where workflow_id = :workflowId and id > :after order by id limit :limit))
    where length_before < :most`);

/** In the order of the primary key, without a sort. One statement with a subquery for each job takes three times as long. */
const relation = (db: Database, list: RelationName) => {
  const { table, other } = relationTables[list];
  return db.prepare<JobRange, Pairs>(`
    select json_group_array(job_id) as jobs, json_group_array(other) as others
    from (
      select edge.job_id, edge.${other} as other
      from job
      cross join ${table} edge on edge.job_id = job.id
      where job.workflow_id = :workflowId and job.id > :after and job.id <= :upto
      order by job.id, edge.${other})`);
};

/** In the order of the primary key, without a sort. */
const stamps = (db: Database, table: 'job_input_file' | 'job_output_file', verb: 'read' | 'made') =>
  db.prepare<ColumnPage & { afterFile: number }, Record<string, string>>(`
    select json_group_array(job_id) as id, json_group_array(file_id) as file_id,
      json_group_array(${verb}_mtime) as st_mtime, json_group_array(${verb}_size) as st_size
      ${verb === 'read' ? ', json_group_array(read_hash) as hash' : ''}
    from (
      select edge.job_id, edge.file_id, edge.${verb}_mtime, edge.${verb}_size${verb === 'read' ? ', edge.read_hash' : ''}
      from job
      cross join ${table} edge on edge.job_id = job.id
      where job.workflow_id = :workflowId and job.id >= :after
        and (edge.job_id, edge.file_id) > (:after, :afterFile) and edge.${verb}_size >= 0
      order by job.id, edge.file_id
      limit :limit)`);

export const columnQueries = (db: Database) => ({
  jobs: columns(db, 'job', [
    ...pageNames.map((name) => (isJson(name) ? parsed(name) : plain(name))),
    plain('result_id'),
  ]),
  relations: (Object.keys(relationTables) as RelationName[]).map((list) => ({ list, pairs: relation(db, list) })),
  userData: values(db, [...['id', 'name', 'is_ephemeral'].map(plain), parsed('data')]),
  hasMoreUserData: db.prepare<{ workflowId: number; after: number }, { found: number }>(
    'select exists (select 1 from user_data where workflow_id = :workflowId and id > :after) as found',
  ),
  inputs: stamps(db, 'job_input_file', 'read'),
  outputs: stamps(db, 'job_output_file', 'made'),
  files: columns(db, 'file', ['id', 'name', 'path', 'st_mtime', 'temporary', 'protected', 'removal'].map(plain)),
});
