import type { RunningJob, SlurmJobCorrelation } from '../../core/contract/allocation.ts';
import type { Event } from '../../core/contract/event.ts';
import type { Job } from '../../core/contract/job.ts';
import type { Result } from '../../core/contract/result.ts';
import type { FailureHandler } from '../../core/contract/scheduling.ts';
import type { ResourceRequirements } from '../../core/contract/resources.ts';
import type { Workflow } from '../../core/contract/workflow.ts';
import type { Database } from '../store/database.ts';
import { jobColumns, jobOf, type JobRow, unsettled } from '../records/job/row.ts';
import { eventOf, insertEvent } from '../records/event/row.ts';
import { contains, createListing } from '../store/listing.ts';
import { requirementsColumns, type RequirementsRow } from '../records/requirements/row.ts';
import { resultColumns, resultOf, type ResultRow, resultTables } from '../records/result/row.ts';
import { present } from '../records/present.ts';
import { type SharedWorkflowRow, workflowColumns, workflowOf } from '../records/workflow/row.ts';

type Asked<Fields> = { [F in keyof Fields]?: Fields[F] | undefined };
type OfWorkflow = Asked<{ workflow_id: number }>;

const sortable = (table: string, columns: readonly string[]) =>
  Object.fromEntries(columns.map((column) => [column, `${table}.${column}`]));

