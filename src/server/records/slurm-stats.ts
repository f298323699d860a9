import { columns, insertInto } from '../store/columns.ts';
import type { Database, ColumnValue } from '../store/database.ts';

/** The columns of the table of Slurm's statistics: one row for an attempt. */
export const statsColumns = [
  ...columns('workflow_id job_id run_id attempt_id slurm_job_id max_rss_bytes max_vm_size_bytes'),
  ...columns('max_disk_read_bytes max_disk_write_bytes ave_cpu_seconds node_list slurm_step'),
];

export const insertStats = (db: Database) =>
  db.prepare<Record<string, ColumnValue>>(insertInto('slurm_stats', statsColumns));
