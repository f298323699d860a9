import { sortFields } from '../../../core/contract/sort-fields.ts';
import type { ComputeNode } from '../../../core/contract/node.ts';
import { HELD } from '../../../core/job/statuses.ts';
import type { Database } from '../../store/database.ts';
import { contains, createListing, sortable } from '../../store/listing.ts';
import { unsettled } from '../rows/job.ts';
import { whole } from '../records.ts';
import { computeNodeOf, type ComputeNodeRow } from './row.ts';
import { anyOf, STATUS } from '../rows/status.ts';

interface NodeFilters {
  scheduled_compute_node_id?: number | undefined;
  workflow_id?: number | undefined;
  hostname?: string | undefined;
  is_active?: boolean | undefined;
  holds_jobs?: boolean | undefined;
  may_hold_jobs?: boolean | undefined;
  in_slurm?: boolean | undefined;
}

const HOLDS_JOBS = `exists (
  select 1 from job
  where job.workflow_id = compute_node.workflow_id and job.status in ${anyOf(HELD)} and ${unsettled}
    and job.claimed_by = compute_node.id
  union all
  select 1 from held_attempt where held_attempt.compute_node_id = compute_node.id)`;

export const nodeQueries = (db: Database) => ({
  nodes: whole(db, 'compute_node', (row: ComputeNodeRow) => computeNodeOf(row)),
  listNodes: createListing<NodeFilters, ComputeNodeRow, ComputeNode>(
    db,
    {
      columns: 'compute_node.*',
      from: 'compute_node',
      filters: {
        workflow_id: 'compute_node.workflow_id = :workflow_id',
        hostname: contains('compute_node.hostname', 'hostname'),
        scheduled_compute_node_id:
          "json_extract(compute_node.scheduler, '$.scheduler_id') = :scheduled_compute_node_id",
        is_active: 'compute_node.is_active = :is_active',
        holds_jobs: `:holds_jobs = ${HOLDS_JOBS}`,
        may_hold_jobs: `:may_hold_jobs = (compute_node.is_active or ${HOLDS_JOBS})`,
        in_slurm: ":in_slurm = (json_extract(compute_node.scheduler, '$.slurm_job_id') is not null)",
      },
      sortable: sortable('compute_node', sortFields.compute_node),
      idColumn: 'compute_node.id',
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
