import { sortFields } from '../../../../core/contract/sort-fields.ts';
import type { Job } from '../../../../core/contract/job.ts';
import type { Input } from '../../../../core/contract/routes.ts';
import type { Database } from '../../../store/database.ts';
import { createListing } from '../../../store/listing.ts';
import { jobColumns, jobOf, type JobRow } from '../../rows/job.ts';

/** With the number of a status, and a set of labels as JSON text. */
type JobQuery = Omit<Input<'listJobs'>['query'], 'include_relationships' | 'status'> & {
  readonly status?: number | undefined;
};

export const jobListQueries = (db: Database) => ({
  listJobs: createListing<JobQuery, JobRow, Job>(
    db,
    {
      table: 'job',
      columns: jobColumns,
      filters: {
        workflow_id: 'equal',
        status: 'equal',
        needs_file_id: 'job.id in (select job_id from job_input_file where file_id = :needs_file_id)',
        upstream_job_id: 'job.id in (select job_id from job_depends_on where depends_on_job_id = :upstream_job_id)',
        active_compute_node_id: 'job.compute_node_id = :active_compute_node_id',
        origin_is_set: (asked) => (asked ? 'job.origin is not null' : 'job.origin is null'),
        name: 'contains',
        command: 'contains',
        // The jobs that a runner with these labels could claim; labels.ts contains the rule.
        labels: (asked) =>
          asked === '[]'
            ? 'job.labels is null'
            : `job.labels is not null and not exists (
                select 1 from json_each(job.labels) own where own.value not in (select value from json_each(:labels)))`,
      },
      sortable: sortFields.job,
      total: keptTotal(db),
    },
    jobOf,
  ),
  // As one text: a million rows would be objects of 100 MB.
  jobIds: db.prepare<{ workflowId: number }, { ids: string }>(
    'select json_group_array(id order by id) as ids from job where workflow_id = :workflowId',
  ),
});

/**
 * The number of jobs of a workflow, or of one of its statuses: the store maintains it, because counting a million takes
 * 25 ms. With any other filter they are counted.
 */
function keptTotal(db: Database) {
  const all = db.prepare<{ workflowId: number }, { jobs: number | null }>(
    'select sum(jobs) as jobs from job_count where workflow_id = :workflowId',
  );
  const some = db.prepare<{ workflowId: number; status: number }, { jobs: number }>(
    'select jobs from job_count where workflow_id = :workflowId and status = :status',
  );
  return ({ workflow_id: workflowId, status, ...others }: Pick<JobQuery, 'workflow_id' | 'status'>) => {
    if (Object.values(others).some((asked) => asked !== undefined)) return undefined;
    return (status === undefined ? all.get({ workflowId }) : some.get({ workflowId, status }))?.jobs ?? undefined;
  };
}
