// Made by scripts/gen-library.ts from the table of routes: what `import … from 'torc'` gives.

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

export interface NewAccessGroup {
  name: string;
  description?: string | null | undefined;
  created_at?: string | null | undefined;
}

export interface AccessGroup extends NewAccessGroup {
  id: number;
}

export interface NewComputeNode {
  workflow_id: number;
  hostname: string;
  pid: number;
  start_time: string;
  end_time?: string | null | undefined;
  duration_seconds?: number | null | undefined;
  is_active?: boolean | null | undefined;
  num_cpus: number;
  memory_gb: number;
  num_gpus: number;
  num_nodes: number;
  time_limit?: string | null | undefined;
  scheduler_config_id?: number | null | undefined;
  compute_node_type: string;
  scheduler?: Json | null | undefined;
  sample_count?: number | null | undefined;
  peak_cpu_percent?: number | null | undefined;
  avg_cpu_percent?: number | null | undefined;
  peak_memory_bytes?: number | null | undefined;
  avg_memory_bytes?: number | null | undefined;
  energy_joules?: number | null | undefined;
  machine_cpu_seconds?: number | null | undefined;
  labels?: string[] | null | undefined;
  process?: {
    boot_id: string;
    pid_namespace: string;
    start_ticks: number;
    mark: string;
    ledger: string;
    machine_id?: string | null | undefined;
    hardware_ids?: string[] | null | undefined;
    slurm_job_id?: string | null | undefined;
    max_parallel_jobs?: number | null | undefined;
    strict_scheduler_match?: boolean | null | undefined;
    clock_ahead_seconds?: number | null | undefined;
  } | null | undefined;
}

export interface ComputeNode extends NewComputeNode {
  id: number;
}

export interface ComputeNodesResources {
  id?: number | null | undefined;
  num_cpus: number;
  memory_gb: number;
  num_gpus: number;
  num_nodes: number;
  scheduler_config_id?: number | null | undefined;
  time_limit?: string | null | undefined;
  labels?: string[] | null | undefined;
}

export interface NewEvent {
  workflow_id: number;
  timestamp: number;
  data: Json;
}

export interface Event extends NewEvent {
  id: number;
}

export interface NewFailureHandler {
  workflow_id: number;
  name: string;
  rules: string;
}

export interface FailureHandler extends NewFailureHandler {
  id: number;
}

export interface NewFile {
  workflow_id: number;
  name: string;
  path: string;
  st_mtime?: number | null | undefined;
  temporary?: boolean | null | undefined;
  protected?: boolean | null | undefined;
  removal?: "due" | "deleting" | "deleted" | "absent" | "changed" | "failed" | "cleaned" | null | undefined;
  removed_bytes?: number | null | undefined;
  size_bytes?: number | null | undefined;
  made_by?: {
    jobs: number;
    first: {
      job_id: number;
      job_name: string;
    }[];
  } | null | undefined;
  read_by?: {
    jobs: number;
    first: {
      job_id: number;
      job_name: string;
    }[];
  } | null | undefined;
}

export interface File extends NewFile {
  id: number;
}

export interface NewJob {
  workflow_id: number;
  name: string;
  command: string;
  invocation_script?: string | null | undefined;
  env?: Record<string, string> | null | undefined;
  status?: JobStatus | null | undefined;
  cancel_on_blocking_job_failure?: boolean | null | undefined;
  supports_termination?: boolean | null | undefined;
  depends_on_job_ids?: number[] | null | undefined;
  input_file_ids?: number[] | null | undefined;
  output_file_ids?: number[] | null | undefined;
  input_user_data_ids?: number[] | null | undefined;
  output_user_data_ids?: number[] | null | undefined;
  resource_requirements_id?: number | null | undefined;
  scheduler_id?: number | null | undefined;
  failure_handler_id?: number | null | undefined;
  attempt_id?: number | null | undefined;
  refunded_attempts?: number | null | undefined;
  removed_at_ms?: number | null | undefined;
  priority?: number | null | undefined;
  compute_node_id?: number | null | undefined;
  start_time?: string | null | undefined;
  origin?: string | null | undefined;
  labels?: string[] | null | undefined;
  timeout?: string | null | undefined;
  licenses?: Record<string, number> | null | undefined;
}

export interface Job extends NewJob {
  id: number;
}

export type JobStatus = "uninitialized" | "blocked" | "ready" | "pending" | "running" | "completed" | "failed" | "canceled" | "terminated" | "disabled" | "pending_failed";

export interface NewLocalScheduler {
  workflow_id: number;
  name?: string | null | undefined;
  memory?: string | null | undefined;
  num_cpus?: number | null | undefined;
}

export interface LocalScheduler extends NewLocalScheduler {
  id: number;
}

export interface RemoteWorker {
  worker: string;
  workflow_id: number;
}

export interface NewResourceRequirements {
  workflow_id: number;
  name: string;
  num_cpus?: number | null | undefined;
  num_gpus?: number | null | undefined;
  num_nodes?: number | null | undefined;
  memory?: string | null | undefined;
  runtime?: string | null | undefined;
  licenses?: Record<string, number> | null | undefined;
}

export interface ResourceRequirements extends NewResourceRequirements {
  id: number;
}

export interface NewResult {
  job_id: number;
  job_name?: string | null | undefined;
  workflow_id: number;
  run_id: number;
  attempt_id?: number | null | undefined;
  compute_node_id: number;
  return_code: number;
  exec_time_minutes: number;
  completion_time: string;
  status: JobStatus;
  peak_memory_bytes?: number | null | undefined;
  avg_memory_bytes?: number | null | undefined;
  peak_cpu_percent?: number | null | undefined;
  avg_cpu_percent?: number | null | undefined;
  peak_gpu_memory_bytes?: number | null | undefined;
  gpu_memory_bytes?: number | null | undefined;
  avg_gpu_watts?: number | null | undefined;
  cause?: string | null | undefined;
  cause_code?: "exit" | "not_found" | "not_executable" | "crash" | "signal" | "killed" | "memory" | "time" | "node" | "allocation" | "stopped" | "canceled" | "lost" | "unproven" | "asked" | "missing_output" | "stale_output" | "disk" | "dependency" | "adopted" | null | undefined;
  handler_limit?: "max" | "attempts" | null | undefined;
}

export interface Result extends NewResult {
  id: number;
}

export interface NewRoCrateEntity {
  workflow_id: number;
  entity_id: string;
  entity_type: string;
  metadata: Record<string, Json>;
  file_id?: number | null | undefined;
}

export interface RoCrateEntity extends NewRoCrateEntity {
  id: number;
}

export interface NewScheduledComputeNodes {
  workflow_id: number;
  scheduler_id: number;
  scheduler_config_id: number;
  scheduler_type: string;
  status: string;
  array_job_id?: number | null | undefined;
  array_task_id?: number | null | undefined;
  plan?: {
    allocations: number;
    start_one_worker_per_node?: boolean | null | undefined;
    max_parallel_jobs?: number | null | undefined;
    job_prefix?: string | null | undefined;
    max_queued?: number | null | undefined;
    action_id?: number | null | undefined;
    replaces?: number | null | undefined;
  } | null | undefined;
  held?: string | null | undefined;
}

export interface ScheduledComputeNodes extends NewScheduledComputeNodes {
  id: number;
}

export interface NewSlurmScheduler {
  workflow_id: number;
  name?: string | null | undefined;
  account: string;
  nodes: number;
  walltime: string;
  gres?: string | null | undefined;
  mem?: string | null | undefined;
  ntasks_per_node?: number | null | undefined;
  partition?: string | null | undefined;
  qos?: string | null | undefined;
  tmp?: string | null | undefined;
  extra?: string | null | undefined;
  serialize_allocations?: boolean | null | undefined;
  pbs?: {
    project?: string | null | undefined;
    select?: string | null | undefined;
    place?: string | null | undefined;
  } | null | undefined;
}

export interface SlurmScheduler extends NewSlurmScheduler {
  id: number;
}

export interface NewSlurmStats {
  workflow_id: number;
  job_id: number;
  run_id: number;
  attempt_id: number;
  slurm_job_id?: string | null | undefined;
  max_rss_bytes?: number | null | undefined;
  max_vm_size_bytes?: number | null | undefined;
  max_disk_read_bytes?: number | null | undefined;
  max_disk_write_bytes?: number | null | undefined;
  ave_cpu_seconds?: number | null | undefined;
  node_list?: string | null | undefined;
  slurm_step?: string | null | undefined;
}

export interface SlurmStats extends NewSlurmStats {
  id: number;
}

export interface SpawnJobsRequest {
  jobs: {
    name: string;
    command: string;
    resource_requirements?: string | null | undefined;
    depends_on?: string[] | null | undefined;
    cancel_on_blocking_job_failure?: boolean | null | undefined;
    priority?: number | null | undefined;
    labels?: string[] | null | undefined;
  }[];
  lineage?: string | null | undefined;
  state?: Json | undefined;
}

export interface SpawnJobsResponse {
  spawned_job_ids: number[];
  iteration: number;
}

export interface Task {
  id: number;
  workflow_id: number;
  operation: string;
  status: TaskStatus;
  created_at_ms: number;
  started_at_ms?: number | null | undefined;
  finished_at_ms?: number | null | undefined;
  error?: string | null | undefined;
}

export type TaskStatus = "queued" | "running" | "succeeded" | "failed";

export interface NewUserData {
  workflow_id: number;
  name: string;
  data?: Json | null | undefined;
  is_ephemeral?: boolean | null | undefined;
}

export interface UserData extends NewUserData {
  id: number;
}

export interface NewUserGroupMembership {
  user_name: string;
  group_id: number;
  role: string;
  created_at?: string | null | undefined;
}

export interface UserGroupMembership extends NewUserGroupMembership {
  id: number;
}

export interface WorkflowAccessGroup {
  workflow_id: number;
  group_id: number;
  created_at?: string | null | undefined;
}

export interface NewWorkflowAction {
  workflow_id: number;
  trigger_type: string;
  action_type: string;
  action_config: Json;
  job_ids?: number[] | null | undefined;
  trigger_count?: number | null | undefined;
  required_triggers?: number | null | undefined;
  executed?: boolean | null | undefined;
  executed_at?: string | null | undefined;
  executed_by?: number | null | undefined;
  persistent?: boolean | null | undefined;
  is_recovery?: boolean | null | undefined;
  state?: "open" | "done" | "failed" | "interrupted" | null | undefined;
}

export interface WorkflowAction extends NewWorkflowAction {
  id: number;
}

export interface NewWorkflow {
  name: string;
  user: string;
  description?: string | null | undefined;
  timestamp?: string | null | undefined;
  project?: string | null | undefined;
  metadata?: Record<string, Json> | null | undefined;
  env?: Record<string, string> | null | undefined;
  compute_node_expiration_buffer_seconds?: number | null | undefined;
  compute_node_wait_for_new_jobs_seconds?: number | null | undefined;
  compute_node_ignore_workflow_completion?: boolean | null | undefined;
  compute_node_wait_for_healthy_database_minutes?: number | null | undefined;
  compute_node_min_time_for_new_jobs_seconds?: number | null | undefined;
  resource_monitor_config?: {
    enabled?: boolean | null | undefined;
    granularity?: "summary" | "time_series" | null | undefined;
    sample_interval_seconds?: number | null | undefined;
    flush_interval_seconds?: number | null | undefined;
    generate_plots?: boolean | null | undefined;
    sonar?: boolean | null | undefined;
    jobs?: {
      enabled?: boolean | null | undefined;
      granularity?: "summary" | "time_series" | null | undefined;
    } | null | undefined;
    compute_node?: {
      enabled?: boolean | null | undefined;
      granularity?: "summary" | "time_series" | null | undefined;
      cpu?: boolean | null | undefined;
      memory?: boolean | null | undefined;
    } | null | undefined;
  } | null | undefined;
  execution_config?: {
    mode?: "direct" | "slurm" | "auto" | null | undefined;
    limit_resources?: boolean | null | undefined;
    limit_cpus?: boolean | null | undefined;
    hide_gpus?: boolean | null | undefined;
    termination_signal?: string | null | undefined;
    sigterm_lead_seconds?: number | null | undefined;
    sigkill_headroom_seconds?: number | null | undefined;
    timeout_exit_code?: number | null | undefined;
    oom_exit_code?: number | null | undefined;
    srun_termination_signal?: string | null | undefined;
    srun_mpi?: string | null | undefined;
    enable_cpu_bind?: boolean | null | undefined;
    staggered_start?: boolean | null | undefined;
    step_batching?: boolean | null | undefined;
    timeout?: string | null | undefined;
    timeout_by?: "runtime" | null | undefined;
    stale_outputs?: "warn" | "fail" | null | undefined;
    rerun?: "time" | "content" | null | undefined;
    pipefail?: boolean | null | undefined;
    stdio?: {
      mode?: "separate" | "combined" | "no_stdout" | "no_stderr" | "none" | null | undefined;
      delete_on_success?: boolean | null | undefined;
    } | null | undefined;
    job_stdio_overrides?: Record<string, {
      mode?: "separate" | "combined" | "no_stdout" | "no_stderr" | "none" | null | undefined;
      delete_on_success?: boolean | null | undefined;
    }> | null | undefined;
  } | null | undefined;
  slurm_defaults?: Record<string, Json> | null | undefined;
  use_pending_failed?: boolean | null | undefined;
  enable_ro_crate?: boolean | null | undefined;
  dynamic_jobs?: {
    max_iterations?: number | null | undefined;
  } | null | undefined;
  limits?: Record<string, number> | null | undefined;
  access_groups?: string[] | null | undefined;
  submission_directory?: string | null | undefined;
  run_id?: number | null | undefined;
  is_canceled?: boolean | null | undefined;
  is_archived?: boolean | null | undefined;
  spec_file?: string | null | undefined;
  is_being_created?: boolean | null | undefined;
}

export interface Workflow extends NewWorkflow {
  id: number;
}

export interface ErrorResponse {
  error: {
    message: string;
    code?: string | undefined;
    remedy?: string | undefined;
  };
}

export interface TorcClientOptions {
  /** With the base path, `http://host:8080/torc-service/v1`; default: TORC_API_URL. */
  readonly url?: string | undefined;
  /** Default: TORC_USERNAME. */
  readonly username?: string | undefined;
  /** Default: TORC_PASSWORD; without a password no login is sent. */
  readonly password?: string | undefined;
  /** Sent unchanged, for proxies that require a cookie. */
  readonly cookie?: string | undefined;
  /** Trusted certificates in addition to the system's, as PEM. */
  readonly certificates?: string | undefined;
  /** Accept any certificate. */
  readonly insecure?: boolean | undefined;
}

export interface EventsOptions {
  /** Minimum severity; the default is info. */
  readonly level?: 'debug' | 'info' | 'warning' | 'error' | undefined;
  /** Only these types, regardless of their severity. */
  readonly types?: readonly StreamEventType[] | undefined;
  /** Ends the stream. */
  readonly signal?: AbortSignal | undefined;
}

export type StreamEventType =
  | 'workflow_started'
  | 'workflow_reinitialized'
  | 'workflow_canceled'
  | 'attempts_canceled'
  | 'workflow_completed'
  | 'compute_node_started'
  | 'compute_node_stopped'
  | 'scheduler_node_created'
  | 'task_completed'
  | 'job_started'
  | 'job_completed'
  | 'job_failed'
  | 'job_canceled'
  | 'job_terminated'
  | 'job_pending_failed'
  | 'jobs_ready'
  | 'jobs_claimed'
  | 'jobs_returned'
  | 'jobs_requeued'
  | 'job_retried'
  | 'job_status_changed'
  | 'jobs_reset'
  | 'jobs_spawned'
  | 'jobs_deleted'
  | 'workflow_deleted'
  | 'run_started'
  | 'log_pruned'
  | 'stream_closed';

/** One event of the stream of a workflow; `timestamp` in Unix milliseconds. */
export interface WorkflowEvent {
  workflow_id: number;
  timestamp: number;
  event_type: StreamEventType;
  severity: 'debug' | 'info' | 'warning' | 'error';
  data: Json;
}

