import { sortFields } from '../../../core/contract/sort-fields.ts';
import type { ResourceRequirements } from '../../../core/contract/resources.ts';
import type { Input } from '../../../core/contract/routes.ts';
import type { Database, ColumnValue } from '../../store/database.ts';
import { insertInto, update } from '../../store/columns.ts';
import { recordTable } from '../records.ts';

export const requirementsQueries = (db: Database) => ({
  requirements: recordTable<Input<'listResourceRequirements'>['query'], RequirementsRecordRow, StoredRequirements>(
    db,
    {
      table: 'resource_requirements',
      columns: requirementsColumns.join(', '),
      filters: {
        workflow_id: 'equal',
        name: 'equal',
        memory: 'equal',
        num_cpus: 'equal',
        num_gpus: 'equal',
        num_nodes: 'equal',
        runtime: 'runtime_s = :runtime',
      },
      sortable: sortFields.resource_requirements,
    },
    requirementsOfRow,
  ),
  insertRequirements: db.prepare<Record<string, ColumnValue>>(
    insertInto('resource_requirements', ['workflow_id', ...stored]),
  ),
  updateRequirements: db.prepare<Record<string, ColumnValue>>(update('resource_requirements', stored)),
  // Records that prevent a removal.
  jobsWithRequirements: db.prepare<{ id: number; workflowId: number }, { jobs: number }>(`
    select count(*) as jobs
    from job
    where class_id in (
      select id from job_class where workflow_id = :workflowId and (resource_requirements_id = :id or :id = 0)
    )`),
});

/** What raises the requirements of one job. */
export const raiseQueries = (db: Database) => ({
  requirements: db.prepare<{ id: number }, RaisableRow>(
    `select ${requirementsColumns.join(', ')}, memory_bytes, runtime_s from resource_requirements where id = :id`,
  ),
  same: db.prepare<Record<string, ColumnValue>, { id: number }>(`
    select id
    from resource_requirements
    where workflow_id = :workflow_id and name = :name and num_cpus = :num_cpus and num_gpus = :num_gpus
      and num_nodes = :num_nodes and memory_bytes = :memory_bytes and runtime_s = :runtime_s
      and licenses is :licenses
    order by id
    limit 1`),
  change: db.prepare<{ id: number; requirementsId: number; classId: number }>(
    'update job set resource_requirements_id = :requirementsId, class_id = :classId where id = :id',
  ),
});

interface RaisableRow extends RequirementsRecordRow {
  readonly memory_bytes: number;
  readonly runtime_s: number;
}

/** Requirements as the API returns them. */
export const requirementsOfRow = ({ licenses, ...row }: RequirementsRecordRow): StoredRequirements => ({
  ...row,
  ...(licenses === null ? {} : { licenses: JSON.parse(licenses) as Record<string, number> }),
});

export type RequirementsQueries = ReturnType<typeof requirementsQueries>;

/** Requirements as the API returns them: all but their licenses have a value. */
type StoredRequirements = Required<{
  [F in Exclude<keyof ResourceRequirements, 'licenses'>]: NonNullable<ResourceRequirements[F]>;
}> &
  Pick<ResourceRequirements, 'licenses'>;
export type RequirementsRecordRow = Omit<StoredRequirements, 'licenses'> & {
  /** JSON text. */
  readonly licenses: string | null;
};
const given = ['name', 'num_cpus', 'num_gpus', 'num_nodes', 'memory', 'runtime', 'licenses'];
/** The columns that may change. */
const stored = [...given, 'memory_bytes', 'runtime_s'];
export const requirementsColumns = ['id', 'workflow_id', ...given];
