import { type RelationName, relationNames } from '../../../../core/job/fields.ts';
import type { Database } from '../../../store/database.ts';
import { clamped, createListing, type OfWorkflow } from '../../../store/listing.ts';
import { presentFields } from '../../present.ts';

/** The nearest valid page of a list. */
const nearestPage =
  <Page>(list: (query: OfWorkflow) => Page) =>
  (query: OfWorkflow): Page =>
    list(clamped(query));

/** For each field, the values of these jobs, given as JSON text: one query for a page, not one for each job. */
const relations = (db: Database) =>
  relationNames.map((field) => ({
    field,
    rows: db.prepare<{ jobs: string }, { job_id: number; id: number }>(`
      select job_id, ${relationTables[field].other} as id from ${relationTables[field].table}
      where job_id in (select value from json_each(:jobs))
      order by 1, 2`),
  }));

/** Dependencies between jobs, and the files and values that they pass on. */
export const relationQueries = (db: Database) => ({
  relations: relations(db),
  listDependencies: nearestPage(
    createListing<OfWorkflow, DependencyRow, DependencyRow>(
      db,
      {
        table: 'edge',
        columns: `edge.job_id, job.name as job_name, edge.depends_on_job_id, upstream.name as depends_on_job_name, job.workflow_id`,
        from: `job_depends_on edge join job on job.id = edge.job_id join job upstream on upstream.id = edge.depends_on_job_id`,
        filters: { workflow_id: 'job.workflow_id = :workflow_id' },
        sortable: {
          job_id: 'edge.job_id',
          depends_on_job_id: 'edge.depends_on_job_id',
          workflow_id: 'job.workflow_id',
        },
        idColumn: 'edge.job_id',
      },
      (row) => row,
    ),
  ),
  listFileRelationships: nearestPage(
    relationshipsOf<{ file_id: number; file_name: string; file_path: string }>(
      db,
      'file',
      'file.id as file_id, file.name as file_name, file.path as file_path',
    ),
  ),
  listUserDataRelationships: nearestPage(
    relationshipsOf<{ user_data_id: number; user_data_name: string }>(
      db,
      'user_data',
      'user_data.id as user_data_id, user_data.name as user_data_name',
    ),
  ),
});

export type RelationQueries = ReturnType<typeof relationQueries>;

export interface DependencyRow {
  job_id: number;
  job_name: string;
  depends_on_job_id: number;
  depends_on_job_name: string;
  workflow_id: number;
}

interface Ends {
  workflow_id: number;
  producer_job_id: number | null;
  producer_job_name: string | null;
  consumer_job_id: number | null;
  consumer_job_name: string | null;
}

/**
 * Records with the jobs that write and read them: a row for each pair, with one side empty if there is none. One that no job writes
 * or reads has no relationship.
 */
function relationshipsOf<Own extends object>(db: Database, table: string, columns: string) {
  const listing = {
    table,
    columns: `${columns}, ${table}.workflow_id,
      producer.id as producer_job_id, producer.name as producer_job_name,
      consumer.id as consumer_job_id, consumer.name as consumer_job_name`,
    from: `${table}
      left join job_output_${table} makes on makes.${table}_id = ${table}.id
      left join job_input_${table} reads on reads.${table}_id = ${table}.id
      left join job producer on producer.id = makes.job_id
      left join job consumer on consumer.id = reads.job_id`,
    filters: {
      workflow_id: `${table}.workflow_id = :workflow_id and (makes.job_id is not null or reads.job_id is not null)`,
    },
    sortable: ['workflow_id'],
  };
  return createListing<OfWorkflow, Own & Ends, ReturnType<typeof presentFields<Own & Ends>>>(
    db,
    listing,
    presentFields,
  );
}

/** The table of each relationship of a job, and its column with the id on the other side. */
export const relationTables = {
  depends_on_job_ids: { table: 'job_depends_on', other: 'depends_on_job_id', of: 'job' },
  input_file_ids: { table: 'job_input_file', other: 'file_id', of: 'file' },
  output_file_ids: { table: 'job_output_file', other: 'file_id', of: 'file' },
  input_user_data_ids: { table: 'job_input_user_data', other: 'user_data_id', of: 'user_data' },
  output_user_data_ids: { table: 'job_output_user_data', other: 'user_data_id', of: 'user_data' },
} as const satisfies Record<RelationName, RelationTable>;

interface RelationTable {
  readonly table: string;
  /** Its column with the ids of the other records, and their table. */
  readonly other: string;
  readonly of: string;
}

/** One of something for each relationship. */
export const eachRelation = <Made>(make: (relation: RelationTable) => Made) =>
  Object.fromEntries(relationNames.map((list) => [list, make(relationTables[list])])) as Record<RelationName, Made>;