export interface CreateOptions {
  /** The owner of the workflow; by default the user of the client. */
  readonly user?: string | undefined;
  /** Warnings about ignored keys and unknown names become errors. */
  readonly strict?: boolean | undefined;
}

export interface RunOptions {
  /** The folder for job output and logs; default `torc_output`. */
  readonly outputDir?: string | undefined;
  /** Runs this many jobs at once and ignores their requirements. */
  readonly maxParallelJobs?: number | undefined;
  /** What it offers to jobs; by default all of this machine. */
  readonly cpus?: number | undefined;
  readonly memoryGb?: number | undefined;
  readonly gpus?: number | undefined;
  /** Jobs of an earlier run that are made ready again first: none by default. */
  readonly again?: 'none' | 'interrupted' | 'failed' | undefined;
  /** Asks the jobs to end; a runner that ended them resolves with the ending `stopped`. */
  readonly signal?: AbortSignal | undefined;
}

/** How a run on this machine ended, with the jobs that ended in it. */
export interface RunEnd {
  readonly ending:
    | 'complete'
    | 'canceled'
    | 'superseded'
    | 'chosen'
    | 'unreachable'
    | 'behind'
    | 'idle'
    | 'stuck'
    | 'stopped'
    | 'deadline'
    | 'unable';
  readonly completed: number;
  readonly failed: number;
  readonly terminated: number;
}

export interface OutputOptions {
  /** Default: `stdout`. */
  readonly stream?: 'stdout' | 'stderr' | undefined;
  /** By default the newest run and attempt. */
  readonly run?: number | undefined;
  readonly attempt?: number | undefined;
  /** Where the output folder is looked for beside the one that the runner registered; default `torc_output`. */
  readonly outputDir?: string | undefined;
}

export interface RecoverOptions {
  /** Factor by which memory and CPUs are raised for jobs that had too little; default 1.5. */
  readonly memoryMultiplier?: number | undefined;
  /** The same for runtime. */
  readonly runtimeMultiplier?: number | undefined;
  /** Also runs jobs again that failed for a reason which may come back. */
  readonly retryUnknown?: boolean | undefined;
  /** The output folder of the runners; default `torc_output`. */
  readonly outputDir?: string | undefined;
}

/** What a recovery did. */
export interface RecoverEnd {
  /** Jobs that are ready again. */
  readonly reset: number;
  /** Allocations that were submitted. */
  readonly submitted: number;
  /** Jobs that failed and were left as they are. */
  readonly left: number;
}

