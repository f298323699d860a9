import { ENDED_BADLY } from '../../core/job/statuses.ts';
import { MOST_RESULTS } from '../../core/attempt/history.ts';
import { MOST_UPSTREAM } from '../../core/lifecycle/explain/job-facts.ts';
import { actionColumns } from '../records/action/columns.ts';
import type { ActionRow } from '../records/action/row.ts';
import type { AllocationRow } from '../records/allocation/row.ts';
import { unsettled } from '../records/rows/job.ts';
import { anyOf, STATUS } from '../records/rows/status.ts';
import type { ComputeNodeRow } from '../records/node/queries.ts';
import { requirementsColumns, type RequirementsRecordRow } from '../records/requirements/queries.ts';
import { resultColumns, type ResultRow, resultTables } from '../records/result/queries.ts';
import type { SlurmSchedulerRow } from '../records/scheduler/queries.ts';
import type { Database } from '../store/database.ts';

interface OfWorkflow extends Record<string, number> {
  workflowId: number;
}

export interface UpstreamRow {
  readonly id: number;
  readonly name: string;
  readonly status: number;
  readonly return_code: number | null;
}

/** Jobs above a canceled one that are looked at to find why. */
const MOST_ABOVE = 1_000;

const upstreamColumns = 'job.id, job.name, job.status, result.return_code';
const requirements = requirementsColumns.join(', ');

export const factQueries = (db: Database) => ({
  schedulers: db.prepare<OfWorkflow, SlurmSchedulerRow>(
    'select * from slurm_scheduler where workflow_id = :workflowId order by id',
  ),
  workers: db.prepare<OfWorkflow, { worker: string }>(
    'select worker from remote_worker where workflow_id = :workflowId order by worker',
  ),
  actions: db.prepare<OfWorkflow, ActionRow>(
    `select ${actionColumns} from workflow_action where workflow_id = :workflowId order by id`,
  ),
  runners: db.prepare<OfWorkflow, ComputeNodeRow>(
    'select * from compute_node where workflow_id = :workflowId and is_active = 1 order by id',
  ),
  lastRunner: db.prepare<OfWorkflow, ComputeNodeRow>(
    'select * from compute_node where workflow_id = :workflowId order by id desc limit 1',
  ),
  allocations: db.prepare<OfWorkflow, AllocationRow>(`
    select * from scheduled_compute_node
    where workflow_id = :workflowId and status in ('planned', 'submitting', 'pending', 'active')
    order by id`),

  requirements: db.prepare<{ ids: string }, RequirementsRecordRow>(
    `select ${requirements} from resource_requirements where id in (select value from json_each(:ids))`,
  ),
  upstream: db.prepare<{ id: number }, UpstreamRow>(`
    select job.id, job.name, job.status, null as return_code
    from job_depends_on edge
    join job on job.id = edge.depends_on_job_id
    where edge.job_id = :id
    order by edge.depends_on_job_id
    limit ${MOST_UPSTREAM}`),
  upstreamCount: db.prepare<{ id: number }, { jobs: number }>(
    'select count(*) as jobs from job_depends_on where job_id = :id',
  ),
  // Upwards through canceled jobs: the nearest that failed by itself, or else the farthest of the canceled ones.
  canceledBy: db.prepare<{ id: number }, UpstreamRow>(`
    with recursive above (id, depth) as (
      select :id, 0
      union
      select edge.depends_on_job_id, above.depth + 1
      from above
      join job on job.id = above.id and job.status = ${STATUS.canceled}
      join job_depends_on edge on edge.job_id = above.id
      limit ${MOST_ABOVE})
    select ${upstreamColumns}
    from above
    join job on job.id = above.id and (job.status = ${STATUS.canceled} or job.status in ${anyOf(ENDED_BADLY)})
    left join result on result.id = job.result_id
    where above.depth > 0
    order by job.status = ${STATUS.canceled}, iif(job.status = ${STATUS.canceled}, -depth, depth), job.id
    limit 1`),
  results: db.prepare<{ id: number }, ResultRow>(`
    select ${resultColumns} from ${resultTables}
    where result.job_id = :id
    order by result.run_id desc, result.attempt_id desc
    limit ${MOST_RESULTS}`),
  resultCount: db.prepare<{ id: number }, { results: number }>(
    'select count(*) as results from result where job_id = :id',
  ),
  nodes: db.prepare<{ ids: string }, ComputeNodeRow>(
    'select * from compute_node where id in (select value from json_each(:ids))',
  ),
  running: db.prepare<
    OfWorkflow & { after: number; limit: number },
    { id: number; compute_node_id: number | null; resource_requirements_id: number }
  >(`
    select id, compute_node_id, resource_requirements_id from job
    where workflow_id = :workflowId and status = ${STATUS.running} and ${unsettled} and id > :after
    order by id limit :limit`),
});

export type FactQueries = ReturnType<typeof factQueries>;
