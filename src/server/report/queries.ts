import type { RunningJob, SlurmJobCorrelation } from '../../core/contract/allocation.ts';
import { unsettled } from '../records/rows/job.ts';
import { presentFields } from '../records/present.ts';
import type { Database } from '../store/database.ts';
import { createListing, type OfWorkflow } from '../store/listing.ts';
import { STATUS } from '../records/rows/status.ts';

export const reportQueries = (db: Database) => ({
  listRunningJobs: createListing<OfWorkflow, RunningRow, RunningJob>(
    db,
    {
      table: 'job',
      columns: `job.id as job_id, job.name as job_name, node.hostname as compute_node_name,
        node.compute_node_type as scheduler_type, coalesce(cast(allocation.scheduler_id as text), json_extract(node.scheduler, '$.slurm_job_id'))
          as scheduler_job_id,
        job.start_time`,
      from: `job
        join compute_node node on node.id = job.compute_node_id
        left join scheduled_compute_node allocation
          on allocation.id = json_extract(node.scheduler, '$.scheduler_id')`,
      filters: { workflow_id: `job.workflow_id = :workflow_id and job.status = ${STATUS.running} and ${unsettled}` },
      sortable: { job_id: 'job.id' },
    },
    presentFields,
  ),
  listSlurmJobs: createListing<OfWorkflow, SlurmJobCorrelation, SlurmJobCorrelation>(
    db,
    {
      table: 'correlation',
      columns: 'slurm_job_id, job_id, job_name',
      from: `(
        select distinct
          allocation.workflow_id, cast(allocation.scheduler_id as text) as slurm_job_id, job.id as job_id, job.name as job_name
        from scheduled_compute_node allocation
        join compute_node node
          on node.workflow_id = allocation.workflow_id
          and json_extract(node.scheduler, '$.scheduler_id') = allocation.id
        join result on result.workflow_id = allocation.workflow_id and result.compute_node_id = node.id
        join job on job.id = result.job_id
      ) as correlation`,
      filters: { workflow_id: 'equal' },
      sortable: {},
      idColumn: 'slurm_job_id, job_id',
    },
    (row) => row,
  ),
});

type RunningRow = Required<{ [F in keyof RunningJob]: Exclude<RunningJob[F], undefined> }>;