export interface Calls {
  /** Check that the server answers; `now_ms` is its time of day in Unix milliseconds. */
  readonly ping: (call?: {
  }) => Promise<{
    status: string;
    now_ms?: number | undefined;
  }>;
  /** The version of the program and of this API. */
  readonly getVersion: (call?: {
  }) => Promise<{
    version: string;
    api_version: string;
    git_hash?: string | undefined;
  }>;
  /** The progress of a task. */
  readonly getTask: (call: {
    params: {
      id: number;
    };
  }) => Promise<Task>;
  /** The active task of a workflow, if any. */
  readonly getActiveTask: (call: {
    params: {
      id: number;
    };
  }) => Promise<{
    task: Task | null;
  }>;
  /** Create a workflow and its default resource requirements (1 CPU, 1m, P0DT1M). */
  readonly createWorkflow: (call: {
    body: NewWorkflow;
  }) => Promise<Workflow>;
  /** List workflows. */
  readonly listWorkflows: (call?: {
    query?: {
      name?: string | undefined;
      user?: string | undefined;
      description?: string | undefined;
      is_archived?: boolean | undefined;
      access_group?: string | undefined;
      is_being_created?: boolean | undefined;
      spec_file?: string | undefined;
      offset?: number | undefined;
      limit?: number | undefined;
      sort_by?: string | undefined;
      reverse_sort?: boolean | undefined;
    } | undefined;
  }) => Promise<{
    items: Workflow[];
    offset: number;
    max_limit: number;
    count: number;
    total_count: number;
    has_more: boolean;
  }>;
  /** Get one workflow. */
  readonly getWorkflow: (call: {
    params: {
      id: number;
    };
  }) => Promise<Workflow>;
  /** Change a workflow; fields that are left out keep their value. */
  readonly updateWorkflow: (call: {
    params: {
      id: number;
    };
    body: {
      id?: number | null | undefined;
      name?: string | undefined;
      user?: string | undefined;
      description?: string | null | undefined;
      timestamp?: string | null | undefined;
      project?: string | null | undefined;
      metadata?: Record<string, Json> | null | undefined;
      env?: Record<string, string> | null | undefined;
      compute_node_expiration_buffer_seconds?: number | null | undefined;
      compute_node_wait_for_new_jobs_seconds?: number | null | undefined;
      compute_node_ignore_workflow_completion?: boolean | null | undefined;
      compute_node_wait_for_healthy_database_minutes?: number | null | undefined;
      compute_node_min_time_for_new_jobs_seconds?: number | null | undefined;
      resource_monitor_config?: {
        enabled?: boolean | null | undefined;
        granularity?: "summary" | "time_series" | null | undefined;
        sample_interval_seconds?: number | null | undefined;
        flush_interval_seconds?: number | null | undefined;
        generate_plots?: boolean | null | undefined;
        sonar?: boolean | null | undefined;
        jobs?: {
          enabled?: boolean | null | undefined;
          granularity?: "summary" | "time_series" | null | undefined;
        } | null | undefined;
        compute_node?: {
          enabled?: boolean | null | undefined;
          granularity?: "summary" | "time_series" | null | undefined;
          cpu?: boolean | null | undefined;
          memory?: boolean | null | undefined;
        } | null | undefined;
      } | null | undefined;
      execution_config?: {
        mode?: "direct" | "slurm" | "auto" | null | undefined;
        limit_resources?: boolean | null | undefined;
        limit_cpus?: boolean | null | undefined;
        hide_gpus?: boolean | null | undefined;
        termination_signal?: string | null | undefined;
        sigterm_lead_seconds?: number | null | undefined;
        sigkill_headroom_seconds?: number | null | undefined;
        timeout_exit_code?: number | null | undefined;
        oom_exit_code?: number | null | undefined;
        srun_termination_signal?: string | null | undefined;
        srun_mpi?: string | null | undefined;
        enable_cpu_bind?: boolean | null | undefined;
        staggered_start?: boolean | null | undefined;
        step_batching?: boolean | null | undefined;
        timeout?: string | null | undefined;
        timeout_by?: "runtime" | null | undefined;
        stale_outputs?: "warn" | "fail" | null | undefined;
        rerun?: "time" | "content" | null | undefined;
        pipefail?: boolean | null | undefined;
        stdio?: {
          mode?: "separate" | "combined" | "no_stdout" | "no_stderr" | "none" | null | undefined;
          delete_on_success?: boolean | null | undefined;
        } | null | undefined;
        job_stdio_overrides?: Record<string, {
          mode?: "separate" | "combined" | "no_stdout" | "no_stderr" | "none" | null | undefined;
          delete_on_success?: boolean | null | undefined;
        }> | null | undefined;
      } | null | undefined;
      slurm_defaults?: Record<string, Json> | null | undefined;
      use_pending_failed?: boolean | null | undefined;
      enable_ro_crate?: boolean | null | undefined;
      dynamic_jobs?: {
        max_iterations?: number | null | undefined;
      } | null | undefined;
      limits?: Record<string, number> | null | undefined;
      access_groups?: string[] | null | undefined;
      submission_directory?: string | null | undefined;
      run_id?: number | null | undefined;
      is_canceled?: boolean | null | undefined;
      is_archived?: boolean | null | undefined;
      spec_file?: string | null | undefined;
      is_being_created?: boolean | null | undefined;
    };
  }) => Promise<Workflow>;
  /** Delete a workflow and everything that belongs to it. */
  readonly deleteWorkflow: (call: {
    params: {
      id: number;
    };
  }) => Promise<Workflow>;
  /** Archive a workflow, or unarchive it. */
  readonly archiveWorkflow: (call: {
    params: {
      id: number;
    };
    body: {
      is_archived: boolean;
    };
  }) => Promise<Workflow>;
  /** Cancel a workflow: no job starts any more, running and pending jobs become canceled. */
  readonly cancelWorkflow: (call: {
    params: {
      id: number;
    };
  }) => Promise<Workflow>;
  /** The status of a workflow with its counts, in one request. */
  readonly getWorkflowStatus: (call: {
    params: {
      id: number;
    };
    query?: {
      choice?: number | undefined;
    } | undefined;
  }) => Promise<{
    workflow_id: number;
    workflow_name: string;
    workflow_user: string;
    total_jobs: number;
    jobs_by_status: {
      uninitialized: number;
      blocked: number;
      ready: number;
      pending: number;
      running: number;
      completed: number;
      failed: number;
      canceled: number;
      terminated: number;
      disabled: number;
      pending_failed: number;
    };
    total_exec_time_minutes: number;
    walltime_seconds?: number | null | undefined;
    active_compute_nodes: number;
    pending_scheduled_nodes: number;
    active_scheduled_nodes: number;
    is_complete: boolean;
    is_canceled: boolean;
    runtime_blocked_ready_jobs: number;
    longest_ready_runtime_seconds?: number | null | undefined;
    max_allocation_remaining_seconds?: number | null | undefined;
    unserved_ready_labels?: Record<string, number> | null | undefined;
    is_being_created?: boolean | null | undefined;
    run_id?: number | null | undefined;
    chosen_by_status?: {
      uninitialized: number;
      blocked: number;
      ready: number;
      pending: number;
      running: number;
      completed: number;
      failed: number;
      canceled: number;
      terminated: number;
      disabled: number;
      pending_failed: number;
    } | null | undefined;
    waiting_limits?: {
      scope: "workflow" | "user" | "server" | "allocation";
      name: string;
      most: number;
      held: number;
      needs: number;
      holders: {
        job_id: number;
        job_name: string;
        workflow_id: number;
      }[];
      others: number;
      hidden: number;
      jobs: number;
    }[] | null | undefined;
    held_attempts?: {
      compute_node_id: number;
      hostname: string;
      attempts: number;
    }[] | null | undefined;
  }>;
  /** The limits that bound its jobs, with what is held of each, and its waiting jobs that hold licenses. */
  readonly getWorkflowLimits: (call: {
    params: {
      id: number;
    };
  }) => Promise<{
    limits: {
      scope: "workflow" | "user" | "server" | "allocation";
      name: string;
      most: number;
      held: number;
    }[];
    licensed: {
      scheduler_id?: number | null | undefined;
      jobs: number;
      need: {
        num_cpus: number;
        memory_bytes: number;
        num_gpus: number;
        num_nodes: number;
        runtime_seconds: number;
        licenses?: Record<string, number> | null | undefined;
      };
    }[];
  }>;
  /** Whether every job ended or the workflow was canceled. */
  readonly isComplete: (call: {
    params: {
      id: number;
    };
  }) => Promise<{
    is_complete: boolean;
    is_canceled: boolean;
  }>;
  /** Whether all jobs are uninitialized or disabled. */
  readonly isUninitialized: (call: {
    params: {
      id: number;
    };
  }) => Promise<{
    is_uninitialized: boolean;
  }>;
  /** The requirements of all ready jobs together, or of those that are bound to one scheduler. */
  readonly getReadyJobRequirements: (call: {
    params: {
      id: number;
    };
    query?: {
      scheduler_config_id?: number | undefined;
    } | undefined;
  }) => Promise<{
    num_jobs: number;
    num_cpus: number;
    memory_gb: number;
    num_gpus: number;
    max_num_nodes: number;
    max_runtime: string;
  }>;
  /** List the ids of all jobs. */
  readonly listJobIds: (call: {
    params: {
      id: number;
    };
  }) => Promise<{
    job_ids: number[];
    count: number;
  }>;
  /** Begin a new run: clear the cancellation and raise run_id. */
  readonly resetStatus: (call: {
    params: {
      id: number;
    };
    query?: {
      force?: boolean | undefined;
    } | undefined;
  }) => Promise<Workflow>;
  /** Make all jobs uninitialized, or only those that failed and their dependents. */
  readonly resetJobStatus: (call: {
    params: {
      id: number;
    };
    query?: {
      failed_only?: boolean | undefined;
    } | undefined;
  }) => Promise<{
    workflow_id: number;
    updated_count: number;
    status: string;
    reset_type?: string | undefined;
  }>;
  /** Make the interrupted jobs (terminated or canceled, but not because a job failed) uninitialized, with everything downstream of them (ours). */
  readonly resetInterruptedJobs: (call: {
    params: {
      id: number;
    };
    query?: {
      dry_run?: boolean | undefined;
    } | undefined;
  }) => Promise<{
    workflow_id: number;
    updated_count: number;
    status: string;
  }>;
  /** Take or renew the lease under which one command at a time recovers a workflow or submits its allocations (addition). */
  readonly takeRecoveryLease: (call: {
    params: {
      id: number;
    };
    body: {
      token: string;
      holder: string;
      seconds: number;
      process?: {
        pid: number;
        boot_id: string;
        pid_namespace: string;
        start_ticks: number;
        machine_id?: string | null | undefined;
        hardware_ids?: string[] | null | undefined;
      } | null | undefined;
      instead_of?: {
        pid: number;
        boot_id: string;
        pid_namespace: string;
        start_ticks: number;
        machine_id?: string | null | undefined;
        hardware_ids?: string[] | null | undefined;
      } | null | undefined;
    };
  }) => Promise<{
    granted: boolean;
    holder: string;
    seconds_left: number;
    process?: {
      pid: number;
      boot_id: string;
      pid_namespace: string;
      start_ticks: number;
      machine_id?: string | null | undefined;
      hardware_ids?: string[] | null | undefined;
    } | undefined;
  }>;
  /** Give the recovery lease back (addition); one that another user has stays. */
  readonly releaseRecoveryLease: (call: {
    params: {
      id: number;
    };
    query: {
      token: string;
    };
  }) => Promise<{
    released: boolean;
  }>;
  /** Make jobs ready or blocked, according to their dependencies; with async=true this happens after the reply, which is a task. keep_pending_failed=true leaves jobs that wait for a decision as they are (addition). */
  readonly initializeJobs: (call: {
    params: {
      id: number;
    };
    query?: {
      only_uninitialized?: boolean | undefined;
      clear_ephemeral_user_data?: boolean | undefined;
      keep_pending_failed?: boolean | undefined;
      async?: boolean | undefined;
    } | undefined;
  }) => Promise<Task | {
    message: string;
  }>;
  /** Make jobs uninitialized whose user data changed since the last initialization. */
  readonly processChangedJobInputs: (call: {
    params: {
      id: number;
    };
    query?: {
      dry_run?: boolean | undefined;
    } | undefined;
  }) => Promise<{
    reinitialized_jobs: string[];
  }>;
  /** List the dependencies between jobs. */
  readonly listJobDependencies: (call: {
    params: {
      id: number;
    };
    query?: {
      offset?: number | undefined;
      limit?: number | undefined;
      sort_by?: string | undefined;
      reverse_sort?: boolean | undefined;
    } | undefined;
  }) => Promise<{
    items: {
      job_id: number;
      job_name: string;
      depends_on_job_id: number;
      depends_on_job_name: string;
      workflow_id: number;
    }[];
    offset: number;
    max_limit: number;
    count: number;
    total_count: number;
    has_more: boolean;
  }>;
  /** List which job produces which file for which job. */
  readonly listJobFileRelationships: (call: {
    params: {
      id: number;
    };
    query?: {
      offset?: number | undefined;
      limit?: number | undefined;
      sort_by?: string | undefined;
      reverse_sort?: boolean | undefined;
    } | undefined;
  }) => Promise<{
    items: {
      file_id: number;
      file_name: string;
      file_path: string;
      workflow_id: number;
      producer_job_id?: number | null | undefined;
      producer_job_name?: string | null | undefined;
      consumer_job_id?: number | null | undefined;
      consumer_job_name?: string | null | undefined;
    }[];
    offset: number;
    max_limit: number;
    count: number;
    total_count: number;
    has_more: boolean;
  }>;
  /** List which job produces which user data for which job. */
  readonly listJobUserDataRelationships: (call: {
    params: {
      id: number;
    };
    query?: {
      offset?: number | undefined;
      limit?: number | undefined;
      sort_by?: string | undefined;
      reverse_sort?: boolean | undefined;
    } | undefined;
  }) => Promise<{
    items: {
      user_data_id: number;
      user_data_name: string;
      workflow_id: number;
      producer_job_id?: number | null | undefined;
      producer_job_name?: string | null | undefined;
      consumer_job_id?: number | null | undefined;
      consumer_job_name?: string | null | undefined;
    }[];
    offset: number;
    max_limit: number;
    count: number;
    total_count: number;
    has_more: boolean;
  }>;
  /** Create an action of a workflow. */
  readonly createWorkflowAction: (call: {
    params: {
      id: number;
    };
    body: NewWorkflowAction;
  }) => Promise<WorkflowAction>;
  /** List the actions of a workflow. */
  readonly listWorkflowActions: (call: {
    params: {
      id: number;
    };
  }) => Promise<WorkflowAction[]>;
  /** List the actions whose trigger occurred and that no runner has executed. */
  readonly listPendingActions: (call: {
    params: {
      id: number;
    };
    query?: {
      trigger_type?: string | undefined;
    } | undefined;
  }) => Promise<WorkflowAction[]>;
  /** Merge fields into the configuration of an action. */
  readonly updateWorkflowAction: (call: {
    params: {
      id: number;
      action_id: number;
    };
    body: Json;
  }) => Promise<WorkflowAction>;
  /** Delete an action. */
  readonly deleteWorkflowAction: (call: {
    params: {
      id: number;
      action_id: number;
    };
  }) => Promise<{
    message: string;
  }>;
  /** Claim an action to execute it: one runner gets it, the others are refused. */
  readonly claimWorkflowAction: (call: {
    params: {
      id: number;
      action_id: number;
    };
    body: {
      compute_node_id?: number | null | undefined;
      tells_end?: boolean | null | undefined;
      plans?: {
        max_parallel_jobs?: number | null | undefined;
        max_queued?: number | null | undefined;
      } | null | undefined;
    };
  }) => Promise<{
    action_id: number;
    claimed: boolean;
    planned?: number | undefined;
  }>;
  /** Report the outcome of an action that was claimed with `tells_end` (addition). */
  readonly endWorkflowAction: (call: {
    params: {
      id: number;
      action_id: number;
    };
    body: {
      compute_node_id: number;
      outcome: "done" | "failed" | "not_started";
    };
  }) => Promise<{
    action_id: number;
    ended: boolean;
  }>;
  /** The jobs of a workflow as columns, with their relationships: the fast way to read all of them. `after_id` is the last id of the previous page. */
  readonly readJobColumns: (call: {
    params: {
      id: number;
    };
    query?: {
      after_id?: number | undefined;
      limit?: number | undefined;
    } | undefined;
  }) => Promise<{
    columns: {
      id: number[];
      name: string[];
      command: string[];
      invocation_script: (string | null)[];
      env: (Record<string, string> | null)[];
      status: ("uninitialized" | "blocked" | "ready" | "pending" | "running" | "completed" | "failed" | "canceled" | "terminated" | "disabled" | "pending_failed")[];
      cancel_on_blocking_job_failure: boolean[];
      supports_termination: (boolean | null)[];
      resource_requirements_id: number[];
      scheduler_id: (number | null)[];
      failure_handler_id: (number | null)[];
      priority: number[];
      labels: (string[] | null)[];
      timeout: (string | null)[];
      licenses: (Record<string, number> | null)[];
      origin: (string | null)[];
      removed_at_ms: (number | null)[];
      depends_on_job_ids: (number[] | null)[];
      input_file_ids: (number[] | null)[];
      output_file_ids: (number[] | null)[];
      input_user_data_ids: (number[] | null)[];
      output_user_data_ids: (number[] | null)[];
      result_id: (number | null)[];
    };
    has_more: boolean;
  }>;
  /** The names and paths of the files of a workflow as columns. `after_id` is the last id of the previous page. */
  readonly readFileColumns: (call: {
    params: {
      id: number;
    };
    query?: {
      after_id?: number | undefined;
      limit?: number | undefined;
    } | undefined;
  }) => Promise<{
    columns: {
      id: number[];
      name: string[];
      path: string[];
      st_mtime?: (number | null)[] | undefined;
      temporary?: (boolean | null)[] | undefined;
      protected?: (boolean | null)[] | undefined;
      removal?: ("due" | "deleting" | "deleted" | "absent" | "changed" | "failed" | "cleaned" | null)[] | undefined;
    };
    has_more: boolean;
  }>;
  /** The input files of jobs as columns, as the last attempt of each job found them: times and sizes. `after_id` and `after_file_id` are the last job and the last file of the previous page. */
  readonly readInputColumns: (call: {
    params: {
      id: number;
    };
    query?: {
      after_id?: number | undefined;
      limit?: number | undefined;
      after_file_id?: number | undefined;
    } | undefined;
  }) => Promise<{
    columns: {
      id: number[];
      file_id: number[];
      st_mtime: number[];
      st_size: number[];
      hash?: (string | null)[] | undefined;
    };
    has_more: boolean;
  }>;
  /** The output files of jobs as columns, as the last attempt that wrote each one left it: times and sizes. `after_id` and `after_file_id` are the last job and the last file of the previous page. */
  readonly readOutputColumns: (call: {
    params: {
      id: number;
    };
    query?: {
      after_id?: number | undefined;
      limit?: number | undefined;
      after_file_id?: number | undefined;
    } | undefined;
  }) => Promise<{
    columns: {
      id: number[];
      file_id: number[];
      st_mtime: number[];
      st_size: number[];
      hash?: (string | null)[] | undefined;
    };
    has_more: boolean;
  }>;
  /** The user data of a workflow as columns, with their values; null for none. `after_id` is the last id of the previous page, which may end before its limit where values are long. */
  readonly readUserDataColumns: (call: {
    params: {
      id: number;
    };
    query?: {
      after_id?: number | undefined;
      limit?: number | undefined;
    } | undefined;
  }) => Promise<{
    columns: {
      id: number[];
      name: string[];
      data: Json[];
      is_ephemeral: boolean[];
    };
    has_more: boolean;
  }>;
  /** Add, change and remove jobs and other records of a workflow, all or none; jobs that a runner has stay as they are and are listed. With dry_run nothing changes. */
  readonly updatePlan: (call: {
    params: {
      id: number;
    };
    query?: {
      dry_run?: boolean | undefined;
    } | undefined;
    body: {
      settings?: {
        description?: string | null | undefined;
        project?: string | null | undefined;
        metadata?: Record<string, Json> | null | undefined;
        env?: Record<string, string> | null | undefined;
        compute_node_wait_for_new_jobs_seconds?: number | null | undefined;
        compute_node_ignore_workflow_completion?: boolean | null | undefined;
        compute_node_wait_for_healthy_database_minutes?: number | null | undefined;
        resource_monitor_config?: {
          enabled?: boolean | null | undefined;
          granularity?: "summary" | "time_series" | null | undefined;
          sample_interval_seconds?: number | null | undefined;
          flush_interval_seconds?: number | null | undefined;
          generate_plots?: boolean | null | undefined;
          sonar?: boolean | null | undefined;
          jobs?: {
            enabled?: boolean | null | undefined;
            granularity?: "summary" | "time_series" | null | undefined;
          } | null | undefined;
          compute_node?: {
            enabled?: boolean | null | undefined;
            granularity?: "summary" | "time_series" | null | undefined;
            cpu?: boolean | null | undefined;
            memory?: boolean | null | undefined;
          } | null | undefined;
        } | null | undefined;
        execution_config?: {
          mode?: "direct" | "slurm" | "auto" | null | undefined;
          limit_resources?: boolean | null | undefined;
          limit_cpus?: boolean | null | undefined;
          hide_gpus?: boolean | null | undefined;
          termination_signal?: string | null | undefined;
          sigterm_lead_seconds?: number | null | undefined;
          sigkill_headroom_seconds?: number | null | undefined;
          timeout_exit_code?: number | null | undefined;
          oom_exit_code?: number | null | undefined;
          srun_termination_signal?: string | null | undefined;
          srun_mpi?: string | null | undefined;
          enable_cpu_bind?: boolean | null | undefined;
          staggered_start?: boolean | null | undefined;
          step_batching?: boolean | null | undefined;
          timeout?: string | null | undefined;
          timeout_by?: "runtime" | null | undefined;
          stale_outputs?: "warn" | "fail" | null | undefined;
          rerun?: "time" | "content" | null | undefined;
          pipefail?: boolean | null | undefined;
          stdio?: {
            mode?: "separate" | "combined" | "no_stdout" | "no_stderr" | "none" | null | undefined;
            delete_on_success?: boolean | null | undefined;
          } | null | undefined;
          job_stdio_overrides?: Record<string, {
            mode?: "separate" | "combined" | "no_stdout" | "no_stderr" | "none" | null | undefined;
            delete_on_success?: boolean | null | undefined;
          }> | null | undefined;
        } | null | undefined;
        slurm_defaults?: Record<string, Json> | null | undefined;
        use_pending_failed?: boolean | null | undefined;
        enable_ro_crate?: boolean | null | undefined;
        dynamic_jobs?: {
          max_iterations?: number | null | undefined;
        } | null | undefined;
        limits?: Record<string, number> | null | undefined;
        spec_file?: string | null | undefined;
        name?: string | undefined;
      } | null | undefined;
      files?: {
        add?: {
          name: string;
          path: string;
          st_mtime?: number | null | undefined;
          temporary?: boolean | null | undefined;
          protected?: boolean | null | undefined;
          size_bytes?: number | null | undefined;
          made_by?: {
            jobs: number;
            first: {
              job_id: number;
              job_name: string;
            }[];
          } | null | undefined;
          read_by?: {
            jobs: number;
            first: {
              job_id: number;
              job_name: string;
            }[];
          } | null | undefined;
        }[] | null | undefined;
        change?: {
          id: number;
          record: {
            name: string;
            path: string;
            st_mtime?: number | null | undefined;
            temporary?: boolean | null | undefined;
            protected?: boolean | null | undefined;
            size_bytes?: number | null | undefined;
            made_by?: {
              jobs: number;
              first: {
                job_id: number;
                job_name: string;
              }[];
            } | null | undefined;
            read_by?: {
              jobs: number;
              first: {
                job_id: number;
                job_name: string;
              }[];
            } | null | undefined;
          };
        }[] | null | undefined;
        remove?: number[] | null | undefined;
      } | null | undefined;
      user_data?: {
        add?: {
          name: string;
          data?: Json | null | undefined;
          is_ephemeral?: boolean | null | undefined;
        }[] | null | undefined;
        change?: {
          id: number;
          record: {
            name: string;
            data?: Json | null | undefined;
            is_ephemeral?: boolean | null | undefined;
          };
        }[] | null | undefined;
        remove?: number[] | null | undefined;
      } | null | undefined;
      resource_requirements?: {
        add?: {
          name: string;
          num_cpus?: number | null | undefined;
          num_gpus?: number | null | undefined;
          num_nodes?: number | null | undefined;
          memory?: string | null | undefined;
          runtime?: string | null | undefined;
          licenses?: Record<string, number> | null | undefined;
        }[] | null | undefined;
        change?: {
          id: number;
          record: {
            name: string;
            num_cpus?: number | null | undefined;
            num_gpus?: number | null | undefined;
            num_nodes?: number | null | undefined;
            memory?: string | null | undefined;
            runtime?: string | null | undefined;
            licenses?: Record<string, number> | null | undefined;
          };
        }[] | null | undefined;
        remove?: number[] | null | undefined;
      } | null | undefined;
      slurm_schedulers?: {
        add?: {
          name?: string | null | undefined;
          account: string;
          nodes: number;
          walltime: string;
          gres?: string | null | undefined;
          mem?: string | null | undefined;
          ntasks_per_node?: number | null | undefined;
          partition?: string | null | undefined;
          qos?: string | null | undefined;
          tmp?: string | null | undefined;
          extra?: string | null | undefined;
          serialize_allocations?: boolean | null | undefined;
          pbs?: {
            project?: string | null | undefined;
            select?: string | null | undefined;
            place?: string | null | undefined;
          } | null | undefined;
        }[] | null | undefined;
        change?: {
          id: number;
          record: {
            name?: string | null | undefined;
            account: string;
            nodes: number;
            walltime: string;
            gres?: string | null | undefined;
            mem?: string | null | undefined;
            ntasks_per_node?: number | null | undefined;
            partition?: string | null | undefined;
            qos?: string | null | undefined;
            tmp?: string | null | undefined;
            extra?: string | null | undefined;
            serialize_allocations?: boolean | null | undefined;
            pbs?: {
              project?: string | null | undefined;
              select?: string | null | undefined;
              place?: string | null | undefined;
            } | null | undefined;
          };
        }[] | null | undefined;
        remove?: number[] | null | undefined;
      } | null | undefined;
      failure_handlers?: {
        add?: {
          name: string;
          rules: string;
        }[] | null | undefined;
        change?: {
          id: number;
          record: {
            name: string;
            rules: string;
          };
        }[] | null | undefined;
        remove?: number[] | null | undefined;
      } | null | undefined;
      jobs?: {
        add?: {
          name: string;
          command: string;
          invocation_script?: string | null | undefined;
          env?: Record<string, string> | null | undefined;
          cancel_on_blocking_job_failure?: boolean | null | undefined;
          supports_termination?: boolean | null | undefined;
          depends_on_job_ids?: number[] | null | undefined;
          input_file_ids?: number[] | null | undefined;
          output_file_ids?: number[] | null | undefined;
          input_user_data_ids?: number[] | null | undefined;
          output_user_data_ids?: number[] | null | undefined;
          resource_requirements_id?: number | null | undefined;
          scheduler_id?: number | null | undefined;
          failure_handler_id?: number | null | undefined;
          priority?: number | null | undefined;
          labels?: string[] | null | undefined;
          timeout?: string | null | undefined;
          licenses?: Record<string, number> | null | undefined;
        }[] | null | undefined;
        change?: {
          name?: string | undefined;
          command?: string | undefined;
          invocation_script?: string | null | undefined;
          env?: Record<string, string> | null | undefined;
          cancel_on_blocking_job_failure?: boolean | null | undefined;
          supports_termination?: boolean | null | undefined;
          resource_requirements_id?: number | null | undefined;
          scheduler_id?: number | null | undefined;
          failure_handler_id?: number | null | undefined;
          priority?: number | null | undefined;
          labels?: string[] | null | undefined;
          timeout?: string | null | undefined;
          licenses?: Record<string, number> | null | undefined;
          id: number;
          runs_again: boolean;
          add?: {
            depends_on_job_ids?: number[] | null | undefined;
            input_file_ids?: number[] | null | undefined;
            output_file_ids?: number[] | null | undefined;
            input_user_data_ids?: number[] | null | undefined;
            output_user_data_ids?: number[] | null | undefined;
          } | null | undefined;
          remove?: {
            depends_on_job_ids?: number[] | null | undefined;
            input_file_ids?: number[] | null | undefined;
            output_file_ids?: number[] | null | undefined;
            input_user_data_ids?: number[] | null | undefined;
            output_user_data_ids?: number[] | null | undefined;
          } | null | undefined;
        }[] | null | undefined;
        remove?: number[] | null | undefined;
      } | null | undefined;
      workflow_actions?: {
        add?: {
          trigger_type: string;
          action_type: string;
          action_config: Json;
          job_ids?: number[] | null | undefined;
          persistent?: boolean | null | undefined;
        }[] | null | undefined;
        remove?: number[] | null | undefined;
      } | null | undefined;
      choice?: {
        number: number;
        job_ids: number[];
      } | null | undefined;
    };
  }) => Promise<{
    added_jobs: number;
    changed_jobs: number;
    removed_jobs: number;
    rerun_jobs: number;
    chosen_jobs?: number | undefined;
    held: {
      job_id: number;
      job_name: string;
      reason: "running" | "dependent_running";
      running_job_name: string;
    }[];
  }>;
  /** Create a job; it is uninitialized. */
  readonly createJob: (call: {
    body: NewJob;
  }) => Promise<Job>;
  /** Create jobs of one workflow, all or none. With reply=ids the reply contains only their ids. `depends_on_positions` lists for each job, in the same order, the earlier jobs of this request that it depends on, by position from 0. */
  readonly createJobs: (call: {
    query?: {
      reply?: "ids" | undefined;
    } | undefined;
    body: {
      jobs: NewJob[];
      depends_on_positions?: number[][] | null | undefined;
    };
  }) => Promise<{
    jobs?: Job[] | undefined;
    job_ids?: number[] | undefined;
  }>;
  /** List jobs of a workflow. */
  readonly listJobs: (call: {
    query: {
      workflow_id: number;
      offset?: number | undefined;
      limit?: number | undefined;
      sort_by?: string | undefined;
      reverse_sort?: boolean | undefined;
      status?: JobStatus | undefined;
      needs_file_id?: number | undefined;
      upstream_job_id?: number | undefined;
      active_compute_node_id?: number | undefined;
      origin_is_set?: boolean | undefined;
      name?: string | undefined;
      command?: string | undefined;
      labels?: string | undefined;
      include_relationships?: boolean | undefined;
    };
  }) => Promise<{
    items: Job[];
    offset: number;
    max_limit: number;
    count: number;
    total_count: number;
    has_more: boolean;
  }>;
  /** Get one job with its relationships. */
  readonly getJob: (call: {
    params: {
      id: number;
    };
  }) => Promise<Job>;
  /** Report that a pending job started on a compute node. */
  readonly startJob: (call: {
    params: {
      id: number;
      run_id: number;
      compute_node_id: number;
    };
  }) => Promise<Job>;
  /** Report that a job ended; its dependents are released in the same transaction. */
  readonly completeJob: (call: {
    params: {
      id: number;
      status: JobStatus;
      run_id: number;
    };
    body: NewResult;
  }) => Promise<Job>;
  /** Set the status of a job by hand, to any status that is not terminal. */
  readonly manageStatusChange: (call: {
    params: {
      id: number;
      status: JobStatus;
      run_id: number;
    };
  }) => Promise<Job>;
  /** Make a job ready again as a new attempt. */
  readonly retryJob: (call: {
    params: {
      id: number;
      run_id: number;
    };
    query: {
      max_retries: number;
    };
  }) => Promise<Job>;
  /** Cancel jobs that wait or run. Their runners end those that run; dependents are canceled as the workflow says. */
  readonly cancelJobs: (call: {
    params: {
      id: number;
    };
    body: {
      job_ids: number[];
    };
  }) => Promise<{
    canceled_job_ids: number[];
    ending_job_ids: number[];
    dependent_job_ids: number[];
    refused: {
      job_id: number;
      message: string;
    }[];
  }>;
  /** Add jobs that wait for the running job that adds them; a repeated request gets the same reply. */
  readonly spawnJobs: (call: {
    params: {
      id: number;
    };
    body: SpawnJobsRequest;
  }) => Promise<SpawnJobsResponse>;
  /** Create resource requirements. */
  readonly createResourceRequirements: (call: {
    body: NewResourceRequirements;
  }) => Promise<ResourceRequirements>;
  /** List the resource requirements of a workflow. */
  readonly listResourceRequirements: (call: {
    query: {
      workflow_id: number;
      offset?: number | undefined;
      limit?: number | undefined;
      sort_by?: string | undefined;
      reverse_sort?: boolean | undefined;
      name?: string | undefined;
      memory?: string | undefined;
      num_cpus?: number | undefined;
      num_gpus?: number | undefined;
      num_nodes?: number | undefined;
      runtime?: number | undefined;
    };
  }) => Promise<{
    items: ResourceRequirements[];
    offset: number;
    max_limit: number;
    count: number;
    total_count: number;
    has_more: boolean;
  }>;
  /** Get one record of resource requirements. */
  readonly getResourceRequirements: (call: {
    params: {
      id: number;
    };
  }) => Promise<ResourceRequirements>;
  /** Create a failure handler. */
  readonly createFailureHandler: (call: {
    body: NewFailureHandler;
  }) => Promise<FailureHandler>;
  /** List the failure handlers of a workflow. */
  readonly listFailureHandlers: (call: {
    params: {
      id: number;
    };
    query?: {
      offset?: number | undefined;
      limit?: number | undefined;
      sort_by?: string | undefined;
      reverse_sort?: boolean | undefined;
    } | undefined;
  }) => Promise<{
    items: FailureHandler[];
    offset: number;
    max_limit: number;
    count: number;
    total_count: number;
    has_more: boolean;
  }>;
  /** Change a job; fields that are left out keep their value. The definition can change only while the job is uninitialized. */
  readonly updateJob: (call: {
    params: {
      id: number;
    };
    body: {
      id?: number | null | undefined;
      workflow_id?: number | undefined;
      name: string;
      command: string;
      invocation_script?: string | null | undefined;
      env?: Record<string, string> | null | undefined;
      status?: JobStatus | null | undefined;
      cancel_on_blocking_job_failure?: boolean | null | undefined;
      supports_termination?: boolean | null | undefined;
      depends_on_job_ids?: number[] | null | undefined;
      input_file_ids?: number[] | null | undefined;
      output_file_ids?: number[] | null | undefined;
      input_user_data_ids?: number[] | null | undefined;
      output_user_data_ids?: number[] | null | undefined;
      resource_requirements_id?: number | null | undefined;
      scheduler_id?: number | null | undefined;
      failure_handler_id?: number | null | undefined;
      attempt_id?: number | null | undefined;
      refunded_attempts?: number | null | undefined;
      removed_at_ms?: number | null | undefined;
      priority?: number | null | undefined;
      compute_node_id?: number | null | undefined;
      start_time?: string | null | undefined;
      origin?: string | null | undefined;
      labels?: string[] | null | undefined;
      timeout?: string | null | undefined;
      licenses?: Record<string, number> | null | undefined;
    };
  }) => Promise<Job>;
  /** Bind up to 1,000 jobs of a workflow to a Slurm scheduler, all or none (addition). updateJob does it for one. */
  readonly bindJobs: (call: {
    params: {
      id: number;
    };
    body: {
      scheduler_id: number;
      job_ids: number[];
    };
  }) => Promise<{
    bound: number;
  }>;
  /** Delete a job; its dependents no longer wait for it. */
  readonly deleteJob: (call: {
    params: {
      id: number;
    };
  }) => Promise<Job>;
  /** Delete all jobs of a workflow. */
  readonly deleteJobs: (call: {
    query: {
      workflow_id: number;
    };
  }) => Promise<{
    count: number;
  }>;
  /** Replace resource requirements; fields that are left out get their default. */
  readonly updateResourceRequirements: (call: {
    params: {
      id: number;
    };
    body: NewResourceRequirements;
  }) => Promise<ResourceRequirements>;
  /** Delete resource requirements that no job uses. */
  readonly deleteResourceRequirements: (call: {
    params: {
      id: number;
    };
  }) => Promise<ResourceRequirements>;
  /** Delete all resource requirements of a workflow; refused if a job uses one of them. */
  readonly deleteResourceRequirementsList: (call: {
    query: {
      workflow_id: number;
    };
  }) => Promise<{
    count: number;
  }>;
  /** Get one failure handler. */
  readonly getFailureHandler: (call: {
    params: {
      id: number;
    };
  }) => Promise<FailureHandler>;
  /** Delete a failure handler. */
  readonly deleteFailureHandler: (call: {
    params: {
      id: number;
    };
  }) => Promise<{
    message: string;
  }>;
  /** Claim ready jobs that fit together into the offered resources. */
  readonly claimJobsBasedOnResources: (call: {
    params: {
      id: number;
      limit: number;
    };
    query?: {
      strict_scheduler_match?: boolean | undefined;
    } | undefined;
    body: ComputeNodesResources;
  }) => Promise<{
    jobs?: Job[] | undefined;
    reason?: string | undefined;
  }>;
  /** Claim the next ready jobs regardless of their requirements. */
  readonly claimNextJobs: (call: {
    params: {
      id: number;
    };
    query?: {
      limit?: number | undefined;
      labels?: string | undefined;
    } | undefined;
  }) => Promise<{
    jobs?: Job[] | undefined;
  }>;
  /** The ready jobs that a runner cannot take, by reason, whether it may get any job later, and the queued allocations that are not needed (addition); without a runner, those that no active runner can take, or that the last runner could not; with in_allocations, those that no allocation of the Slurm schedulers of the workflow could ever run. */
  readonly getUnclaimableJobs: (call: {
    params: {
      id: number;
    };
    query?: {
      compute_node_id?: number | undefined;
      in_allocations?: boolean | undefined;
    } | undefined;
  }) => Promise<{
    workflow_id: number;
    compute_node_ids: number[];
    ready_jobs: number;
    unclaimable_jobs: number;
    reasons: {
      reason: "labels" | "scheduler" | "cpus" | "memory" | "gpus" | "nodes" | "time" | "limit";
      jobs: number;
      job_id: number;
      job_name: string;
      needs: string;
      has: string;
      scheduler?: string | null | undefined;
    }[];
    may_take: boolean;
    unneeded_allocations: ScheduledComputeNodes[];
  }>;
  /** Mark those of these queued allocations as canceled for which no work is left or to come, and return them (addition). The caller cancels them in Slurm; no other caller gets the same ones. */
  readonly cancelUnneededAllocations: (call: {
    params: {
      id: number;
    };
    body: {
      ids: number[];
    };
  }) => Promise<{
    items: ScheduledComputeNodes[];
  }>;
  /** Complete many jobs; a refused entry does not stop the others. */
  readonly batchCompleteJobs: (call: {
    params: {
      id: number;
    };
    body: {
      completions: {
        job_id: number;
        status: JobStatus;
        run_id: number;
        result: NewResult;
        files?: {
          id: number;
          st_mtime: number;
          made_mtime?: number | null | undefined;
          made_size?: number | null | undefined;
          was_there?: boolean | null | undefined;
        }[] | null | undefined;
        inputs?: {
          id: number;
          st_mtime: number;
          st_size: number;
          hash?: string | undefined;
        }[] | null | undefined;
      }[];
    };
  }) => Promise<{
    completed: number[];
    errors: {
      job_id: number;
      message: string;
      code?: string | undefined;
    }[];
  }>;
  /** The exchange of a runner (addition): it reports what started and ended, and requests jobs. */
  readonly exchange: (call: {
    params: {
      id: number;
    };
    body: {
      run_id: number;
      compute_node_id: number;
      turn?: number | null | undefined;
      is_last?: boolean | null | undefined;
      started?: {
        job_id: number;
        attempt_id: number;
        start_time: string;
      }[] | null | undefined;
      completed?: {
        job_id: number;
        attempt_id: number;
        status: JobStatus;
        return_code: number;
        exec_time_minutes: number;
        completion_time: string;
        peak_memory_bytes?: number | null | undefined;
        avg_memory_bytes?: number | null | undefined;
        peak_cpu_percent?: number | null | undefined;
        avg_cpu_percent?: number | null | undefined;
        peak_gpu_memory_bytes?: number | null | undefined;
        gpu_memory_bytes?: number | null | undefined;
        avg_gpu_watts?: number | null | undefined;
        cause?: string | null | undefined;
        cause_code?: "exit" | "not_found" | "not_executable" | "crash" | "signal" | "killed" | "memory" | "time" | "node" | "allocation" | "stopped" | "canceled" | "lost" | "unproven" | "asked" | "missing_output" | "stale_output" | "disk" | "dependency" | "adopted" | null | undefined;
        handler_limit?: "max" | "attempts" | null | undefined;
        files?: {
          id: number;
          st_mtime: number;
          made_mtime?: number | null | undefined;
          made_size?: number | null | undefined;
          was_there?: boolean | null | undefined;
        }[] | null | undefined;
        inputs?: {
          id: number;
          st_mtime: number;
          st_size: number;
          hash?: string | undefined;
        }[] | null | undefined;
        slurm_stats?: {
          slurm_job_id?: string | null | undefined;
          max_rss_bytes?: number | null | undefined;
          max_vm_size_bytes?: number | null | undefined;
          max_disk_read_bytes?: number | null | undefined;
          max_disk_write_bytes?: number | null | undefined;
          ave_cpu_seconds?: number | null | undefined;
          node_list?: string | null | undefined;
          slurm_step?: string | null | undefined;
        } | null | undefined;
      }[] | null | undefined;
      retried?: {
        job_id: number;
        attempt_id: number;
        status: JobStatus;
        return_code: number;
        exec_time_minutes: number;
        completion_time: string;
        peak_memory_bytes?: number | null | undefined;
        avg_memory_bytes?: number | null | undefined;
        peak_cpu_percent?: number | null | undefined;
        avg_cpu_percent?: number | null | undefined;
        peak_gpu_memory_bytes?: number | null | undefined;
        gpu_memory_bytes?: number | null | undefined;
        avg_gpu_watts?: number | null | undefined;
        cause?: string | null | undefined;
        cause_code?: "exit" | "not_found" | "not_executable" | "crash" | "signal" | "killed" | "memory" | "time" | "node" | "allocation" | "stopped" | "canceled" | "lost" | "unproven" | "asked" | "missing_output" | "stale_output" | "disk" | "dependency" | "adopted" | null | undefined;
        handler_limit?: "max" | "attempts" | null | undefined;
        files?: {
          id: number;
          st_mtime: number;
          made_mtime?: number | null | undefined;
          made_size?: number | null | undefined;
          was_there?: boolean | null | undefined;
        }[] | null | undefined;
        inputs?: {
          id: number;
          st_mtime: number;
          st_size: number;
          hash?: string | undefined;
        }[] | null | undefined;
        slurm_stats?: {
          slurm_job_id?: string | null | undefined;
          max_rss_bytes?: number | null | undefined;
          max_vm_size_bytes?: number | null | undefined;
          max_disk_read_bytes?: number | null | undefined;
          max_disk_write_bytes?: number | null | undefined;
          ave_cpu_seconds?: number | null | undefined;
          node_list?: string | null | undefined;
          slurm_step?: string | null | undefined;
        } | null | undefined;
        max_retries: number;
        raise?: {
          memory_bytes?: number | null | undefined;
          runtime_seconds?: number | null | undefined;
        } | null | undefined;
        is_refunded?: boolean | null | undefined;
      }[] | null | undefined;
      returned?: number[] | null | undefined;
      held?: number[] | null | undefined;
      want?: {
        limit: number;
        prefetch: number;
        offer?: ComputeNodesResources | null | undefined;
        capacity?: {
          num_cpus: number;
          memory_gb: number;
          num_gpus: number;
        } | null | undefined;
        nodes?: {
          free: {
            num_cpus: number;
            memory_gb: number;
            num_gpus: number;
          };
          total: {
            num_cpus: number;
            memory_gb: number;
            num_gpus: number;
          };
        }[] | null | undefined;
        labels?: string[] | null | undefined;
        strict_scheduler_match?: boolean | null | undefined;
        licenses?: Record<string, number> | null | undefined;
        ahead?: {
          limit: number;
          after?: number[] | null | undefined;
        } | null | undefined;
      } | null | undefined;
      choice?: number | null | undefined;
      setup?: boolean | null | undefined;
      cancels_allocations?: boolean | null | undefined;
      deletes_files?: boolean | null | undefined;
    };
  }) => Promise<{
    jobs: {
      id: number;
      workflow_id: number;
      name: string;
      command: string;
      invocation_script?: string | null | undefined;
      env?: Record<string, string> | null | undefined;
      status?: JobStatus | null | undefined;
      cancel_on_blocking_job_failure?: boolean | null | undefined;
      supports_termination?: boolean | null | undefined;
      depends_on_job_ids?: number[] | null | undefined;
      input_file_ids?: number[] | null | undefined;
      output_file_ids?: number[] | null | undefined;
      input_user_data_ids?: number[] | null | undefined;
      output_user_data_ids?: number[] | null | undefined;
      resource_requirements_id?: number | null | undefined;
      scheduler_id?: number | null | undefined;
      failure_handler_id?: number | null | undefined;
      attempt_id: number;
      refunded_attempts?: number | null | undefined;
      removed_at_ms?: number | null | undefined;
      priority?: number | null | undefined;
      compute_node_id?: number | null | undefined;
      start_time?: string | null | undefined;
      origin?: string | null | undefined;
      labels?: string[] | null | undefined;
      timeout?: string | null | undefined;
      licenses?: Record<string, number> | null | undefined;
      need: {
        num_cpus: number;
        memory_bytes: number;
        num_gpus: number;
        num_nodes: number;
        runtime_seconds: number;
        licenses?: Record<string, number> | null | undefined;
      };
      output_files?: {
        id: number;
        path: string;
        temporary?: boolean | null | undefined;
        protected?: boolean | null | undefined;
        is_made?: boolean | null | undefined;
      }[] | null | undefined;
      input_files?: {
        id: number;
        path: string;
      }[] | null | undefined;
    }[];
    ahead?: {
      jobs: {
        id: number;
        workflow_id: number;
        name: string;
        command: string;
        invocation_script?: string | null | undefined;
        env?: Record<string, string> | null | undefined;
        status?: JobStatus | null | undefined;
        cancel_on_blocking_job_failure?: boolean | null | undefined;
        supports_termination?: boolean | null | undefined;
        depends_on_job_ids?: number[] | null | undefined;
        input_file_ids?: number[] | null | undefined;
        output_file_ids?: number[] | null | undefined;
        input_user_data_ids?: number[] | null | undefined;
        output_user_data_ids?: number[] | null | undefined;
        resource_requirements_id?: number | null | undefined;
        scheduler_id?: number | null | undefined;
        failure_handler_id?: number | null | undefined;
        attempt_id: number;
        refunded_attempts?: number | null | undefined;
        removed_at_ms?: number | null | undefined;
        priority?: number | null | undefined;
        compute_node_id?: number | null | undefined;
        start_time?: string | null | undefined;
        origin?: string | null | undefined;
        labels?: string[] | null | undefined;
        timeout?: string | null | undefined;
        licenses?: Record<string, number> | null | undefined;
        need: {
          num_cpus: number;
          memory_bytes: number;
          num_gpus: number;
          num_nodes: number;
          runtime_seconds: number;
          licenses?: Record<string, number> | null | undefined;
        };
        output_files?: {
          id: number;
          path: string;
          temporary?: boolean | null | undefined;
          protected?: boolean | null | undefined;
          is_made?: boolean | null | undefined;
        }[] | null | undefined;
        input_files?: {
          id: number;
          path: string;
        }[] | null | undefined;
        waits_for: number[];
      }[];
      rest: number[];
      settled: number[];
    } | null | undefined;
    errors: {
      job_id: number;
      message: string;
      code?: string | undefined;
    }[];
    jobs_by_status: {
      uninitialized: number;
      blocked: number;
      ready: number;
      pending: number;
      running: number;
      completed: number;
      failed: number;
      canceled: number;
      terminated: number;
      disabled: number;
      pending_failed: number;
    };
    is_complete: boolean;
    is_canceled: boolean;
    choice_state?: "complete" | "under_way" | "waiting" | null | undefined;
    is_releasing?: boolean | null | undefined;
    change_id: number;
    is_deregistered?: boolean | null | undefined;
    end_attempts?: {
      job_id: number;
      attempt_id: number;
    }[] | null | undefined;
    due_actions?: number[] | null | undefined;
    waiting_limits?: {
      scope: "workflow" | "user" | "server" | "allocation";
      name: string;
      most: number;
      held: number;
      needs: number;
    }[] | null | undefined;
    setup?: {
      default_requirements_id?: number | null | undefined;
      has_actions: boolean;
      failure_handlers?: FailureHandler[] | null | undefined;
    } | null | undefined;
    has_unneeded_allocations?: boolean | null | undefined;
    has_files_to_remove?: boolean | null | undefined;
  }>;
  /** The last exchange of a runner that is proven lost (addition). */
  readonly reportLostRunner: (call: {
    params: {
      id: number;
      compute_node_id: number;
    };
    body: {
      run_id: number;
      started?: {
        job_id: number;
        attempt_id: number;
      }[] | null | undefined;
      completed?: {
        job_id: number;
        attempt_id: number;
        status: JobStatus;
        return_code: number;
        exec_time_minutes: number;
        completion_time: string;
        peak_memory_bytes?: number | null | undefined;
        avg_memory_bytes?: number | null | undefined;
        peak_cpu_percent?: number | null | undefined;
        avg_cpu_percent?: number | null | undefined;
        peak_gpu_memory_bytes?: number | null | undefined;
        gpu_memory_bytes?: number | null | undefined;
        avg_gpu_watts?: number | null | undefined;
        cause?: string | null | undefined;
        cause_code?: "exit" | "not_found" | "not_executable" | "crash" | "signal" | "killed" | "memory" | "time" | "node" | "allocation" | "stopped" | "canceled" | "lost" | "unproven" | "asked" | "missing_output" | "stale_output" | "disk" | "dependency" | "adopted" | null | undefined;
        handler_limit?: "max" | "attempts" | null | undefined;
        files?: {
          id: number;
          st_mtime: number;
          made_mtime?: number | null | undefined;
          made_size?: number | null | undefined;
          was_there?: boolean | null | undefined;
        }[] | null | undefined;
        inputs?: {
          id: number;
          st_mtime: number;
          st_size: number;
          hash?: string | undefined;
        }[] | null | undefined;
        slurm_stats?: {
          slurm_job_id?: string | null | undefined;
          max_rss_bytes?: number | null | undefined;
          max_vm_size_bytes?: number | null | undefined;
          max_disk_read_bytes?: number | null | undefined;
          max_disk_write_bytes?: number | null | undefined;
          ave_cpu_seconds?: number | null | undefined;
          node_list?: string | null | undefined;
          slurm_step?: string | null | undefined;
        } | null | undefined;
      }[] | null | undefined;
      retried?: {
        job_id: number;
        attempt_id: number;
        status: JobStatus;
        return_code: number;
        exec_time_minutes: number;
        completion_time: string;
        peak_memory_bytes?: number | null | undefined;
        avg_memory_bytes?: number | null | undefined;
        peak_cpu_percent?: number | null | undefined;
        avg_cpu_percent?: number | null | undefined;
        peak_gpu_memory_bytes?: number | null | undefined;
        gpu_memory_bytes?: number | null | undefined;
        avg_gpu_watts?: number | null | undefined;
        cause?: string | null | undefined;
        cause_code?: "exit" | "not_found" | "not_executable" | "crash" | "signal" | "killed" | "memory" | "time" | "node" | "allocation" | "stopped" | "canceled" | "lost" | "unproven" | "asked" | "missing_output" | "stale_output" | "disk" | "dependency" | "adopted" | null | undefined;
        handler_limit?: "max" | "attempts" | null | undefined;
        files?: {
          id: number;
          st_mtime: number;
          made_mtime?: number | null | undefined;
          made_size?: number | null | undefined;
          was_there?: boolean | null | undefined;
        }[] | null | undefined;
        inputs?: {
          id: number;
          st_mtime: number;
          st_size: number;
          hash?: string | undefined;
        }[] | null | undefined;
        slurm_stats?: {
          slurm_job_id?: string | null | undefined;
          max_rss_bytes?: number | null | undefined;
          max_vm_size_bytes?: number | null | undefined;
          max_disk_read_bytes?: number | null | undefined;
          max_disk_write_bytes?: number | null | undefined;
          ave_cpu_seconds?: number | null | undefined;
          node_list?: string | null | undefined;
          slurm_step?: string | null | undefined;
        } | null | undefined;
        max_retries: number;
        raise?: {
          memory_bytes?: number | null | undefined;
          runtime_seconds?: number | null | undefined;
        } | null | undefined;
        is_refunded?: boolean | null | undefined;
      }[] | null | undefined;
      actions?: {
        begun?: number[] | null | undefined;
        finished?: number[] | null | undefined;
      } | null | undefined;
      reason: string;
    };
  }) => Promise<{
    completed: number[];
    requeued: number[];
    returned: number[];
    errors: {
      job_id: number;
      message: string;
      code?: string | undefined;
    }[];
    actions_armed?: number[] | null | undefined;
    actions_interrupted?: number[] | null | undefined;
  }>;
  /** List the files that must exist: inputs that no job produces, and outputs of completed jobs. */
  readonly listRequiredExistingFiles: (call: {
    params: {
      id: number;
    };
  }) => Promise<{
    files: number[];
  }>;
  /** List user data without a value that jobs read and no job produces, and empty outputs of completed jobs. */
  readonly listMissingUserData: (call: {
    params: {
      id: number;
    };
  }) => Promise<{
    user_data: number[];
  }>;
  /** Report files that were removed, and take temporary files that can be deleted because all jobs that read them have completed (addition). */
  readonly removeFiles: (call: {
    params: {
      id: number;
    };
    body: {
      run_id: number;
      compute_node_id?: number | null | undefined;
      removed: {
        id: number;
        removal: "deleted" | "absent" | "changed" | "failed" | "cleaned";
        removed_bytes?: number | null | undefined;
      }[];
      limit: number;
    };
  }) => Promise<{
    files: {
      id: number;
      path: string;
      st_mtime: number;
      st_size: number;
    }[];
  }>;
  /** Create a file record. */
  readonly createFile: (call: {
    body: NewFile;
  }) => Promise<File>;
  /** Create file records of one workflow, all or none. */
  readonly createFiles: (call: {
    body: {
      files: NewFile[];
    };
  }) => Promise<{
    files: File[];
  }>;
  /** List the files of a workflow; with `include_uses` (addition) each has its size and the jobs that write and read it. */
  readonly listFiles: (call: {
    query: {
      workflow_id: number;
      offset?: number | undefined;
      limit?: number | undefined;
      sort_by?: string | undefined;
      reverse_sort?: boolean | undefined;
      produced_by_job_id?: number | undefined;
      name?: string | undefined;
      path?: string | undefined;
      is_output?: boolean | undefined;
      include_uses?: boolean | undefined;
      after_id?: number | undefined;
      before_id?: number | undefined;
    };
  }) => Promise<{
    items: File[];
    offset: number;
    max_limit: number;
    count: number;
    total_count: number;
    has_more: boolean;
  }>;
  /** Get one file record. */
  readonly getFile: (call: {
    params: {
      id: number;
    };
  }) => Promise<File>;
  /** Change a file record; st_mtime is always written, other absent fields keep their value. */
  readonly updateFile: (call: {
    params: {
      id: number;
    };
    body: {
      id?: number | null | undefined;
      workflow_id?: number | undefined;
      name?: string | undefined;
      path?: string | undefined;
      st_mtime?: number | null | undefined;
      temporary?: boolean | null | undefined;
      protected?: boolean | null | undefined;
      removal?: "due" | "deleting" | "deleted" | "absent" | "changed" | "failed" | "cleaned" | null | undefined;
      removed_bytes?: number | null | undefined;
      size_bytes?: number | null | undefined;
      made_by?: {
        jobs: number;
        first: {
          job_id: number;
          job_name: string;
        }[];
      } | null | undefined;
      read_by?: {
        jobs: number;
        first: {
          job_id: number;
          job_name: string;
        }[];
      } | null | undefined;
    };
  }) => Promise<File>;
  /** Create user data, with its consumer and producer if they are named. */
  readonly createUserData: (call: {
    query?: {
      consumer_job_id?: number | undefined;
      producer_job_id?: number | undefined;
    } | undefined;
    body: NewUserData;
  }) => Promise<UserData>;
  /** Create user data of one workflow, all or none. */
  readonly createUserDataList: (call: {
    body: {
      user_data: NewUserData[];
    };
  }) => Promise<{
    user_data: UserData[];
  }>;
  /** List the user data of a workflow. */
  readonly listUserData: (call: {
    query: {
      workflow_id: number;
      offset?: number | undefined;
      limit?: number | undefined;
      sort_by?: string | undefined;
      reverse_sort?: boolean | undefined;
      consumer_job_id?: number | undefined;
      producer_job_id?: number | undefined;
      name?: string | undefined;
      is_ephemeral?: boolean | undefined;
      after_id?: number | undefined;
      before_id?: number | undefined;
    };
  }) => Promise<{
    items: UserData[];
    offset: number;
    max_limit: number;
    count: number;
    total_count: number;
    has_more: boolean;
  }>;
  /** Get one user data record. */
  readonly getUserData: (call: {
    params: {
      id: number;
    };
  }) => Promise<UserData>;
  /** Change user data; jobs publish values with this route. Null keeps a value, `clear_data` removes it. */
  readonly updateUserData: (call: {
    params: {
      id: number;
    };
    query?: {
      clear_data?: boolean | undefined;
    } | undefined;
    body: {
      id?: number | null | undefined;
      workflow_id?: number | undefined;
      name?: string | undefined;
      data?: Json | null | undefined;
      is_ephemeral?: boolean | null | undefined;
    };
  }) => Promise<UserData>;
  /** Delete a file record. */
  readonly deleteFile: (call: {
    params: {
      id: number;
    };
  }) => Promise<File>;
  /** Delete all file records of a workflow. */
  readonly deleteFiles: (call: {
    query: {
      workflow_id: number;
    };
  }) => Promise<{
    deleted_count: number;
  }>;
  /** Delete a user data record. */
  readonly deleteUserData: (call: {
    params: {
      id: number;
    };
  }) => Promise<UserData>;
  /** Delete all user data records of a workflow. */
  readonly deleteUserDataList: (call: {
    query: {
      workflow_id: number;
    };
  }) => Promise<{
    message: string;
    deleted_count: number;
  }>;
  /** Create an entity of the research object. */
  readonly createRoCrateEntity: (call: {
    body: NewRoCrateEntity;
  }) => Promise<RoCrateEntity>;
  /** Get one entity of the research object. */
  readonly getRoCrateEntity: (call: {
    params: {
      id: number;
    };
  }) => Promise<RoCrateEntity>;
  /** Change an entity of the research object; fields that are left out keep their value. */
  readonly updateRoCrateEntity: (call: {
    params: {
      id: number;
    };
    body: {
      id?: number | null | undefined;
      workflow_id?: number | undefined;
      entity_id?: string | undefined;
      entity_type?: string | undefined;
      metadata?: Record<string, Json> | undefined;
      file_id?: number | null | undefined;
    };
  }) => Promise<RoCrateEntity>;
  /** Delete an entity of the research object. */
  readonly deleteRoCrateEntity: (call: {
    params: {
      id: number;
    };
  }) => Promise<{
    message: string;
  }>;
  /** List the entities of the research object of a workflow. */
  readonly listRoCrateEntities: (call: {
    params: {
      id: number;
    };
    query?: {
      offset?: number | undefined;
      limit?: number | undefined;
      sort_by?: string | undefined;
      reverse_sort?: boolean | undefined;
      file_id?: number | undefined;
      entity_id?: string | undefined;
    } | undefined;
  }) => Promise<{
    items: RoCrateEntity[];
    offset: number;
    max_limit: number;
    count: number;
    total_count: number;
    has_more: boolean;
  }>;
  /** Delete all entities of the research object of a workflow. */
  readonly deleteRoCrateEntities: (call: {
    params: {
      id: number;
    };
  }) => Promise<{
    message: string;
    deleted_count: number;
  }>;
  /** List results: the current one of each job, or with all_runs all of them. */
  readonly listResults: (call: {
    query: {
      workflow_id: number;
      offset?: number | undefined;
      limit?: number | undefined;
      sort_by?: string | undefined;
      reverse_sort?: boolean | undefined;
      job_id?: number | undefined;
      run_id?: number | undefined;
      return_code?: number | undefined;
      status?: JobStatus | undefined;
      compute_node_id?: number | undefined;
      cause_code?: "exit" | "not_found" | "not_executable" | "crash" | "signal" | "killed" | "memory" | "time" | "node" | "allocation" | "stopped" | "canceled" | "lost" | "unproven" | "asked" | "missing_output" | "stale_output" | "disk" | "dependency" | "adopted" | undefined;
      all_runs?: boolean | undefined;
    };
  }) => Promise<{
    items: Result[];
    offset: number;
    max_limit: number;
    count: number;
    total_count: number;
    has_more: boolean;
  }>;
  /** Get one result. */
  readonly getResult: (call: {
    params: {
      id: number;
    };
  }) => Promise<Result>;
  /** Create an event. */
  readonly createEvent: (call: {
    body: NewEvent;
  }) => Promise<Event>;
  /** List the events that users and programs created. */
  readonly listEvents: (call: {
    query: {
      workflow_id: number;
      offset?: number | undefined;
      limit?: number | undefined;
      sort_by?: string | undefined;
      reverse_sort?: boolean | undefined;
      category?: string | undefined;
      after_timestamp?: number | undefined;
      after_id?: number | undefined;
      before_id?: number | undefined;
    };
  }) => Promise<{
    items: Event[];
    offset: number;
    max_limit: number;
    count: number;
    total_count: number;
    has_more: boolean;
  }>;
  /** Get one event. */
  readonly getEvent: (call: {
    params: {
      id: number;
    };
  }) => Promise<Event>;
  /** Store a result; its job does not change. */
  readonly createResult: (call: {
    body: NewResult;
  }) => Promise<Result>;
  /** Change a result; fields that are left out keep their value. */
  readonly updateResult: (call: {
    params: {
      id: number;
    };
    body: {
      id?: number | null | undefined;
      job_id?: number | undefined;
      job_name?: string | null | undefined;
      workflow_id?: number | undefined;
      run_id?: number | undefined;
      attempt_id?: number | null | undefined;
      compute_node_id?: number | undefined;
      return_code?: number | undefined;
      exec_time_minutes?: number | undefined;
      completion_time?: string | undefined;
      status?: JobStatus | undefined;
      peak_memory_bytes?: number | null | undefined;
      avg_memory_bytes?: number | null | undefined;
      peak_cpu_percent?: number | null | undefined;
      avg_cpu_percent?: number | null | undefined;
      peak_gpu_memory_bytes?: number | null | undefined;
      gpu_memory_bytes?: number | null | undefined;
      avg_gpu_watts?: number | null | undefined;
      cause?: string | null | undefined;
      cause_code?: "exit" | "not_found" | "not_executable" | "crash" | "signal" | "killed" | "memory" | "time" | "node" | "allocation" | "stopped" | "canceled" | "lost" | "unproven" | "asked" | "missing_output" | "stale_output" | "disk" | "dependency" | "adopted" | null | undefined;
      handler_limit?: "max" | "attempts" | null | undefined;
    };
  }) => Promise<Result>;
  /** Delete a result. */
  readonly deleteResult: (call: {
    params: {
      id: number;
    };
  }) => Promise<Result>;
  /** Delete all results of a workflow. */
  readonly deleteResults: (call: {
    query: {
      workflow_id: number;
    };
  }) => Promise<{
    count: number;
  }>;
  /** Replace the data of an event. */
  readonly updateEvent: (call: {
    params: {
      id: number;
    };
    body: Json;
  }) => Promise<Event>;
  /** Delete an event. */
  readonly deleteEvent: (call: {
    params: {
      id: number;
    };
  }) => Promise<Event>;
  /** Delete all events of a workflow. */
  readonly deleteEvents: (call: {
    query: {
      workflow_id: number;
    };
  }) => Promise<{
    count: number;
  }>;
  /** Create a Slurm scheduler record. */
  readonly createSlurmScheduler: (call: {
    body: NewSlurmScheduler;
  }) => Promise<SlurmScheduler>;
  /** List the Slurm schedulers of a workflow. */
  readonly listSlurmSchedulers: (call: {
    query: {
      workflow_id: number;
      offset?: number | undefined;
      limit?: number | undefined;
      sort_by?: string | undefined;
      reverse_sort?: boolean | undefined;
    };
  }) => Promise<{
    items: SlurmScheduler[];
    offset: number;
    max_limit: number;
    count: number;
    total_count: number;
    has_more: boolean;
  }>;
  /** Register a runner. */
  readonly createComputeNode: (call: {
    body: NewComputeNode;
  }) => Promise<ComputeNode>;
  /** List the runners of a workflow. */
  readonly listComputeNodes: (call: {
    query: {
      workflow_id: number;
      offset?: number | undefined;
      limit?: number | undefined;
      sort_by?: string | undefined;
      reverse_sort?: boolean | undefined;
      hostname?: string | undefined;
      is_active?: boolean | undefined;
      holds_jobs?: boolean | undefined;
      may_hold_jobs?: boolean | undefined;
      in_slurm?: boolean | undefined;
      scheduled_compute_node_id?: number | undefined;
      after_id?: number | undefined;
      before_id?: number | undefined;
    };
  }) => Promise<{
    items: ComputeNode[];
    offset: number;
    max_limit: number;
    count: number;
    total_count: number;
    has_more: boolean;
  }>;
  /** Get one runner. */
  readonly getComputeNode: (call: {
    params: {
      id: number;
    };
  }) => Promise<ComputeNode>;
  /** Change a runner; fields that are left out keep their value. */
  readonly updateComputeNode: (call: {
    params: {
      id: number;
    };
    body: {
      id?: number | null | undefined;
      workflow_id?: number | undefined;
      hostname?: string | undefined;
      pid?: number | undefined;
      start_time?: string | undefined;
      end_time?: string | null | undefined;
      duration_seconds?: number | null | undefined;
      is_active?: boolean | null | undefined;
      num_cpus?: number | undefined;
      memory_gb?: number | undefined;
      num_gpus?: number | undefined;
      num_nodes?: number | undefined;
      time_limit?: string | null | undefined;
      scheduler_config_id?: number | null | undefined;
      compute_node_type?: string | undefined;
      scheduler?: Json | null | undefined;
      sample_count?: number | null | undefined;
      peak_cpu_percent?: number | null | undefined;
      avg_cpu_percent?: number | null | undefined;
      peak_memory_bytes?: number | null | undefined;
      avg_memory_bytes?: number | null | undefined;
      energy_joules?: number | null | undefined;
      machine_cpu_seconds?: number | null | undefined;
      labels?: string[] | null | undefined;
      process?: {
        boot_id: string;
        pid_namespace: string;
        start_ticks: number;
        mark: string;
        ledger: string;
        machine_id?: string | null | undefined;
        hardware_ids?: string[] | null | undefined;
        slurm_job_id?: string | null | undefined;
        max_parallel_jobs?: number | null | undefined;
        strict_scheduler_match?: boolean | null | undefined;
        clock_ahead_seconds?: number | null | undefined;
      } | null | undefined;
    };
  }) => Promise<ComputeNode>;
  /** Delete a runner that holds no jobs. */
  readonly deleteComputeNode: (call: {
    params: {
      id: number;
    };
  }) => Promise<ComputeNode>;
  /** Delete all runners of a workflow; refused if one of them holds jobs. */
  readonly deleteComputeNodes: (call: {
    query: {
      workflow_id: number;
    };
  }) => Promise<{
    count: number;
  }>;
  /** Get one Slurm scheduler. */
  readonly getSlurmScheduler: (call: {
    params: {
      id: number;
    };
  }) => Promise<SlurmScheduler>;
  /** Change a Slurm scheduler; fields that are left out keep their value. */
  readonly updateSlurmScheduler: (call: {
    params: {
      id: number;
    };
    body: {
      id?: number | null | undefined;
      workflow_id?: number | undefined;
      name?: string | null | undefined;
      account?: string | undefined;
      nodes?: number | undefined;
      walltime?: string | undefined;
      gres?: string | null | undefined;
      mem?: string | null | undefined;
      ntasks_per_node?: number | null | undefined;
      partition?: string | null | undefined;
      qos?: string | null | undefined;
      tmp?: string | null | undefined;
      extra?: string | null | undefined;
      serialize_allocations?: boolean | null | undefined;
      pbs?: {
        project?: string | null | undefined;
        select?: string | null | undefined;
        place?: string | null | undefined;
      } | null | undefined;
    };
  }) => Promise<SlurmScheduler>;
  /** Delete a Slurm scheduler. */
  readonly deleteSlurmScheduler: (call: {
    params: {
      id: number;
    };
  }) => Promise<SlurmScheduler>;
  /** Delete all Slurm schedulers of a workflow. */
  readonly deleteSlurmSchedulers: (call: {
    query: {
      workflow_id: number;
    };
  }) => Promise<{
    count: number;
  }>;
  /** Create an allocation record. */
  readonly createScheduledComputeNode: (call: {
    body: NewScheduledComputeNodes;
  }) => Promise<ScheduledComputeNodes>;
  /** Create allocation records of one workflow, all or none (addition). */
  readonly createScheduledComputeNodes: (call: {
    body: {
      scheduled_compute_nodes: NewScheduledComputeNodes[];
    };
  }) => Promise<{
    scheduled_compute_nodes: ScheduledComputeNodes[];
  }>;
  /** Change those of these allocations that still have the status `from`, and name them (addition). `array_record_id` makes them tasks of a job array, numbered from the id of that record; the status `planned` makes them none. `max_queued` goes to their plans. */
  readonly changeScheduledComputeNodes: (call: {
    params: {
      id: number;
    };
    body: {
      ids: number[];
      from: string;
      status: string;
      held?: string | null | undefined;
      scheduler_id?: number | null | undefined;
      array_job_id?: number | null | undefined;
      array_record_id?: number | null | undefined;
      max_queued?: number | null | undefined;
    };
  }) => Promise<{
    changed: number[];
  }>;
  /** List the allocations of a workflow. */
  readonly listScheduledComputeNodes: (call: {
    query: {
      workflow_id: number;
      offset?: number | undefined;
      limit?: number | undefined;
      sort_by?: string | undefined;
      reverse_sort?: boolean | undefined;
      scheduler_id?: number | undefined;
      scheduler_config_id?: number | undefined;
      status?: string | undefined;
      is_open?: boolean | undefined;
      after_id?: number | undefined;
      before_id?: number | undefined;
    };
  }) => Promise<{
    items: ScheduledComputeNodes[];
    offset: number;
    max_limit: number;
    count: number;
    total_count: number;
    has_more: boolean;
  }>;
  /** Get one allocation. */
  readonly getScheduledComputeNode: (call: {
    params: {
      id: number;
    };
  }) => Promise<ScheduledComputeNodes>;
  /** Change an allocation; fields that are left out keep their value. */
  readonly updateScheduledComputeNode: (call: {
    params: {
      id: number;
    };
    body: {
      id?: number | null | undefined;
      workflow_id?: number | undefined;
      scheduler_id?: number | undefined;
      scheduler_config_id?: number | undefined;
      scheduler_type?: string | undefined;
      status?: string | undefined;
      array_job_id?: number | null | undefined;
      array_task_id?: number | null | undefined;
      plan?: {
        allocations: number;
        start_one_worker_per_node?: boolean | null | undefined;
        max_parallel_jobs?: number | null | undefined;
        job_prefix?: string | null | undefined;
        max_queued?: number | null | undefined;
        action_id?: number | null | undefined;
        replaces?: number | null | undefined;
      } | null | undefined;
      held?: string | null | undefined;
    };
  }) => Promise<ScheduledComputeNodes>;
  /** Delete an allocation. */
  readonly deleteScheduledComputeNode: (call: {
    params: {
      id: number;
    };
  }) => Promise<ScheduledComputeNodes>;
  /** Delete all allocations of a workflow. */
  readonly deleteScheduledComputeNodes: (call: {
    query: {
      workflow_id: number;
    };
  }) => Promise<{
    count: number;
  }>;
  /** Create a local scheduler record. */
  readonly createLocalScheduler: (call: {
    body: NewLocalScheduler;
  }) => Promise<LocalScheduler>;
  /** List the local schedulers of a workflow. */
  readonly listLocalSchedulers: (call: {
    query: {
      workflow_id: number;
      offset?: number | undefined;
      limit?: number | undefined;
      sort_by?: string | undefined;
      reverse_sort?: boolean | undefined;
      memory?: string | undefined;
      num_cpus?: number | undefined;
    };
  }) => Promise<{
    items: LocalScheduler[];
    offset: number;
    max_limit: number;
    count: number;
    total_count: number;
    has_more: boolean;
  }>;
  /** Get one local scheduler. */
  readonly getLocalScheduler: (call: {
    params: {
      id: number;
    };
  }) => Promise<LocalScheduler>;
  /** Change a local scheduler; fields that are left out keep their value. */
  readonly updateLocalScheduler: (call: {
    params: {
      id: number;
    };
    body: {
      id?: number | null | undefined;
      workflow_id?: number | undefined;
      name?: string | null | undefined;
      memory?: string | null | undefined;
      num_cpus?: number | null | undefined;
    };
  }) => Promise<LocalScheduler>;
  /** Delete a local scheduler. */
  readonly deleteLocalScheduler: (call: {
    params: {
      id: number;
    };
  }) => Promise<LocalScheduler>;
  /** Delete all local schedulers of a workflow. */
  readonly deleteLocalSchedulers: (call: {
    query: {
      workflow_id: number;
    };
  }) => Promise<{
    count: number;
  }>;
  /** Add hosts reached by ssh; the reply also contains those that existed. */
  readonly addRemoteWorkers: (call: {
    params: {
      id: number;
    };
    body: string[];
  }) => Promise<RemoteWorker[]>;
  /** List the hosts of a workflow that are reached by ssh, by name. */
  readonly listRemoteWorkers: (call: {
    params: {
      id: number;
    };
  }) => Promise<RemoteWorker[]>;
  /** Remove a host. */
  readonly removeRemoteWorker: (call: {
    params: {
      id: number;
      worker: string;
    };
  }) => Promise<RemoteWorker>;
  /** Store the accounting data of Slurm for an attempt. */
  readonly createSlurmStats: (call: {
    body: NewSlurmStats;
  }) => Promise<SlurmStats>;
  /** List the accounting data of Slurm for the attempts of a workflow. */
  readonly listSlurmStats: (call: {
    query: {
      workflow_id: number;
      offset?: number | undefined;
      limit?: number | undefined;
      sort_by?: string | undefined;
      reverse_sort?: boolean | undefined;
      job_id?: number | undefined;
      run_id?: number | undefined;
      attempt_id?: number | undefined;
    };
  }) => Promise<{
    items: SlurmStats[];
    offset: number;
    max_limit: number;
    count: number;
    total_count: number;
    has_more: boolean;
  }>;
  /** List the running jobs and their compute nodes. */
  readonly listRunningJobs: (call: {
    params: {
      id: number;
    };
    query?: {
      offset?: number | undefined;
      limit?: number | undefined;
      sort_by?: string | undefined;
      reverse_sort?: boolean | undefined;
    } | undefined;
  }) => Promise<{
    items: {
      job_id: number;
      job_name: string;
      compute_node_name: string;
      scheduler_type: string;
      scheduler_job_id?: string | null | undefined;
      start_time?: string | null | undefined;
    }[];
    offset: number;
    max_limit: number;
    count: number;
    total_count: number;
    has_more: boolean;
  }>;
  /** List the allocation of each job that has a result. */
  readonly listSlurmJobCorrelations: (call: {
    params: {
      id: number;
    };
    query?: {
      offset?: number | undefined;
      limit?: number | undefined;
      sort_by?: string | undefined;
      reverse_sort?: boolean | undefined;
    } | undefined;
  }) => Promise<{
    items: {
      slurm_job_id: string;
      job_id: number;
      job_name: string;
    }[];
    offset: number;
    max_limit: number;
    count: number;
    total_count: number;
    has_more: boolean;
  }>;
  /** Whether a user may see a workflow: as its owner, or because it is shared with the user or a group of the user. */
  readonly checkAccess: (call: {
    params: {
      workflow_id: number;
      user_name: string;
    };
  }) => Promise<{
    has_access: boolean;
    reason?: string | null | undefined;
    user_name: string;
    workflow_id: number;
  }>;
  /** Create a group of users. */
  readonly createAccessGroup: (call: {
    body: NewAccessGroup;
  }) => Promise<AccessGroup>;
  /** List all groups by name. */
  readonly listAccessGroups: (call?: {
    query?: {
      offset?: number | undefined;
      limit?: number | undefined;
    } | undefined;
  }) => Promise<{
    items: AccessGroup[];
    offset: number;
    limit: number;
    total_count: number;
    has_more: boolean;
  }>;
  /** Get one group. */
  readonly getAccessGroup: (call: {
    params: {
      id: number;
    };
  }) => Promise<AccessGroup>;
  /** Delete a group with its memberships; system groups are refused. */
  readonly deleteAccessGroup: (call: {
    params: {
      id: number;
    };
  }) => Promise<AccessGroup>;
  /** Add a user to a group. */
  readonly addGroupMember: (call: {
    params: {
      id: number;
    };
    body: NewUserGroupMembership;
  }) => Promise<UserGroupMembership>;
  /** List the members of a group by name. */
  readonly listGroupMembers: (call: {
    params: {
      id: number;
    };
    query?: {
      offset?: number | undefined;
      limit?: number | undefined;
    } | undefined;
  }) => Promise<{
    items: UserGroupMembership[];
    offset: number;
    limit: number;
    total_count: number;
    has_more: boolean;
  }>;
  /** Remove a user from a group. */
  readonly removeGroupMember: (call: {
    params: {
      id: number;
      user_name: string;
    };
  }) => Promise<UserGroupMembership>;
  /** List the groups of a user by name. */
  readonly listUserGroups: (call: {
    params: {
      user_name: string;
    };
    query?: {
      offset?: number | undefined;
      limit?: number | undefined;
    } | undefined;
  }) => Promise<{
    items: AccessGroup[];
    offset: number;
    limit: number;
    total_count: number;
    has_more: boolean;
  }>;
  /** List the workflows of other users that are shared with a user, or with a group of the user. */
  readonly listSharedWorkflows: (call: {
    params: {
      user_name: string;
    };
    query?: {
      is_archived?: boolean | undefined;
      offset?: number | undefined;
      limit?: number | undefined;
      sort_by?: string | undefined;
      reverse_sort?: boolean | undefined;
    } | undefined;
  }) => Promise<{
    items: Workflow[];
    offset: number;
    max_limit: number;
    count: number;
    total_count: number;
    has_more: boolean;
  }>;
  /** List the groups that may see a workflow. */
  readonly listWorkflowGroups: (call: {
    params: {
      id: number;
    };
    query?: {
      offset?: number | undefined;
      limit?: number | undefined;
    } | undefined;
  }) => Promise<{
    items: AccessGroup[];
    offset: number;
    limit: number;
    total_count: number;
    has_more: boolean;
  }>;
  /** Share a workflow with a group. */
  readonly addWorkflowToGroup: (call: {
    params: {
      id: number;
      group_id: number;
    };
  }) => Promise<WorkflowAccessGroup>;
  /** Stop sharing a workflow with a group. */
  readonly removeWorkflowFromGroup: (call: {
    params: {
      id: number;
      group_id: number;
    };
  }) => Promise<WorkflowAccessGroup>;
  /** List the users that a workflow is shared with, and whether the server enforces access. */
  readonly listWorkflowUsers: (call: {
    params: {
      id: number;
    };
    query?: {
      offset?: number | undefined;
      limit?: number | undefined;
    } | undefined;
  }) => Promise<{
    items: {
      workflow_id: number;
      user_name: string;
      created_at: string;
    }[];
    offset: number;
    limit: number;
    total_count: number;
    has_more: boolean;
    is_enforced: boolean;
  }>;
  /** Share a workflow with a user. */
  readonly shareWorkflow: (call: {
    params: {
      id: number;
      user_name: string;
    };
  }) => Promise<{
    workflow_id: number;
    user_name: string;
    created_at: string;
  }>;
  /** Stop sharing a workflow with a user. */
  readonly unshareWorkflow: (call: {
    params: {
      id: number;
      user_name: string;
    };
  }) => Promise<{
    workflow_id: number;
    user_name: string;
    created_at: string;
  }>;
  /** Read the file of users again. */
  readonly reloadAuth: (call?: {
  }) => Promise<{
    message: string;
    user_count: number;
  }>;
  /** Execute one SQL statement on the database; changes are recorded in the audit log. */
  readonly runSql: (call: {
    body: {
      sql: string;
      write?: boolean | null | undefined;
      dry_run?: boolean | null | undefined;
      allow_full_table?: boolean | null | undefined;
      limit?: number | null | undefined;
    };
  }) => Promise<{
    columns: string[];
    items: Json[];
    committed: boolean;
    rows_affected?: number | null | undefined;
  }>;
  /** List the changes made by SQL, the newest first. */
  readonly listAuditLog: (call?: {
    query?: {
      limit?: number | undefined;
      offset?: number | undefined;
    } | undefined;
  }) => Promise<{
    items: {
      id: number;
      user_name: string;
      timestamp: number;
      sql_text: string;
      is_write: boolean;
      allow_full_table: boolean;
      committed: boolean;
      success: boolean;
      rows_affected?: number | null | undefined;
      error?: string | null | undefined;
    }[];
    offset: number;
    max_limit: number;
    count: number;
    total_count: number;
    has_more: boolean;
  }>;
  /** Count the requests of the last hour by result. */
  readonly getApiStats: (call?: {
    query?: {
      window_seconds?: number | undefined;
      interval_seconds?: number | undefined;
    } | undefined;
  }) => Promise<{
    now_ms: number;
    interval_seconds: number;
    window_seconds: number;
    buckets: {
      start_ms: number;
      request_count: number;
      bytes_in: number;
      bytes_out: number;
      status_2xx: number;
      status_4xx: number;
      status_5xx: number;
      status_other: number;
    }[];
  }>;
  /** What the jobs of a workflow run on: schedulers, hosts, actions, active runners and open allocations (addition). */
  readonly getKnownWorkflow: (call: {
    params: {
      id: number;
    };
  }) => Promise<{
    workflow: Workflow;
    slurm_schedulers: SlurmScheduler[];
    remote_workers: string[];
    actions: WorkflowAction[];
    runners: ComputeNode[];
    last_runner?: ComputeNode | null | undefined;
    allocations: ScheduledComputeNodes[];
  }>;
  /** What is known of a job: its requirements, the jobs that it waits for, its attempts of all runs, and what it can run on (addition). */
  readonly getKnownJob: (call: {
    params: {
      id: number;
    };
  }) => Promise<{
    job: Job;
    of: {
      workflow: Workflow;
      slurm_schedulers: SlurmScheduler[];
      remote_workers: string[];
      actions: WorkflowAction[];
      runners: ComputeNode[];
      last_runner?: ComputeNode | null | undefined;
      allocations: ScheduledComputeNodes[];
    };
    requirements: ResourceRequirements;
    upstream: {
      id: number;
      name: string;
      status: JobStatus;
      return_code?: number | null | undefined;
    }[];
    upstream_left_out: number;
    canceled_by?: {
      id: number;
      name: string;
      status: JobStatus;
      return_code?: number | null | undefined;
    } | null | undefined;
    results: Result[];
    results_left_out?: number | null | undefined;
    nodes: ComputeNode[];
    running: {
      compute_node_id: number;
      resource_requirements_id: number;
      jobs: number;
    }[];
    running_requirements: ResourceRequirements[];
    waiting_limits?: {
      scope: "workflow" | "user" | "server" | "allocation";
      name: string;
      most: number;
      held: number;
      needs: number;
      holders: {
        job_id: number;
        job_name: string;
        workflow_id: number;
      }[];
      others: number;
      hidden: number;
    }[] | null | undefined;
  }>;
  /** List workflows with their progress, the newest first (addition). `before` is the id of the last one of the previous page. */
  readonly listWorkflowOverviews: (call?: {
    query?: {
      user?: string | undefined;
      name?: string | undefined;
      project?: string | undefined;
      access_group?: string | undefined;
      before?: number | undefined;
      limit?: number | undefined;
    } | undefined;
  }) => Promise<{
    items: {
      id: number;
      name: string;
      user: string;
      project?: string | null | undefined;
      timestamp: string;
      run_id: number;
      is_canceled: boolean;
      is_archived: boolean;
      total_jobs: number;
      jobs_by_status: Record<string, number>;
      active_compute_nodes: number;
    }[];
    has_more: boolean;
  }>;
  /** The graph of a workflow by families: jobs whose names are the same without numbers, and whose dependencies are (addition). */
  readonly getWorkflowGraph: (call: {
    params: {
      id: number;
    };
    query?: {
      by?: "family" | undefined;
    } | undefined;
  }) => Promise<{
    families: {
      key: string;
      name: string;
      first_job_id: number;
      jobs: number;
      jobs_by_status: Record<string, number>;
    }[];
    edges: {
      from: string;
      to: string;
      dependencies: number;
    }[];
    families_left_out: number;
    jobs_left_out: number;
  }>;
  /** List the jobs of a family, by id (addition). `after` is the id of the last one of the previous page; `skip` passes over so many jobs behind it, whatever their status; `name` is a part of their names. */
  readonly listFamilyJobs: (call: {
    params: {
      id: number;
      family: string;
    };
    query?: {
      status?: JobStatus | undefined;
      name?: string | undefined;
      after?: number | undefined;
      skip?: number | undefined;
      limit?: number | undefined;
    } | undefined;
  }) => Promise<{
    items: {
      id: number;
      name: string;
      status: JobStatus;
      attempt_id: number;
      return_code?: number | null | undefined;
      seconds?: number | null | undefined;
      peak_memory_bytes?: number | null | undefined;
    }[];
    has_more: boolean;
  }>;
  /** List the jobs that run now, by id and without their number, so that it costs the same for any number (addition). `after` is the id of the last one of the previous page. */
  readonly listRunningNow: (call: {
    params: {
      id: number;
    };
    query?: {
      after?: number | undefined;
      limit?: number | undefined;
    } | undefined;
  }) => Promise<{
    items: {
      job_id: number;
      job_name: string;
      compute_node_name?: string | null | undefined;
      start_time?: string | null | undefined;
    }[];
    has_more: boolean;
  }>;
  /** Attempts of the current run that ran, ended and failed over time (addition). `from` and `to` choose a part of the time, `by` divides them into at most `bands` bands, and with `attempts` a time that so many overlap has each of them. */
  readonly getWorkflowTimeline: (call: {
    params: {
      id: number;
    };
    query?: {
      bins?: number | undefined;
      from?: string | undefined;
      to?: string | undefined;
      by?: "family" | "runner" | undefined;
      bands?: number | undefined;
      attempts?: number | undefined;
    } | undefined;
  }) => Promise<{
    from?: string | null | undefined;
    bin_seconds: number;
    running: number[];
    ended: number[];
    failed: number[];
    run_from?: string | null | undefined;
    run_to?: string | null | undefined;
    bands?: {
      key?: string | null | undefined;
      name: string;
      attempts: number;
      retries: number;
      running: number[];
      ended: number[];
      failed: number[];
    }[] | null | undefined;
    bands_left_out?: number | null | undefined;
    attempts?: {
      job_id: number;
      job_name: string;
      attempt_id: number;
      band?: string | null | undefined;
      start: string;
      end?: string | null | undefined;
      status: JobStatus;
      return_code?: number | null | undefined;
      cause?: string | null | undefined;
      cause_code?: "exit" | "not_found" | "not_executable" | "crash" | "signal" | "killed" | "memory" | "time" | "node" | "allocation" | "stopped" | "canceled" | "lost" | "unproven" | "asked" | "missing_output" | "stale_output" | "disk" | "dependency" | "adopted" | null | undefined;
      compute_node_id?: number | null | undefined;
      compute_node_name?: string | null | undefined;
    }[] | null | undefined;
  }>;
  /** Jobs that failed, in groups of the same cause, the largest first (addition). */
  readonly listFailureGroups: (call: {
    params: {
      id: number;
    };
  }) => Promise<{
    groups: {
      status: JobStatus;
      return_code: number;
      cause?: string | null | undefined;
      cause_code?: "exit" | "not_found" | "not_executable" | "crash" | "signal" | "killed" | "memory" | "time" | "node" | "allocation" | "stopped" | "canceled" | "lost" | "unproven" | "asked" | "missing_output" | "stale_output" | "disk" | "dependency" | "adopted" | null | undefined;
      jobs: number;
      first: {
        job_id: number;
        job_name: string;
        run_id: number;
        attempt_id: number;
      }[];
    }[];
    groups_left_out: number;
  }>;
  /** What jobs used beside what they asked for, by the requirements that they share, with what would fit them (addition). */
  readonly getResourceUse: (call: {
    params: {
      id: number;
    };
  }) => Promise<{
    classes: {
      resource_requirements_id: number;
      name: string;
      num_cpus: number;
      num_gpus: number;
      memory: string;
      runtime: string;
      jobs: number;
      ended: number;
      lacking: number;
      peak_memory_bytes?: number | null | undefined;
      peak_cpu_percent?: number | null | undefined;
      longest_seconds?: number | null | undefined;
      peak_gpu_memory_bytes?: number | null | undefined;
      gpu_memory_bytes?: number | null | undefined;
      suggestion?: {
        direction: "upscale" | "downscale";
        only_family?: string | null | undefined;
        num_cpus?: number | null | undefined;
        memory?: string | null | undefined;
        runtime?: string | null | undefined;
      } | null | undefined;
      suggestions?: {
        direction: "upscale" | "downscale";
        only_family?: string | null | undefined;
        num_cpus?: number | null | undefined;
        memory?: string | null | undefined;
        runtime?: string | null | undefined;
      }[] | null | undefined;
      most_memory: {
        job_id: number;
        job_name: string;
        peak_memory_bytes: number;
      }[];
    }[];
    classes_left_out: number;
  }>;
  /** What a recovery would do: why jobs failed, which requirements it raises, and which jobs run again; changes nothing (addition). */
  readonly getRecoveryPlan: (call: {
    params: {
      id: number;
    };
    query?: {
      memory_multiplier?: number | undefined;
      runtime_multiplier?: number | undefined;
      retry_unknown?: boolean | undefined;
    } | undefined;
  }) => Promise<{
    workflow_id: number;
    causes: {
      cause: string;
      words: string;
      jobs: number;
      runs_again: boolean;
      first: {
        job_id: number;
        job_name: string;
        detail: string;
      }[];
    }[];
    changes: {
      resource_requirements_id: number;
      name: string;
      jobs: number;
      memory?: {
        before: string;
        after: string;
      } | null | undefined;
      num_cpus?: {
        before: number;
        after: number;
      } | null | undefined;
      runtime?: {
        before: string;
        after: string;
      } | null | undefined;
    }[];
    jobs_again: number;
    jobs_left: number;
    jobs_waiting: number;
    needs_command?: string | null | undefined;
    command: string;
    next?: string | null | undefined;
  }>;
  /** Raise requirements and run jobs again as the recovery plan says, unless it has changed; not where allocations would have to be submitted (addition). */
  readonly recoverWorkflow: (call: {
    params: {
      id: number;
    };
    body: {
      memory_multiplier?: number | null | undefined;
      runtime_multiplier?: number | null | undefined;
      retry_unknown?: boolean | null | undefined;
      jobs_again: number;
    };
  }) => Promise<{
    workflow_id: number;
    causes: {
      cause: string;
      words: string;
      jobs: number;
      runs_again: boolean;
      first: {
        job_id: number;
        job_name: string;
        detail: string;
      }[];
    }[];
    changes: {
      resource_requirements_id: number;
      name: string;
      jobs: number;
      memory?: {
        before: string;
        after: string;
      } | null | undefined;
      num_cpus?: {
        before: number;
        after: number;
      } | null | undefined;
      runtime?: {
        before: string;
        after: string;
      } | null | undefined;
    }[];
    jobs_again: number;
    jobs_left: number;
    jobs_waiting: number;
    needs_command?: string | null | undefined;
    command: string;
    next?: string | null | undefined;
  }>;
  /** What running jobs took of the CPUs, the memory or the GPUs of each node over time, as they asked for it, for the nodes with the most running time (addition). */
  readonly getNodeUse: (call: {
    params: {
      id: number;
    };
    query?: {
      measure?: "cpu" | "memory" | "gpu" | undefined;
      bins?: number | undefined;
    } | undefined;
  }) => Promise<{
    measure: "cpu" | "memory" | "gpu";
    from?: string | null | undefined;
    bin_seconds: number;
    nodes: {
      hostname: string;
      capacity: number;
      runners: number;
      attempts: number;
      share: (number | null)[];
    }[];
    nodes_left_out: number;
  }>;
  /** How many jobs run on each runner, by the requirements that they share (addition). */
  readonly getRunnerUse: (call: {
    params: {
      id: number;
    };
  }) => Promise<{
    compute_node_id: number;
    resource_requirements_id: number;
    jobs: number;
  }[]>;
  /** Why a job waits, or why it ended as it did, as `torc jobs explain` says it; what Slurm and other programs say is left to the command (addition). */
  readonly getJobExplanation: (call: {
    params: {
      id: number;
    };
  }) => Promise<{
    job_id: number;
    kind: "waits" | "runs" | "ended";
    headline: string;
    reasons: {
      code: string;
      message: string;
      job_id?: number | null | undefined;
    }[];
    reasons_left_out: number;
    next: string[];
    attempts: {
      kind: "ended" | "runs" | "no_result";
      run_id?: number | null | undefined;
      attempt_id: number;
      status?: JobStatus | null | undefined;
      return_code?: number | null | undefined;
      started_at?: string | null | undefined;
      ended_at?: string | null | undefined;
      seconds?: number | null | undefined;
      compute_node_id?: number | null | undefined;
      hostname?: string | null | undefined;
      cause_code?: "exit" | "not_found" | "not_executable" | "crash" | "signal" | "killed" | "memory" | "time" | "node" | "allocation" | "stopped" | "canceled" | "lost" | "unproven" | "asked" | "missing_output" | "stale_output" | "disk" | "dependency" | "adopted" | null | undefined;
      why?: string | null | undefined;
    }[];
    attempts_left_out: number;
    unknown?: string | null | undefined;
  }>;
  /** The last lines of what an attempt wrote, if the server can read them; else where they are (addition). The default is the current attempt. */
  readonly getOutputTail: (call: {
    params: {
      id: number;
    };
    query?: {
      stream?: "stdout" | "stderr" | undefined;
      run_id?: number | undefined;
      attempt_id?: number | undefined;
      lines?: number | undefined;
    } | undefined;
  }) => Promise<{
    job_id: number;
    run_id: number;
    attempt_id: number;
    hostname?: string | null | undefined;
    path?: string | null | undefined;
    command: string;
    lines?: string[] | null | undefined;
    size_bytes?: number | null | undefined;
    has_more?: boolean | null | undefined;
    reason?: string | null | undefined;
  }>;
  /** CPU and memory of an attempt over time, from the file of its runner, if there is one and the server can read it; else where it is (addition). The default is the current attempt. */
  readonly getJobSamples: (call: {
    params: {
      id: number;
    };
    query?: {
      run_id?: number | undefined;
      attempt_id?: number | undefined;
    } | undefined;
  }) => Promise<{
    job_id: number;
    run_id: number;
    attempt_id: number;
    hostname?: string | null | undefined;
    path?: string | null | undefined;
    command: string;
    interval_seconds: number;
    written_every_seconds?: number | null | undefined;
    samples?: number | null | undefined;
    at_ms?: number[] | null | undefined;
    cpu_percent?: number[] | null | undefined;
    memory_bytes?: number[] | null | undefined;
    num_processes?: number[] | null | undefined;
    reason?: string | null | undefined;
  }>;
  /** Create a start token: the page exchanges it once, within ten minutes, for a session of the same user (addition). */
  readonly createPageToken: (call?: {
  }) => Promise<{
    token: string;
  }>;
  /** The messages about a workflow, whether they were sent, and the receivers of the server, or those of them with a fingerprint as in a claim (addition). */
  readonly listMessages: (call: {
    params: {
      id: number;
    };
    query?: {
      offset?: number | undefined;
      limit?: number | undefined;
      sort_by?: string | undefined;
      reverse_sort?: boolean | undefined;
      fingerprint?: string | undefined;
    } | undefined;
  }) => Promise<{
    items: {
      id: number;
      run_id: number;
      trigger: "end" | "stuck" | "runner_lost" | "budget" | "many_failures" | "first_failure" | "time" | "silent" | "begin";
      receiver: string;
      state: "waiting" | "due" | "sending" | "sent" | "covered" | "failed";
      attempts: number;
      due_at: string;
      ended_at?: string | null | undefined;
      problem?: string | null | undefined;
    }[];
    offset: number;
    max_limit: number;
    count: number;
    total_count: number;
    has_more: boolean;
    receivers: string[];
  }>;
  /** Claim the messages that a command sends to one of its receivers: no other command gets the same ones (addition). */
  readonly claimMessages: (call: {
    params: {
      id: number;
    };
    body: {
      receiver: string;
      fingerprint: string;
      on: ("end" | "stuck" | "runner_lost" | "budget" | "many_failures" | "first_failure" | "time" | "silent" | "begin")[];
      ends_only_bad: boolean;
      knows_repeats: boolean;
      fail_percent: number;
      time_percent: number;
      silent_seconds: number;
      budget_core_hours?: number | null | undefined;
      after?: number | null | undefined;
      is_last?: boolean | null | undefined;
    };
  }) => Promise<{
    sender: "server" | "command";
    messages: {
      id: number;
      key: string;
      digest: Json;
    }[];
    after: number;
  }>;
  /** Report whether a claimed message was sent (addition). */
  readonly endMessage: (call: {
    params: {
      id: number;
      message_id: number;
    };
    body: {
      outcome: "sent" | "later" | "never";
      why?: string | null | undefined;
    };
  }) => Promise<{
    ended: boolean;
  }>;
  /** Have the server send messages about this workflow to one of its receivers (addition). */
  readonly wantMessages: (call: {
    params: {
      id: number;
    };
    body: {
      receiver: string;
    };
  }) => Promise<{
    receiver: string;
  }>;
  /** List the clusters whose telemetry the server receives (addition). A server that keeps none says so by `is_kept` and is not refused: pages ask every server. */
  readonly listTelemetryClusters: (call?: {
  }) => Promise<{
    items: {
      name: string;
      nodes: number;
      envelopes: number;
      newest?: string | null | undefined;
    }[];
    is_kept?: boolean | null | undefined;
  }>;
  /** What jobs used, by telemetry, most CPU time first (addition). */
  readonly listTelemetryJobs: (call?: {
    query?: {
      cluster?: string | undefined;
      node?: string | undefined;
      from?: string | undefined;
      to?: string | undefined;
    } | undefined;
  }) => Promise<{
    items: {
      cluster: string;
      job: number;
      epoch: number;
      user: string;
      nodes: string[];
      first: string;
      last: string;
      samples: number;
      commands: string[];
      cpu_seconds: number;
      cpu_percent: number;
      peak_cpu_percent: number;
      peak_memory_kb: number;
      cards: string[];
      gpu_percent: number;
      peak_gpu_memory_kb: number;
      state: string;
      name: string;
      partition: string;
      account: string;
    }[];
    hourly?: {
      from: string;
      until: string;
    } | undefined;
  }>;
  /** The use of each node in intervals of `every` seconds, at least 60, 3600 by default (addition). */
  readonly listTelemetryLoad: (call?: {
    query?: {
      cluster?: string | undefined;
      node?: string | undefined;
      from?: string | undefined;
      to?: string | undefined;
      every?: number | undefined;
    } | undefined;
  }) => Promise<{
    items: {
      cluster: string;
      node: string;
      time: string;
      samples: number;
      cores: number;
      cpu_percent?: number | null | undefined;
      cpu_of_node_percent?: number | null | undefined;
      used_memory_kb: number;
      memory_of_node_percent?: number | null | undefined;
      load1: number;
      cards: number;
      gpu_percent?: number | null | undefined;
      gpu_memory_kb: number;
    }[];
    hourly?: {
      from: string;
      until: string;
    } | undefined;
  }>;
  /** The use of a job over time, with its processes if `processes` asks for them, and the attempts at workflow jobs (addition). `epoch` is that of jobs outside of Slurm; `every` 0 gives each sample. */
  readonly getTelemetryProfile: (call: {
    query: {
      cluster?: string | undefined;
      node?: string | undefined;
      from?: string | undefined;
      to?: string | undefined;
      job: string;
      epoch?: string | undefined;
      every?: number | undefined;
      processes?: boolean | undefined;
    };
  }) => Promise<{
    every_seconds: number;
    steps: {
      time: string;
      node: string;
      processes: number;
      cpu_percent: number;
      cpu_seconds: number;
      memory_kb: number;
      gpu_percent: number;
      gpu_memory_kb: number;
    }[];
    processes?: {
      node: string;
      pid: string;
      ppid: string;
      cmd: string;
      depth: number;
      first: string;
      last: string;
      cpu_seconds: number;
      peak_memory_kb: number;
    }[] | undefined;
    node_imbalance_percent?: number | undefined;
    attempts: {
      cluster: string;
      workflow: number;
      workflow_job: number;
      run: number;
      attempt: number;
    }[];
    hourly?: {
      from: string;
      until: string;
    } | undefined;
  }>;
  /** When nodes sent samples (addition). */
  readonly listTelemetryUptime: (call?: {
    query?: {
      cluster?: string | undefined;
      node?: string | undefined;
      from?: string | undefined;
      to?: string | undefined;
    } | undefined;
  }) => Promise<{
    items: {
      cluster: string;
      node: string;
      state: "up" | "down";
      from: string;
      until: string;
      samples: number;
      is_booted: boolean;
    }[];
    hourly?: {
      from: string;
      until: string;
    } | undefined;
  }>;
  /** What nodes are, with the states of Slurm (addition). */
  readonly listTelemetryNodes: (call?: {
    query?: {
      cluster?: string | undefined;
      node?: string | undefined;
      from?: string | undefined;
      to?: string | undefined;
    } | undefined;
  }) => Promise<{
    items: {
      cluster: string;
      node: string;
      cores: number;
      memory_kb: number;
      cards: number;
      model: string;
      system: string;
      states: string[];
      partitions: string[];
      sampled?: string | null | undefined;
    }[];
    hourly?: {
      from: string;
      until: string;
    } | undefined;
  }>;
  /** What cards are, and their newest state (addition). */
  readonly listTelemetryCards: (call?: {
    query?: {
      cluster?: string | undefined;
      node?: string | undefined;
      from?: string | undefined;
      to?: string | undefined;
    } | undefined;
  }) => Promise<{
    items: {
      cluster: string;
      node: string;
      index: number;
      uuid: string;
      model: string;
      memory_kb: number;
      used_memory_kb: number;
      util_percent: number;
      temperature: number;
      power_watts: number;
      performance_state?: number | null | undefined;
      failing: number;
      time?: string | null | undefined;
    }[];
    hourly?: {
      from: string;
      until: string;
    } | undefined;
  }>;
  /** What waits in partitions, and how long jobs waited (addition). */
  readonly listTelemetryQueue: (call?: {
    query?: {
      cluster?: string | undefined;
      node?: string | undefined;
      from?: string | undefined;
      to?: string | undefined;
    } | undefined;
  }) => Promise<{
    items: {
      cluster: string;
      partition: string;
      pending: number;
      held: number;
      running: number;
      oldest_pending_seconds?: number | null | undefined;
      started: number;
      median_wait_seconds?: number | null | undefined;
      longest_wait_seconds?: number | null | undefined;
      finished: number;
      failed: number;
    }[];
    hourly?: {
      from: string;
      until: string;
    } | undefined;
  }>;
  /** A standing report about telemetry (addition). */
  readonly getTelemetryReport: (call: {
    query: {
      cluster?: string | undefined;
      node?: string | undefined;
      from?: string | undefined;
      to?: string | undefined;
      kind: "users" | "commands" | "hogs" | "idle-gpu" | "zombies" | "greedy";
    };
  }) => Promise<{
    items: {
      cluster: string;
      subject: string;
      user?: string | undefined;
      node?: string | undefined;
      jobs?: number | undefined;
      cpu_hours?: number | undefined;
      gpu_hours?: number | undefined;
      memory_kb?: number | undefined;
      gpu_memory_kb?: number | undefined;
      percent?: number | undefined;
      first: string;
      last: string;
      reason: string;
    }[];
    hourly?: {
      from: string;
      until: string;
    } | undefined;
  }>;
}

