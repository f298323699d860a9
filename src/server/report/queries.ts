import type { RunningJob, SlurmJobCorrelation } from '../../core/contract/allocation.ts';
import type { Event } from '../../core/contract/event.ts';
import type { Job } from '../../core/contract/job.ts';
import type { Result } from '../../core/contract/result.ts';
import type { FailureHandler } from '../../core/contract/scheduling.ts';
import type { ResourceRequirements } from '../../core/contract/resources.ts';
import type { Workflow } from '../../core/contract/workflow.ts';
import type { Database } from '../store/database.ts';
import { jobColumns, jobOf, type JobRow, unsettled } from '../store/job-row.ts';
import { eventOf, insertEvent } from '../store/event-row.ts';
import { contains, createListing } from '../store/listing.ts';
import { requirementsColumns, type RequirementsRow } from '../store/requirements-row.ts';
import { resultColumns, resultOf, type ResultRow, resultTables } from '../store/result-row.ts';
import { present } from '../store/present.ts';
import { type SharedWorkflowRow, workflowColumns, workflowOf } from '../store/workflow-row.ts';

type Asked<Fields> = { [F in keyof Fields]?: Fields[F] | undefined };
type OfWorkflow = Asked<{ workflow_id: number }>;

const sortable = (table: string, columns: readonly string[]) =>
  Object.fromEntries(columns.map((column) => [column, `${table}.${column}`]));

/** How long the jobs of a workflow took in all, and from when to when in Unix seconds. */
interface WorkflowTime {
  readonly minutes: number;
  readonly first_s: number | null;
  readonly last_s: number | null;
  /** It is not what the results say any more. */
  readonly is_stale: number;
}

/** What the jobs of a class need, and how many of them are ready. */
export interface ReadyNeeds {
  readonly jobs: number;
  readonly num_cpus: number;
  readonly num_gpus: number;
  readonly num_nodes: number;
  readonly memory_bytes: number;
  readonly runtime: string;
  readonly runtime_s: number;
}

/** Which field of a job tells which column of which table. */
const RELATIONS = [
  ['depends_on_job_ids', 'depends_on_job_id', 'job_depends_on'],
  ['input_file_ids', 'file_id', 'job_input_file'],
  ['output_file_ids', 'file_id', 'job_output_file'],
  ['input_user_data_ids', 'user_data_id', 'job_input_user_data'],
  ['output_user_data_ids', 'user_data_id', 'job_output_user_data'],
] as const;

