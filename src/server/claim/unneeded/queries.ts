import { HELD } from '../../../core/job/statuses.ts';
import type { AllocationRow } from '../../records/allocation/row.ts';
import { unsettled } from '../../records/rows/job.ts';
import { anyOf } from '../../records/rows/status.ts';
import type { Database } from '../../store/database.ts';

export const unneededQueries = (db: Database) => ({
  // Allocations that Slurm has not started, and what is known of them.
  queued: db.prepare<{ workflowId: number }, AllocationRow>(`
    select * from scheduled_compute_node
    where workflow_id = :workflowId and scheduler_type = 'slurm'
      and (status = 'pending' and scheduler_id > 0 or status = 'planned')
    order by id`),
  // Jobs of Slurm whose runners hold jobs of the workflow.
  holdingAllocations: db.prepare<{ workflowId: number }, { slurm_job: string | number }>(`
    select distinct json_extract(scheduler, '$.slurm_job_id') as slurm_job
    from compute_node
    where json_extract(scheduler, '$.slurm_job_id') is not null
      and id in (
        select claimed_by from job
        where workflow_id = :workflowId and status in ${anyOf(HELD)} and ${unsettled} and claimed_by is not null
      )`),
  markCanceled: db.prepare<{ id: number }>(
    "update scheduled_compute_node set status = 'canceled' where id = :id and status in ('pending', 'planned')",
  ),
});
