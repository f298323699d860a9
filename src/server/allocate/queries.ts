import { sortFields } from '../../core/contract/sort-fields.ts';
import type { LocalScheduler, RemoteWorker, ScheduledComputeNode, SlurmStats } from '../../core/contract/allocation.ts';
import type { Input } from '../../core/contract/routes.ts';
import type { Database, ColumnValue } from '../store/database.ts';
import { columns, insertInto, setGiven, update } from '../store/columns.ts';
import { allocationColumns, allocationRecordOf, type AllocationRow } from '../records/allocation/row.ts';
import { insertEvent } from '../records/event/queries.ts';
import { unsettled } from '../records/rows/job.ts';
import { presentFields, type RowOf } from '../records/present.ts';
import { recordTable } from '../records/records.ts';
import { insertStats } from '../records/slurm-stats.ts';
import { createListing } from '../store/listing.ts';
import type { ComputeNodeRow } from '../records/node/queries.ts';
import { STATUS } from '../records/rows/status.ts';

/** Of a runner that registers. */
export const nodeColumns = [
  ...columns('workflow_id hostname pid start_time end_time duration_seconds is_active'),
  ...columns('num_cpus memory_gb num_gpus num_nodes time_limit scheduler_config_id'),
  ...columns('compute_node_type scheduler labels process'),
];
export const nodeChanges = [
  ...columns('hostname pid end_time duration_seconds is_active sample_count'),
  ...columns('peak_cpu_percent avg_cpu_percent peak_memory_bytes avg_memory_bytes energy_joules machine_cpu_seconds'),
];

export const allocateQueries = (db: Database) => ({
  allocations: recordTable<Input<'listScheduledComputeNodes'>['query'], AllocationRow, ScheduledComputeNode>(
    db,
    {
      table: 'scheduled_compute_node',
      filters: {
        workflow_id: 'equal',
        scheduler_id: 'equal',
        scheduler_config_id: 'equal',
        status: 'equal',
        is_open: ":is_open = (status in ('pending', 'active'))",
      },
      sortable: sortFields.scheduled_compute_node,
    },
    allocationRecordOf,
  ),
  updateAllocation: db.prepare<Record<string, ColumnValue>>(update('scheduled_compute_node', allocationColumns)),
  changeAllocation: db.prepare<Record<string, ColumnValue>>(`
    update scheduled_compute_node set
      status = :status,
      held = :held,
      plan = case when :maxQueued is null or plan is null then plan else json_set(plan, '$.max_queued', :maxQueued) end,
      scheduler_id = coalesce(:schedulerId, scheduler_id),
      array_job_id = case when :status = 'planned' then null else coalesce(:arrayJobId, array_job_id) end,
      array_task_id = case when :status = 'planned' then null else coalesce(id - :arrayRecordId, array_task_id) end
    where id = :id and workflow_id = :workflowId and status = :from`),
  // These filters have no effect in Torc 1.0.0; here they filter.
  localSchedulers: recordTable<Input<'listLocalSchedulers'>['query'], Required<LocalScheduler>, LocalScheduler>(
    db,
    {
      table: 'local_scheduler',
      filters: { workflow_id: 'equal', memory: 'equal', num_cpus: 'equal' },
      sortable: ['memory', 'num_cpus'],
    },
    (row) => row,
  ),
  insertLocalScheduler: db.prepare<Record<string, ColumnValue>>(
    insertInto('local_scheduler', ['workflow_id', 'memory', 'num_cpus']),
  ),
  updateLocalScheduler: db.prepare<Record<string, ColumnValue>>(update('local_scheduler', ['memory', 'num_cpus'])),
  addWorker: db.prepare<{ workflowId: number; worker: string }>(
    'insert or ignore into remote_worker (workflow_id, worker) values (:workflowId, :worker)',
  ),
  workers: db.prepare<{ workflowId: number }, RemoteWorker>(
    'select worker, workflow_id from remote_worker where workflow_id = :workflowId order by worker',
  ),
  removeWorker: db.prepare<{ workflowId: number; worker: string }>(
    'delete from remote_worker where workflow_id = :workflowId and worker = :worker',
  ),

  insertStats: insertStats(db),
  statsOf: db.prepare<{ jobId: number; runId: number; attemptId: number }, { id: number }>(
    'select id from slurm_stats where job_id = :jobId and run_id = :runId and attempt_id = :attemptId',
  ),
  listStats: createListing<Input<'listSlurmStats'>['query'], RowOf<SlurmStats>, SlurmStats>(
    db,
    {
      table: 'slurm_stats',
      filters: { workflow_id: 'equal', job_id: 'equal', run_id: 'equal', attempt_id: 'equal' },
      sortable: ['job_id', 'run_id'],
    },
    presentFields,
  ),

  insertNode: db.prepare<Record<string, ColumnValue>>(insertInto('compute_node', nodeColumns)),
  getNode: db.prepare<{ id: number }, ComputeNodeRow>('select * from compute_node where id = :id'),
  updateNode: db.prepare<Record<string, ColumnValue>>(
    `update compute_node set ${setGiven(nodeChanges)} where id = :id`,
  ),
  // Assigned to the runner and never started. The runner releases the job first, so that no attempt is left behind.
  unstarted: db.prepare<{ workflowId: number; nodeId: number }, { id: number }>(`
    select id
    from job
    where workflow_id = :workflowId and status = ${STATUS.pending} and ${unsettled} and claimed_by = :nodeId
    order by id`),
  letGo: db.prepare<{ id: number }>('update job set claimed_by = null where id = :id'),
  giveBack: db.prepare<{ id: number }>(`update job set status = ${STATUS.ready} where id = :id`),
  // Claimed ahead: it starts nothing more, so they wait on in the name of no runner.
  letGoAhead: db.prepare<{ nodeId: number }>(
    `update job set claimed_by = null where claimed_by = :nodeId and status = ${STATUS.blocked}`,
  ),
  runningIn: db.prepare<{ workflowId: number; nodeId: number }, { id: number }>(`
    select id
    from job
    where workflow_id = :workflowId and status = ${STATUS.running} and ${unsettled} and claimed_by = :nodeId
    order by id`),
  writeEvent: insertEvent(db),
});

export type AllocateQueries = ReturnType<typeof allocateQueries>;