/** For each field what it tells of these jobs, given as JSON text: a page is asked for at once, not job by job. */
const relations = (db: Database) =>
  RELATIONS.map(([field, column, table]) => ({
    field,
    rows: db.prepare<{ jobs: string }, { job_id: number; id: number }>(`
      select job_id, ${column} as id from ${table}
      where job_id in (select value from json_each(:jobs))
      order by 1, 2`),
  }));

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
      from: 'workflow',
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
        // What a runner with these labels could claim; labels.ts says the rule.
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

  relations: relations(db),

  listDependencies: createListing<OfWorkflow, DependencyRow, DependencyRow>(
    db,
    {
      columns: `edge.job_id, job.name as job_name, edge.depends_on_job_id, upstream.name as depends_on_job_name, job.workflow_id`,
      from: `job_depends_on edge join job on job.id = edge.job_id join job upstream on upstream.id = edge.depends_on_job_id`,
      filters: { workflow_id: 'job.workflow_id = :workflow_id' },
      sortable: { job_id: 'edge.job_id', depends_on_job_id: 'edge.depends_on_job_id', workflow_id: 'job.workflow_id' },
      idColumn: 'edge.job_id',
    },
    (row) => row,
  ),
  listFileRelationships: createListing<
    OfWorkflow,
    FileRelationshipRow,
    ReturnType<typeof present<FileRelationshipRow>>
  >(
    db,
    {
      columns: `file.id as file_id, file.name as file_name, file.path as file_path, file.workflow_id,
        producer.id as producer_job_id, producer.name as producer_job_name,
        consumer.id as consumer_job_id, consumer.name as consumer_job_name`,
      from: relationships('file', 'file'),
      filters: { workflow_id: `file.workflow_id = :workflow_id and ${isUsed}` },
      sortable: { workflow_id: 'file.workflow_id' },
      idColumn: 'file.id',
    },
    present,
  ),
  listUserDataRelationships: createListing<
    OfWorkflow,
    UserDataRelationshipRow,
    ReturnType<typeof present<UserDataRelationshipRow>>
  >(
    db,
    {
      columns: `user_data.id as user_data_id, user_data.name as user_data_name, user_data.workflow_id,
        producer.id as producer_job_id, producer.name as producer_job_name,
        consumer.id as consumer_job_id, consumer.name as consumer_job_name`,
      from: relationships('user_data', 'user_data'),
      filters: { workflow_id: `user_data.workflow_id = :workflow_id and ${isUsed}` },
      sortable: { workflow_id: 'user_data.workflow_id' },
      idColumn: 'user_data.id',
    },
    present,
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

  // How a workflow stands.
  time: db.prepare<{ workflowId: number }, WorkflowTime>(
    'select minutes, first_s, last_s, is_stale from workflow_time where workflow_id = :workflowId',
  ),
  countTime: db.prepare<{ workflowId: number }>(`
    insert or replace into workflow_time (workflow_id, minutes, first_s, last_s, is_stale)
    select :workflowId, coalesce(sum(result.exec_time_minutes), 0),
      min((julianday(result.completion_time) - 2440587.5) * 86400 - result.exec_time_minutes * 60),
      max((julianday(result.completion_time) - 2440587.5) * 86400), 0
    from result
    join job on job.id = result.job_id
    where result.workflow_id = :workflowId and job.result_id = result.id`),
  activeNodes: db.prepare<{ workflowId: number }, { labels: string | null; end_time: string | null }>(
    'select labels, end_time from compute_node where workflow_id = :workflowId and is_active = 1',
  ),
  readyNeeds: db.prepare<{ workflowId: number; schedulerId: number | null }, ReadyNeeds>(`
    select needs.*, (select count(*) from job where job.class_id = class.id and job.status = 2) as jobs
    from job_class class
    join resource_requirements needs on needs.id = class.resource_requirements_id
    where class.workflow_id = :workflowId and (:schedulerId is null or class.scheduler_id = :schedulerId)`),
  allocations: db.prepare<{ workflowId: number; status: string }, { allocations: number }>(`
    select count(*) as allocations
    from scheduled_compute_node
    where workflow_id = :workflowId and status = :status`),
  // The classes of which jobs are ready, and how long these may take. How many they are is a question of its own: it
  // takes 30 ms for a million, and mostly nobody has it.
  readyClasses: db.prepare<{ workflowId: number }, { id: number; labels: string | null; runtime_s: number }>(`
    select job_class.id, job_class.labels, needs.runtime_s
    from job_class
    join resource_requirements needs on needs.id = job_class.resource_requirements_id
    where job_class.workflow_id = :workflowId
      and exists (select 1 from job where job.class_id = job_class.id and job.status = 2)`),
  readyOfClass: db.prepare<{ id: number }, { jobs: number }>(
    'select count(*) as jobs from job where class_id = :id and status = 2',
  ),
});

type RunningRow = Required<{ [F in keyof RunningJob]: Exclude<RunningJob[F], undefined> }>;

export type ReportQueries = ReturnType<typeof reportQueries>;

/**
 * How many jobs of a workflow, or of one of its statuses, there are: the store keeps that, and to count a million takes 25 ms.
 * With any other filter they are counted.
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

export interface DependencyRow {
  job_id: number;
  job_name: string;
  depends_on_job_id: number;
  depends_on_job_name: string;
  workflow_id: number;
}

interface Ends {
  workflow_id: number;
  producer_job_id: number | null;
  producer_job_name: string | null;
  consumer_job_id: number | null;
  consumer_job_name: string | null;
}

type FileRelationshipRow = Ends & { file_id: number; file_name: string; file_path: string };
type UserDataRelationshipRow = Ends & { user_data_id: number; user_data_name: string };

/** Does any job make or read the record? The others are in no relationship. */
const isUsed = '(makes.job_id is not null or reads.job_id is not null)';

/** Records with the jobs that make and read them: a row for each pair, with one side empty where there is none. */
function relationships(record: string, edge: string): string {
  return `${record}
    left join job_output_${edge} makes on makes.${edge}_id = ${record}.id
    left join job_input_${edge} reads on reads.${edge}_id = ${record}.id
    left join job producer on producer.id = makes.job_id
    left join job consumer on consumer.id = reads.job_id`;
}
