import * as z from 'zod';
import { JobStatusCounts } from './job.ts';
import { amounts, environment, flag, id, integer, json, maybe, number, stored, text } from './shape.ts';
import { LimitedJobs } from './waiting-limit.ts';

export const Stdio = z.strictObject({
  mode: maybe(z.enum(['separate', 'combined', 'no_stdout', 'no_stderr', 'none'])),
  delete_on_success: maybe(flag),
});
export type Stdio = z.output<typeof Stdio>;

export const ExecutionConfig = z.strictObject({
  mode: maybe(z.enum(['direct', 'slurm', 'auto'])),
  limit_resources: maybe(flag),
  /** addition: jobs get no more CPU time than they asked for. */
  limit_cpus: maybe(flag),
  /** addition: jobs that asked for no GPU see none. */
  hide_gpus: maybe(flag),
  termination_signal: maybe(text),
  sigterm_lead_seconds: maybe(integer),
  sigkill_headroom_seconds: maybe(integer),
  timeout_exit_code: maybe(integer),
  oom_exit_code: maybe(integer),
  srun_termination_signal: maybe(text),
  srun_mpi: maybe(text),
  enable_cpu_bind: maybe(flag),
  staggered_start: maybe(flag),
  /** addition: jobs of one node run inside one long step of Slurm. */
  step_batching: maybe(flag),
  /** addition: the longest time that a job may run which has no timeout of its own. An ISO 8601 duration. */
  timeout: maybe(text),
  /** addition: the requested runtime of a job is its timeout. */
  timeout_by: maybe(z.enum(['runtime'])),
  /** addition: what becomes of a job that exits with 0 and did not touch an output that was there before. */
  stale_outputs: maybe(z.enum(['warn', 'fail'])),
  /** addition: by what it is decided whether an input has changed. */
  rerun: maybe(z.enum(['time', 'content'])),
  /** addition: a pipe fails with any of its commands. */
  pipefail: maybe(flag),
  stdio: maybe(Stdio),
  job_stdio_overrides: maybe(z.record(text, Stdio)),
});
export type ExecutionConfig = z.output<typeof ExecutionConfig>;

const granularity = z.enum(['summary', 'time_series']);

export const ResourceMonitorConfig = z.object({
  enabled: maybe(flag),
  granularity: maybe(granularity),
  sample_interval_seconds: maybe(integer),
  flush_interval_seconds: maybe(integer),
  generate_plots: maybe(flag),
  sonar: maybe(flag),
  jobs: maybe(z.object({ enabled: maybe(flag), granularity: maybe(granularity) })),
  compute_node: maybe(
    z.object({
      enabled: maybe(flag),
      granularity: maybe(granularity),
      cpu: maybe(flag),
      memory: maybe(flag),
    }),
  ),
});
export type ResourceMonitorConfig = z.output<typeof ResourceMonitorConfig>;

export const NewWorkflow = z.object({
  id: maybe(id),
  name: text,
  user: text,
  description: maybe(text),
  timestamp: maybe(text),
  project: maybe(text),
  metadata: maybe(z.record(text, json)),
  env: maybe(environment),
  compute_node_expiration_buffer_seconds: maybe(integer),
  compute_node_wait_for_new_jobs_seconds: maybe(integer),
  compute_node_ignore_workflow_completion: maybe(flag),
  compute_node_wait_for_healthy_database_minutes: maybe(integer),
  compute_node_min_time_for_new_jobs_seconds: maybe(integer),
  resource_monitor_config: maybe(ResourceMonitorConfig),
  execution_config: maybe(ExecutionConfig),
  slurm_defaults: maybe(z.record(text, json)),
  use_pending_failed: maybe(flag),
  enable_ro_crate: maybe(flag),
  dynamic_jobs: maybe(z.strictObject({ max_iterations: maybe(integer) })),
  /** addition: how much jobs of the workflow may hold at a time: of `jobs`, `cores`, `gpus` and `nodes`, and of what `licenses` name. */
  limits: maybe(amounts),
  access_groups: maybe(z.array(text)),
  submission_directory: maybe(text),
  run_id: maybe(integer),
  is_canceled: maybe(flag),
  is_archived: maybe(flag),
  /** addition: the absolute path of the file from which a client created or last updated the workflow, on its machine. */
  spec_file: maybe(text),
  /** addition: the client still creates records of the workflow. The client sets it to false at the end; then it is absent. */
  is_being_created: maybe(flag),
});
export type NewWorkflow = z.output<typeof NewWorkflow>;
export const Workflow = stored(NewWorkflow);
export type Workflow = z.output<typeof Workflow>;

/** A change of a workflow: fields that are left out keep their value. */
export const WorkflowChange = NewWorkflow.partial();
export type WorkflowChange = z.output<typeof WorkflowChange>;

/**
 * The status of a workflow in one request. The store maintains the counts, so it costs the same for ten jobs or a
 * million.
 */
export const WorkflowStatus = z.object({
  workflow_id: id,
  workflow_name: text,
  workflow_user: text,
  total_jobs: integer,
  jobs_by_status: JobStatusCounts,
  total_exec_time_minutes: number,
  walltime_seconds: maybe(number),
  active_compute_nodes: integer,
  pending_scheduled_nodes: integer,
  active_scheduled_nodes: integer,
  is_complete: flag,
  is_canceled: flag,
  runtime_blocked_ready_jobs: integer,
  longest_ready_runtime_seconds: maybe(integer),
  max_allocation_remaining_seconds: maybe(integer),
  unserved_ready_labels: maybe(z.record(text, integer)),
  /** Addition: the creation of the workflow is in progress or was interrupted. */
  is_being_created: maybe(flag),
  /** Addition: the number of the current run, which is part of the names of files and journals. */
  run_id: maybe(integer),
  /** Addition: the jobs of the choice that the request names, by status. */
  chosen_by_status: maybe(JobStatusCounts),
  /** Addition: limits that keep ready jobs waiting. Absent if there are none. */
  waiting_limits: maybe(z.array(LimitedJobs)),
  /**
   * Addition: attempts that a runner still holds although their job was canceled or reset. Their jobs are not assigned
   * before these attempts end. Absent if there are none.
   */
  held_attempts: maybe(z.array(z.object({ compute_node_id: id, hostname: text, attempts: integer }))),
});
export type WorkflowStatus = z.output<typeof WorkflowStatus>;