/** A Torc server: each route is a method that takes `{ params, query, body }` and returns the reply. */
export interface TorcClient extends Calls {
  /**
   * Creates a workflow from the path of a file, or from an object with the keys of a workflow file, and returns its id.
   * One with errors is thrown as `InvalidWorkflow`, and nothing is created.
   */
  create(workflow: string | object, options?: CreateOptions): Promise<number>;
  /** Runs jobs of a workflow on this machine until no work is left; one that never ran is initialized first. */
  run(workflowId: number, options?: RunOptions): Promise<RunEnd>;
  /**
   * The events of a workflow until its last job has ended, or until it is canceled or deleted. A workflow that has ended
   * already has none. A program that starts to wait misses no later event, but earlier ones are not repeated.
   */
  wait(workflowId: number, options?: EventsOptions): AsyncGenerator<WorkflowEvent>;
  /** What a job printed, in its newest attempt. It is read from a file: on the host of the job, or on a shared file system. */
  output(jobId: number, options?: OutputOptions): Promise<string>;
  /**
   * Recovers a workflow after failures: finds the cause of each, raises what was missing, makes jobs ready again that may
   * succeed now, and submits allocations where the workflow has Slurm schedulers. Others are run again by `run`.
   */
  recover(workflowId: number, options?: RecoverOptions): Promise<RecoverEnd>;
  /**
   * The events of a workflow, from now on and until the signal. A broken connection is opened again after the last
   * event, so no event is missed and none arrives twice.
   */
  events(workflowId: number, options?: EventsOptions): AsyncGenerator<WorkflowEvent>;
  /** Closes the connections. */
  close(): void;
  /** The same at the end of a block: `await using torc = new TorcClient()`. */
  [Symbol.asyncDispose](): Promise<void>;
}
export const TorcClient: new (options?: TorcClientOptions) => TorcClient;