export const reportQueries = (db: Database) => ({
  listWorkflows: createListing<
    Asked<{
      name: string;
      user: string;
      description: string;
      is_archived: boolean;
      access_group: string;
      seen_by: string;
    }>,
    SharedWorkflowRow,
    Workflow
  >(
    db,
    {
      columns: workflowColumns,
      // Rows of deleted workflows may be left for a while.
      from: '(select * from workflow where removed_at_ms is null) workflow',
      filters: {
        name: 'workflow.name = :name',
        user: 'workflow.user = :user',
        description: contains('workflow.description', 'description'),
        is_archived: 'workflow.is_archived = :is_archived',
        access_group: `workflow.id in (
          select share.workflow_id
          from workflow_access_group share
          join access_group on access_group.id = share.group_id
          where access_group.name = :access_group)`,
        seen_by: `(workflow.user = :seen_by or workflow.id in (
          select share.workflow_id
          from workflow_access_group share
          join user_group_membership member on member.group_id = share.group_id
          where member.user_name = :seen_by))`,
      },
      sortable: sortable('workflow', [
        'id',
        'name',
        'user',
        'description',
        'timestamp',
        'project',
        'run_id',
        'is_archived',
        'is_canceled',
      ]),
      idColumn: 'workflow.id',
    },
    workflowOf,
  ),

  listJobs: createListing<
    OfWorkflow &
      Asked<{
        status: number;
        needs_file_id: number;
        upstream_job_id: number;
        active_compute_node_id: number;
        origin_is_set: boolean;
        name: string;
        command: string;
        /** A set of labels as JSON text. */
        labels: string;
      }>,
    JobRow,
    Job
  >(
    db,
    {
      columns: jobColumns,
      from: 'job',
      filters: {
        workflow_id: 'job.workflow_id = :workflow_id',
        status: 'job.status = :status',
        needs_file_id: 'job.id in (select job_id from job_input_file where file_id = :needs_file_id)',
        upstream_job_id: 'job.id in (select job_id from job_depends_on where depends_on_job_id = :upstream_job_id)',
        active_compute_node_id: 'job.compute_node_id = :active_compute_node_id',
        origin_is_set: (asked) => (asked ? 'job.origin is not null' : 'job.origin is null'),
        name: contains('job.name', 'name'),
        command: contains('job.command', 'command'),
        // The jobs that a runner with these labels could claim; labels.ts contains the rule.
        labels: (asked) =>
          asked === '[]'
            ? 'job.labels is null'
            : `job.labels is not null and not exists (
                select 1 from json_each(job.labels) own where own.value not in (select value from json_each(:labels)))`,
      },
      sortable: sortable('job', [
        'id',
        'workflow_id',
        'name',
        'command',
        'env',
        'cancel_on_blocking_job_failure',
        'supports_termination',
        'resource_requirements_id',
        'invocation_script',
        'status',
        'scheduler_id',
        'failure_handler_id',
        'attempt_id',
      ]),
      idColumn: 'job.id',
      total: keptTotal(db),
    },
    jobOf,
  ),
  jobIds: db.prepare<{ workflowId: number }, { id: number }>(
    'select id from job where workflow_id = :workflowId order by id',
  ),

  listRequirements: createListing<
    OfWorkflow &
      Asked<{ name: string; memory: string; num_cpus: number; num_gpus: number; num_nodes: number; runtime: number }>,
    RequirementsRow,
    ResourceRequirements
  >(
    db,
    {
      columns: requirementsColumns.join(', '),
      from: 'resource_requirements',
      filters: {
        workflow_id: 'workflow_id = :workflow_id',
        name: 'name = :name',
        memory: 'memory = :memory',
        num_cpus: 'num_cpus = :num_cpus',
        num_gpus: 'num_gpus = :num_gpus',
        num_nodes: 'num_nodes = :num_nodes',
        runtime: 'runtime_s = :runtime',
      },
      sortable: sortable('resource_requirements', requirementsColumns),
      idColumn: 'id',
    },
    (row) => row,
  ),
  requirements: db.prepare<{ id: number }, RequirementsRow>(
    `select ${requirementsColumns.join(', ')} from resource_requirements where id = :id`,
  ),

  listHandlers: createListing<OfWorkflow, FailureHandler, FailureHandler>(
    db,
    {
      columns: 'failure_handler.*',
      from: 'failure_handler',
      filters: { workflow_id: 'failure_handler.workflow_id = :workflow_id' },
      sortable: sortable('failure_handler', ['id', 'name']),
      idColumn: 'failure_handler.id',
    },
    (row) => row,
  ),

  listResults: createListing<
    OfWorkflow &
      Asked<{
        job_id: number;
        run_id: number;
        return_code: number;
        status: number;
        compute_node_id: number;
        all_runs: boolean;
      }>,
    ResultRow,
    Result
  >(
    db,
    {
      columns: resultColumns,
      from: resultTables,
      filters: {
        workflow_id: 'result.workflow_id = :workflow_id',
        job_id: 'result.job_id = :job_id',
        run_id: 'result.run_id = :run_id',
        return_code: 'result.return_code = :return_code',
        status: 'result.status = :status',
        compute_node_id: 'result.compute_node_id = :compute_node_id',
        all_runs: (asked) => (asked ? undefined : 'job.result_id = result.id'),
      },
      sortable: sortable('result', [
        'id',
        'job_id',
        'workflow_id',
        'run_id',
        'attempt_id',
        'compute_node_id',
        'return_code',
        'exec_time_minutes',
        'completion_time',
        'status',
        'peak_memory_bytes',
        'avg_memory_bytes',
        'peak_cpu_percent',
        'avg_cpu_percent',
      ]),
      idColumn: 'result.id',
    },
    resultOf,
  ),
  result: db.prepare<{ id: number }, ResultRow>(`select ${resultColumns} from ${resultTables} where result.id = :id`),
  resultOf,

  listRunningJobs: createListing<OfWorkflow, RunningRow, RunningJob>(
    db,
    {
      columns: `job.id as job_id, job.name as job_name, node.hostname as compute_node_name,
        node.compute_node_type as scheduler_type, cast(allocation.scheduler_id as text) as scheduler_job_id,
        job.start_time`,
      from: `job
        join compute_node node on node.id = job.compute_node_id
        left join scheduled_compute_node allocation
          on allocation.id = json_extract(node.scheduler, '$.scheduler_id')`,
      filters: { workflow_id: `job.workflow_id = :workflow_id and job.status = 4 and ${unsettled}` },
      sortable: { job_id: 'job.id' },
      idColumn: 'job.id',
    },
    present,
  ),

  listSlurmJobs: createListing<OfWorkflow, SlurmJobCorrelation, SlurmJobCorrelation>(
    db,
    {
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
      filters: { workflow_id: 'correlation.workflow_id = :workflow_id' },
      sortable: {},
      idColumn: 'slurm_job_id, job_id',
    },
    (row) => row,
  ),

  insertEvent: insertEvent(db),
  event: db.prepare<{ id: number }, Parameters<typeof eventOf>[0]>('select * from event where id = :id'),
  listEvents: createListing<
    OfWorkflow & Asked<{ category: string; after_timestamp: number }>,
    Parameters<typeof eventOf>[0],
    Event
  >(
    db,
    {
      columns: 'event.*',
      from: 'event',
      filters: {
        workflow_id: 'event.workflow_id = :workflow_id',
        category: "json_extract(event.data, '$.category') = :category",
        after_timestamp: 'event.timestamp > :after_timestamp',
      },
      sortable: sortable('event', ['id', 'workflow_id', 'timestamp', 'data']),
      idColumn: 'event.id',
    },
    eventOf,
  ),
});

type RunningRow = Required<{ [F in keyof RunningJob]: Exclude<RunningJob[F], undefined> }>;

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
  return ({ workflow_id: workflowId, status, ...others }: OfWorkflow & Asked<{ status: number }>) => {
    if (workflowId === undefined || Object.values(others).some((asked) => asked !== undefined)) return undefined;
    return (status === undefined ? all.get({ workflowId }) : some.get({ workflowId, status }))?.jobs ?? undefined;
  };
}
