import { sortFields } from '../../../core/contract/sort-fields.ts';
import type { Input } from '../../../core/contract/routes.ts';
import { HELD } from '../../../core/job/statuses.ts';
import type { Database } from '../../store/database.ts';
import { unsettled } from '../rows/job.ts';
import { recordTable } from '../records.ts';
import { anyOf, STATUS } from '../rows/status.ts';
import type { ComputeNode } from '../../../core/contract/node.ts';
import { parsedJson, presentFields, type RowOf } from '../present.ts';

const HOLDS_JOBS = `exists (
  select 1 from job
  where job.workflow_id = compute_node.workflow_id and job.status in ${anyOf(HELD)} and ${unsettled}
    and job.claimed_by = compute_node.id
  union all
  select 1 from held_attempt where held_attempt.compute_node_id = compute_node.id)`;

export const nodeQueries = (db: Database) => ({
  nodes: recordTable<Input<'listComputeNodes'>['query'], ComputeNodeRow, ReturnType<typeof computeNodeOf>>(
    db,
    {
      table: 'compute_node',
      filters: {
        workflow_id: 'equal',
        hostname: 'contains',
        scheduled_compute_node_id:
          "json_extract(compute_node.scheduler, '$.scheduler_id') = :scheduled_compute_node_id",
        is_active: 'equal',
        holds_jobs: `:holds_jobs = ${HOLDS_JOBS}`,
        may_hold_jobs: `:may_hold_jobs = (compute_node.is_active or ${HOLDS_JOBS})`,
        in_slurm: ":in_slurm = (json_extract(compute_node.scheduler, '$.slurm_job_id') is not null)",
      },
      sortable: sortFields.compute_node,
    },
    computeNodeOf,
  ),
  jobsHeldBy: db.prepare<{ id: number; workflowId: number }, { jobs: number }>(`
    select (
      select count(*) from job
      where workflow_id = :workflowId
        and job.status in ${anyOf(HELD)} and ${unsettled}
        and (claimed_by = :id or (:id = 0 and claimed_by is not null))
    ) + (
      select count(*) from job
      where job.status = ${STATUS.blocked} and claimed_by is not null and workflow_id = :workflowId and (claimed_by = :id or :id = 0)
    ) + (
      select count(*) from held_attempt
      where workflow_id = :workflowId and (compute_node_id = :id or :id = 0)
    ) as jobs`),
});

export type ComputeNodeRow = Omit<RowOf<ComputeNode>, 'is_active' | 'scheduler' | 'labels' | 'process'> & {
  is_active: number;
} & Record<'scheduler' | 'labels' | 'process', string | null>;

export const computeNodeOf = (row: ComputeNodeRow): ComputeNode & { id: number } => ({
  ...presentFields(row),
  is_active: row.is_active === 1,
  scheduler: parsedJson(row.scheduler),
  labels: parsedJson(row.labels),
  process: parsedJson(row.process),
});