/** The service refused or failed: `status` is that of HTTP, `code` names the refusal, `remedy` says what to do. */
export class ServiceError extends Error {
  readonly status: number;
  readonly code: string | undefined;
  readonly remedy: string | undefined;
  readonly text: string;
  constructor(doing: string, response: { readonly status: number; readonly text: string });
}

/** A use case of the library refused, before or after requests: `code` names the refusal, `remedy` says what to do. */
export interface Refusal extends Error {
  readonly code: string;
  readonly status: number;
  readonly remedy: string;
}
export const Refusal: abstract new (...args: never[]) => Refusal;

/** A workflow with errors, each with its place; nothing was created. */
export interface InvalidWorkflow extends Error {
  readonly problems: readonly Problem[];
}
export const InvalidWorkflow: abstract new (...args: never[]) => InvalidWorkflow;

export interface Problem {
  readonly code: string;
  readonly message: string;
  readonly file: string;
  /** Counted from 1. */
  readonly line?: number;
  readonly column?: number;
  /** `jobs[3].depends_on[0]`; empty for the file as a whole. */
  readonly path: string;
}

/** There was no reply, so it is unknown whether the request was executed. */
export class Unreachable extends Error {
  constructor(message: string, options?: { cause?: unknown });
}

interface Range {
  readonly offset?: number | undefined;
  readonly limit?: number | undefined;
}
type Fetch<Item> = (paging: { offset: number; limit: number }) => Promise<{ items: Item[]; has_more: boolean }>;

/** All items of a list, fetched a page at a time: `every((paging) => torc.listJobs({ query: { workflow_id, ...paging } }))`. */
export function every<Item>(fetch: Fetch<Item>, range?: Range): AsyncGenerator<Item>;
/** The same as an array. */
export function all<Item>(fetch: Fetch<Item>, range?: Range): Promise<Item[]>;
