import type { Database } from '../../../store/database.ts';

/** Tables whose rows belong to a workflow, in an order in which no remaining row refers to a deleted one. */
const TABLES = [
  'slurm_stats',
  'result',
  'ro_crate_entity',
  'event',
  'job_release',
  'job',
  'job_class',
  'file',
  'user_data',
  'workflow_action',
  'compute_node',
  'scheduled_compute_node',
  'remote_worker',
  'local_scheduler',
  'slurm_scheduler',
  'failure_handler',
  'resource_requirements',
  'async_handle',
] as const;

/** The key of a row of the table; most have an id. */
const keyOf = (table: (typeof TABLES)[number]) =>
  table === 'job_release' ? 'job_id' : table === 'remote_worker' ? 'workflow_id, worker' : 'id';

export const removeQueries = (db: Database) => ({
  mark: db.prepare<{ id: number; atMs: number }>('update workflow set removed_at_ms = :atMs where id = :id'),
  forgetCounts: db.prepare<{ id: number }>('delete from job_count where workflow_id = :id'),
  forgetTime: db.prepare<{ id: number }>('delete from workflow_time where workflow_id = :id'),
  tables: TABLES.map((table) =>
    db.prepare<{ id: number; limit: number }>(`
      delete from ${table}
      where (${keyOf(table)}) in (select ${keyOf(table)} from ${table} where workflow_id = :id limit :limit)`),
  ),
  remove: db.prepare<{ id: number }>('delete from workflow where id = :id'),
});

export type RemoveQueries = ReturnType<typeof removeQueries>;
